//! Layers of a machine.

use std::format;
use std::string::ToString;

use loligo_compiler::{CompileError, Property};

use super::draft::{DraftLayer, MachineDraft};
use super::motions::read_state;
use super::names::{is_same, number_of};
use super::transitions::read_transitions;
use crate::machine::{LAYERS_MAX, NONE, STATES_MAX};

pub(super) fn read_layers(draft: &mut MachineDraft, source: &Property) -> Result<(), CompileError> {
    let layers = source.need("layers", "add `layers = [ { name = \"base\" states = { .. } } ]`")?;
    for item in layers.items()? {
        let layer = read_layer(draft, item)?;
        if draft.layers.iter().any(|other| is_same(&other.name, &layer.name)) {
            let reason = format!("two layers are called `{}`, or hash to the same", layer.name);
            return Err(item.error(reason, "rename one"));
        }
        draft.name(&layer.name);
        draft.layers.push(layer);
    }
    match draft.layers.len() {
        1..=LAYERS_MAX => Ok(()),
        count => {
            let remedy = format!("1 to {LAYERS_MAX} are possible");
            Err(layers.error(format!("there are {count} layers"), remedy))
        }
    }
}

fn read_layer(draft: &mut MachineDraft, source: &Property) -> Result<DraftLayer, CompileError> {
    source.allow(&["name", "weight", "mask", "additive", "states", "start", "transitions"])?;
    let name = source.need("name", "name the layer: `name = \"base\"`")?.string()?.to_string();
    let weight = draft.formulas.add(source.get("weight"), 1.0, &draft.variables)?;
    let masks = draft.masks.iter().map(|(name, _)| &**name);
    let mask = source.get("mask").map(|mask| number_of(mask, "mask", masks)).transpose()?;
    let is_additive = source.bool_or("additive", false)?;
    if is_additive && draft.layers.is_empty() {
        let reason = "the first layer has nothing below that it could be added to";
        return Err(source.error(reason, "leave `additive` out, or put a layer before it"));
    }
    let first = draft.states.len();
    let remedy = "add its states: `states = { idle = { clip = \"idle\" } }`";
    let states = source.need("states", remedy)?;
    for member in states.members()? {
        let state = read_state(draft, member)?;
        if draft.states[first..].iter().any(|other| is_same(&other.name, &state.name)) {
            let reason = format!("two states are called `{}`, or hash to the same", state.name);
            return Err(member.error(reason, "rename one"));
        }
        draft.states.push(state);
    }
    let count = draft.states.len() - first;
    if count == 0 || draft.states.len() > STATES_MAX {
        let reason = format!("there are {} states", draft.states.len());
        return Err(states.error(reason, format!("1 to {STATES_MAX} are possible in all layers")));
    }
    let names = draft.states[first..].iter().map(|state| &*state.name);
    let start = source.get("start").map(|start| number_of(start, "state", names)).transpose()?;
    read_transitions(draft, source, first)?;
    Ok(DraftLayer {
        name,
        weight,
        mask: mask.unwrap_or(NONE),
        is_additive,
        first_state: first as u16,
        states: count as u16,
        start: first as u16 + start.unwrap_or(0),
    })
}
