//! Transitions between the states of a layer.

use std::format;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

use loligo_compiler::{CompileError, Property, PropertyValue};

use super::draft::{DraftTransition, MachineDraft};
use super::names::number_of;
use crate::machine::{AT_END, AT_EVENT, AT_ONCE};

/// The most transitions of a machine.
const TRANSITIONS_MAX: usize = 32_767;

/// Reads the transitions of a layer, whose states are those from `first` on.
pub(super) fn read_transitions(
    draft: &mut MachineDraft,
    layer: &Property,
    first: usize,
) -> Result<(), CompileError> {
    let Some(list) = layer.get("transitions") else { return Ok(()) };
    for item in list.items()? {
        let keys = ["from", "to", "if", "when", "event", "seconds", "sync", "start"];
        item.allow(&keys)?;
        let names = draft.states[first..].iter().map(|state| &*state.name);
        let to = item.need("to", "name the state it leads to: `to = \"walk\"`")?;
        let to = first + usize::from(number_of(to, "state", names)?);
        let from = item.need("from", "name the state it begins in: `from = \"idle\"`, or \"*\"")?;
        let from = states_of(draft, from, first, to)?;
        let (when, event) = when_of(item)?;
        let transition = DraftTransition {
            to: to as u16,
            condition: draft.formulas.add(item.get("if"), 1.0, &draft.variables)?,
            when,
            is_synchronised: item.bool_or("sync", false)?,
            seconds: item.number_or("seconds", 0.0..=1000.0, 0.2)?,
            start: item.number_or("start", 0.0..=1.0, 0.0)?,
            event: event.map(ToString::to_string),
        };
        if let Some(event) = event {
            draft.name(event);
        }
        for state in from {
            if transition.is_synchronised {
                check_cycles(draft, item, state, to)?;
            }
            draft.states[state].transitions.push(transition.clone());
        }
    }
    let count: usize = draft.states.iter().map(|state| state.transitions.len()).sum();
    if count >= TRANSITIONS_MAX {
        let remedy =
            format!("{TRANSITIONS_MAX} are possible, and one from `*` is one for each state");
        return Err(list.error(format!("there are {count} transitions"), remedy));
    }
    Ok(())
}

/// Returns when a transition is taken, and the event.
fn when_of(item: &Property) -> Result<(u16, Option<&str>), CompileError> {
    match (item.get("when"), item.get("event")) {
        (None, None) => Ok((AT_ONCE, None)),
        (None, Some(event)) => Ok((AT_EVENT, Some(event.string()?))),
        (Some(when), None) => {
            let found = when.word_index(&["now", "end"])?;
            Ok((if found == 0 { AT_ONCE } else { AT_END }, None))
        }
        (Some(when), Some(_)) => {
            let reason = "it is taken at an event and at another time";
            Err(when.error(reason, "leave `when` or `event` out, or write two transitions"))
        }
    }
}

/// Returns the states that a transition begins in.
fn states_of(
    draft: &MachineDraft,
    from: &Property,
    first: usize,
    to: usize,
) -> Result<Vec<usize>, CompileError> {
    let names = || draft.states[first..].iter().map(|state| &*state.name);
    match from.value() {
        PropertyValue::String(name) if name == "*" => {
            Ok((first..draft.states.len()).filter(|state| *state != to).collect())
        }
        PropertyValue::Array(items) => items
            .iter()
            .map(|item| Ok(first + usize::from(number_of(item, "state", names())?)))
            .collect(),
        _ => Ok(vec![first + usize::from(number_of(from, "state", names())?)]),
    }
}

/// Checks that two states can be played in step.
fn check_cycles(
    draft: &MachineDraft,
    item: &Property,
    from: usize,
    to: usize,
) -> Result<(), CompileError> {
    let (from, to) = (&draft.states[from], &draft.states[to]);
    let still = [from, to].into_iter().find(|state| !state.is_looping);
    if let Some(state) = still {
        let reason = format!("`{}` does not loop, so it is in step with nothing", state.name);
        return Err(item.error(reason, "let it loop, or leave `sync` out"));
    }
    if from.parts != to.parts {
        let reason = format!(
            "`{}` has {} marks and `{}` {}, so they cannot be in step",
            from.name, from.parts, to.name, to.parts
        );
        return Err(item.error(reason, "give both as many `marks`, or leave `sync` out"));
    }
    Ok(())
}
