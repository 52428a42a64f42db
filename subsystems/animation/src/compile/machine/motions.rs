//! States: a clip, points on a line or a plane, clips with a weight each.

use std::format;
use std::string::ToString;
use std::vec::Vec;

use loligo_compiler::{CompileError, Property, PropertyValue};

use super::draft::{DraftState, MachineDraft};
use super::names::number_of;
use super::triangulate::triangulate;
use crate::machine::{CLIP, LINE, LIST, MIX_MAX, PLANE};

/// The most points of a blend space.
const POINTS_MAX: usize = 64;

/// Where points of a blend space can be.
const PLACES: core::ops::RangeInclusive<f32> = -1.0e6..=1.0e6;

/// Reads a state, without the transitions from it.
pub(super) fn read_state(
    draft: &mut MachineDraft,
    source: &Property,
) -> Result<DraftState, CompileError> {
    source.allow(&["clip", "clips", "along", "points", "loops", "speed"])?;
    let speed = draft.formulas.add(source.get("speed"), 1.0, &draft.variables)?;
    let none = draft.formulas.add(None, 1.0, &draft.variables)?;
    let mut state = DraftState {
        name: source.key().to_string(),
        kind: CLIP,
        is_looping: source.bool_or("loops", true)?,
        speed,
        axes: [none; 2],
        motions: Vec::new(),
        triangles: Vec::new(),
        transitions: Vec::new(),
        parts: 1,
    };
    match (source.get("clip"), source.get("clips"), source.get("along")) {
        (Some(clip), None, None) => state.motions.push((clip_of(draft, clip)?, none, [0.0; 2])),
        (None, Some(clips), None) => read_list(draft, &mut state, clips)?,
        (None, None, Some(along)) => read_points(draft, &mut state, source, along)?,
        _ => {
            let remedy =
                "give it one of `clip = \"walk\"`, `clips = [ .. ]`, and `along` with `points`";
            return Err(
                source.error(format!("it is not clear what `{}` plays", state.name), remedy)
            );
        }
    }
    if source.get("points").is_some() && source.get("along").is_none() {
        let remedy = "say what they are along: `along = \"speed\"`";
        return Err(source.error("there are points along nothing", remedy));
    }
    if state.is_looping {
        state.parts = parts_of(draft, &state, source)?;
    }
    draft.name(source.key());
    Ok(state)
}

fn clip_of(draft: &MachineDraft, named: &Property) -> Result<u16, CompileError> {
    number_of(named, "clip", draft.clips.iter().map(|clip| &*clip.name))
}

/// Returns how many marks the clips of a cycle have in common.
fn parts_of(
    draft: &MachineDraft,
    state: &DraftState,
    source: &Property,
) -> Result<u16, CompileError> {
    let marks = |clip: u16| draft.clips[usize::from(clip)].marks.len().max(1);
    let (first, ..) = state.motions[0];
    for (clip, ..) in &state.motions {
        if marks(*clip) != marks(first) {
            let name = |clip: u16| &draft.clips[usize::from(clip)].name;
            let reason = format!(
                "`{}` has {} marks and `{}` {}, so they cannot be in step",
                name(first),
                marks(first),
                name(*clip),
                marks(*clip)
            );
            return Err(
                source.error(reason, "give both as many `marks`, or play them in two states")
            );
        }
    }
    Ok(marks(first) as u16)
}

fn read_list(
    draft: &mut MachineDraft,
    state: &mut DraftState,
    clips: &Property,
) -> Result<(), CompileError> {
    state.kind = LIST;
    for item in clips.items()? {
        item.allow(&["clip", "weight"])?;
        let clip = clip_of(draft, item.need("clip", "name the clip: `clip = \"walk\"`")?)?;
        let weight = draft.formulas.add(item.get("weight"), 1.0, &draft.variables)?;
        state.motions.push((clip, weight, [0.0; 2]));
    }
    match state.motions.len() {
        1..=MIX_MAX => Ok(()),
        count => {
            let remedy = format!("1 to {MIX_MAX} are possible");
            Err(clips.error(format!("there are {count} clips"), remedy))
        }
    }
}

fn read_points(
    draft: &mut MachineDraft,
    state: &mut DraftState,
    source: &Property,
    along: &Property,
) -> Result<(), CompileError> {
    let none = state.axes[0];
    let axes = match along.value() {
        PropertyValue::Array(axes) => &axes[..],
        _ => core::slice::from_ref(along),
    };
    if !(1..=2).contains(&axes.len()) {
        let remedy = "write a formula, or two in brackets";
        return Err(along.error(format!("it is along {} formulas", axes.len()), remedy));
    }
    for (axis, formula) in state.axes.iter_mut().zip(axes) {
        *axis = draft.formulas.add(Some(formula), 0.0, &draft.variables)?;
    }
    let remedy = "add `points = [ { clip = \"walk\" at = 1.5 } ]`";
    let points = source.need("points", remedy)?;
    for item in points.items()? {
        item.allow(&["clip", "at"])?;
        let clip = clip_of(draft, item.need("clip", "name the clip: `clip = \"walk\"`")?)?;
        let at = item.need("at", "say where it is: `at = 1.5`, or `at = [ 0 1.5 ]`")?;
        let place = match axes.len() {
            1 => [at.number(PLACES)?, 0.0],
            _ => at.numbers(PLACES)?,
        };
        if state.motions.iter().any(|(.., other)| *other == place) {
            let reason = "there is another clip at this place";
            return Err(at.error(reason, "move or remove one of both"));
        }
        state.motions.push((clip, none, place));
    }
    if !(1..=POINTS_MAX).contains(&state.motions.len()) {
        let reason = format!("there are {} points", state.motions.len());
        return Err(points.error(reason, format!("1 to {POINTS_MAX} are possible")));
    }
    if axes.len() == 1 {
        state.kind = LINE;
        state.motions.sort_by(|(.., [a, _]), (.., [b, _])| a.total_cmp(b));
        return Ok(());
    }
    state.kind = PLANE;
    let places: Vec<[f32; 2]> = state.motions.iter().map(|(.., place)| *place).collect();
    state.triangles = triangulate(&places).ok_or_else(|| {
        let remedy = "add one off the line, or blend along one formula";
        points.error("all points are on a line, or nearly", remedy)
    })?;
    Ok(())
}
