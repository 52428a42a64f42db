//! Checking a machine once, when it comes in.

use loligo_resources::DataError;

use super::formula::Formula;
use super::image::{AT_EVENT, CLIP, LINE, LIST, MachineState, NONE, PLANE};
use super::triangle::Triangle;
use super::{LAYERS_MAX, MACHINE_TYPE, MIX_MAX, Machine, STATES_MAX, VARIABLES_MAX};

/// Transitions have numbers of 15 bits.
const TRANSITIONS_MAX: usize = 1 << 15;

/// The largest number of a point, a duration or a mark.
const FAR: f32 = 1.0e9;

/// Checks the invariants of a machine.
pub(super) fn verify(machine: &Machine<'_>) -> Result<(), DataError> {
    lengths(machine)?;
    formulas(machine)?;
    clips(machine)?;
    masks(machine)?;
    layers(machine)?;
    states(machine)?;
    transitions(machine)
}

fn wrong(field: &'static str, must: &'static str, found: usize) -> Result<(), DataError> {
    Err(DataError::part(MACHINE_TYPE, field, must, found as u64))
}

fn is_near(number: f32) -> bool {
    number.abs() <= FAR
}

fn lengths(machine: &Machine<'_>) -> Result<(), DataError> {
    if machine.variables.len() > VARIABLES_MAX {
        return wrong("variables", "64 at the most", machine.variables.len());
    }
    if let Some(at) = machine.variables.iter().position(|variable| !is_near(variable.default)) {
        return wrong("variables", "of defaults that are finite", at);
    }
    if machine.layers.is_empty() || machine.layers.len() > LAYERS_MAX {
        return wrong("layers", "1 to 8", machine.layers.len());
    }
    for (field, found) in [("states", machine.states.len()), ("clips", machine.clips.len())] {
        if found == 0 || found > STATES_MAX {
            return wrong(field, "1 to 1024", found);
        }
    }
    if machine.transitions.len() > TRANSITIONS_MAX {
        return wrong("transitions", "32768 at the most", machine.transitions.len());
    }
    Ok(())
}

/// Checks that each formula's words are bytecode.
fn formulas(machine: &Machine<'_>) -> Result<(), DataError> {
    let ends_with = machine.formulas.last().copied().unwrap_or_default() as usize;
    if machine.formulas.first() != Some(&0) || ends_with != machine.words.len() {
        return wrong("formulas", "those of all words", machine.formulas.len());
    }
    if !machine.formulas.is_sorted() || machine.formulas.len() > usize::from(NONE) {
        return wrong("formulas", "ascending, and 65534 at the most", machine.formulas.len());
    }
    let is_wrong = |formula: &usize| {
        Formula::verify(machine.words_of(*formula), machine.variables.len()).is_err()
    };
    match (0..machine.formulas.len() - 1).find(is_wrong) {
        Some(formula) => wrong("words", "the bytecode of each formula", formula),
        None => Ok(()),
    }
}

fn clips(machine: &Machine<'_>) -> Result<(), DataError> {
    for (at, clip) in machine.clips.iter().enumerate() {
        let first = clip.first_mark as usize;
        let marks = machine.marks.get(first..first.saturating_add(clip.marks as usize));
        let is_marked = marks.is_some_and(|marks| marks.len() <= MIX_MAX && is_cycle(marks));
        if !is_marked {
            return wrong("marks", "8 frames at the most of each clip, that go around once", at);
        }
    }
    Ok(())
}

/// Returns `true` if frames ascend, but for one place at which a cycle begins again.
fn is_cycle(marks: &[f32]) -> bool {
    let after = marks.iter().cycle().skip(1);
    let falls = marks.iter().zip(after).filter(|(mark, next)| mark >= next).count();
    falls <= 1 && marks.iter().all(|mark| (0.0..=FAR).contains(mark))
}

fn masks(machine: &Machine<'_>) -> Result<(), DataError> {
    let is_wrong = |[first, count]: &[u32; 2]| {
        let end = first.checked_add(*count);
        end.is_none_or(|end| end as usize > machine.mask_bones.len())
    };
    if let Some(at) = machine.masks.iter().position(is_wrong) {
        return wrong("masks", "of bones that there are", at);
    }
    match machine.mask_bones.iter().position(|bone| !(0.0..=1.0).contains(&bone.weight)) {
        Some(at) => wrong("mask_bones", "of weights from 0 to 1", at),
        None => Ok(()),
    }
}

fn has_formula(machine: &Machine<'_>, formula: u16) -> bool {
    usize::from(formula) + 1 < machine.formulas.len()
}

/// Checks that a list goes on where the last one ended; returns where it ends.
fn follows(before: usize, first: u16, count: u16) -> Option<usize> {
    (usize::from(first) == before).then_some(before + usize::from(count))
}

fn layers(machine: &Machine<'_>) -> Result<(), DataError> {
    let mut end = Some(0);
    for (at, layer) in machine.layers.iter().enumerate() {
        end = end.and_then(|end| follows(end, layer.first_state, layer.states));
        let is_masked = layer.mask == NONE || usize::from(layer.mask) < machine.masks.len();
        let states = layer.first_state..layer.first_state.saturating_add(layer.states);
        let is_whole = is_masked && layer.is_additive <= 1 && states.contains(&layer.start);
        if end.is_none() || !is_whole || !has_formula(machine, layer.weight) {
            return wrong("layers", "of a state, a mask and a weight that there are", at);
        }
    }
    if machine.is_additive(0) {
        return wrong("layers", "one that is not added, and others", 0);
    }
    match end == Some(machine.states.len()) {
        true => Ok(()),
        false => wrong("layers", "those of all states", machine.states.len()),
    }
}

fn states(machine: &Machine<'_>) -> Result<(), DataError> {
    let mut ends = Some([0; 3]);
    for (at, state) in machine.states.iter().enumerate() {
        ends = ends.and_then(|[motions, triangles, transitions]| {
            Some([
                follows(motions, state.first_motion, state.motions)?,
                follows(triangles, state.first_triangle, state.triangles)?,
                follows(transitions, state.first_transition, state.transitions)?,
            ])
        });
        let Some([motions, triangles, transitions]) = ends else {
            return wrong("states", "those of all lists, in order", at);
        };
        let is_inside = motions <= machine.motions.len()
            && triangles <= machine.triangles.len()
            && transitions <= machine.transitions.len();
        if !is_inside {
            return wrong("states", "of motions, triangles and transitions that there are", at);
        }
        let formulas = [state.speed, state.x, state.y];
        if !formulas.iter().all(|formula| has_formula(machine, *formula)) || state.is_looping > 1 {
            return wrong("states", "of formulas that there are", at);
        }
        if !has_motions(machine, state) {
            return wrong("motions", "those of the state's kind", at);
        }
    }
    let lists = [machine.motions.len(), machine.triangles.len(), machine.transitions.len()];
    if ends != Some(lists) {
        return wrong("states", "those of all lists", machine.states.len());
    }
    Ok(())
}

/// Checks the motions of a state.
fn has_motions(machine: &Machine<'_>, state: &MachineState) -> bool {
    let motions = machine.motions_of(state);
    let is_whole = motions.iter().all(|motion| {
        let is_there = usize::from(motion.clip) < machine.clips.len();
        is_there && has_formula(machine, motion.weight) && is_near(motion.x) && is_near(motion.y)
    });
    let has_parts = motions.iter().all(|motion| {
        let Some(clip) = machine.clips.get(usize::from(motion.clip)) else { return false };
        clip.marks.max(1) == u32::from(state.parts)
    });
    let is_of_kind = match state.kind {
        CLIP => motions.len() == 1,
        LINE => motions.is_sorted_by(|a, b| a.x < b.x),
        PLANE => has_triangles(machine, state),
        LIST => motions.len() <= MIX_MAX,
        _ => false,
    };
    let is_in_parts = if state.is_looping == 0 { state.parts == 1 } else { has_parts };
    let has_rest = state.kind == PLANE || state.triangles == 0;
    !motions.is_empty() && is_whole && is_of_kind && has_rest && is_in_parts
}

fn has_triangles(machine: &Machine<'_>, state: &MachineState) -> bool {
    let first = usize::from(state.first_triangle);
    let triangles = &machine.triangles[first..first + usize::from(state.triangles)];
    let motions = machine.motions_of(state);
    let is_whole = |corners: &[u16; 3]| Triangle::try_new(*corners, motions).is_some();
    !triangles.is_empty() && triangles.iter().all(is_whole)
}

fn transitions(machine: &Machine<'_>) -> Result<(), DataError> {
    for layer in machine.layers {
        let states = layer.first_state..layer.first_state + layer.states;
        let first = usize::from(layer.first_state);
        for state in &machine.states[first..first + usize::from(layer.states)] {
            for at in machine.transitions_of(state) {
                let transition = &machine.transitions[at];
                let is_inside =
                    states.contains(&transition.to) && has_formula(machine, transition.condition);
                let is_known = transition.when <= AT_EVENT && transition.is_synchronised <= 1;
                let is_timed = (0.0..=FAR).contains(&transition.seconds)
                    && (0.0..=1.0).contains(&transition.start);
                if !(is_inside && is_known && is_timed) {
                    return wrong("transitions", "to a state of the layer, with a time", at);
                }
                let to = &machine.states[usize::from(transition.to)];
                let is_cycle = |state: &MachineState| state.is_looping != 0;
                let is_alike = is_cycle(state) && is_cycle(to) && state.parts == to.parts;
                if transition.is_synchronised != 0 && !is_alike {
                    return wrong("transitions", "between cycles, where synchronised", at);
                }
            }
        }
    }
    Ok(())
}
