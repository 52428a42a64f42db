//! What of a node is numbers: ranges of chance, curves and markers.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Property, PropertyValue};

use crate::tree::CurveTarget;

/// The seconds of delays, fades and markers.
pub(super) const SECONDS: core::ops::RangeInclusive<f32> = 0.0..=3600.0;

/// The numbers of curves.
const NUMBER: core::ops::RangeInclusive<f32> = -1e6..=1e6;

/// The most points of a curve.
const POINTS_MAX: usize = 64;

/// The names of what curves change, in the order of their numbers.
const TARGETS: [&str; 3] = ["volume", "speed", "low_pass"];

/// A curve of a node.
pub(super) struct DraftCurve {
    pub(super) parameter: String,
    pub(super) target: CurveTarget,
    pub(super) points: Vec<[f32; 2]>,
}

/// A marker of a wave.
pub(super) struct DraftMarker {
    pub(super) at: f32,
    pub(super) name: String,
}

/// Reads a number, or the least and the most.
pub(super) fn chance(
    node: &Property,
    key: &str,
    range: core::ops::RangeInclusive<f32>,
    default: f32,
) -> Result<[f32; 2], CompileError> {
    let Some(value) = node.get(key) else { return Ok([default; 2]) };
    if let PropertyValue::Number(_) = value.value() {
        return Ok([value.number(range)?; 2]);
    }
    let both = value.numbers::<2>(range)?;
    match both[0] <= both[1] {
        true => Ok(both),
        false => Err(value.error("they are from more to less", "write the smaller number first")),
    }
}

/// Reads the curves of a node.
pub(super) fn curves(node: &Property) -> Result<Vec<DraftCurve>, CompileError> {
    let Some(list) = node.get("curves") else { return Ok(Vec::new()) };
    list.items()?.iter().map(curve).collect()
}

fn curve(item: &Property) -> Result<DraftCurve, CompileError> {
    item.allow(&["target", "parameter", "points"])?;
    let remedy = "say what it changes: `target = \"volume\"`";
    let target = match item.need("target", remedy)?.word_index(&TARGETS)? {
        0 => CurveTarget::Volume,
        1 => CurveTarget::Speed,
        _ => CurveTarget::LowPass,
    };
    let remedy = "name the parameter that it follows: `parameter = \"force\"`";
    let parameter = item.need("parameter", remedy)?.string()?.to_string();
    let list = item.need("points", "add some: `points = [ [ 0 -20 ] [ 10 0 ] ]`")?;
    let mut points: Vec<[f32; 2]> = Vec::new();
    for point in list.items()? {
        let own = point.numbers::<2>(NUMBER)?;
        if points.last().is_some_and(|last| last[0] >= own[0]) {
            let reason = format!("the value {} is not more than the one before", own[0]);
            return Err(point.error(reason, "order the points by the parameter, each value once"));
        }
        points.push(own);
    }
    match points.len() {
        1..=POINTS_MAX => Ok(DraftCurve { parameter, target, points }),
        count => {
            let reason = format!("the curve has {count} points");
            Err(list.error(reason, format!("1 to {POINTS_MAX} are possible")))
        }
    }
}

/// Reads the markers of a wave, in the order of time.
pub(super) fn markers(node: &Property) -> Result<Vec<DraftMarker>, CompileError> {
    let Some(list) = node.get("markers") else { return Ok(Vec::new()) };
    let mut markers: Vec<DraftMarker> = Vec::new();
    for item in list.items()? {
        item.allow(&["at", "name"])?;
        let remedy = "say when: `{ at = 1.2 name = \"bar\" }`";
        let at = item.need("at", remedy)?;
        let name = item.need("name", remedy)?.string()?.to_string();
        let seconds = at.number(SECONDS)?;
        if markers.last().is_some_and(|last| last.at >= seconds) {
            let reason = format!("the marker at {seconds} is not after the one before");
            return Err(at.error(reason, "order markers by time, each second once"));
        }
        markers.push(DraftMarker { at: seconds, name });
    }
    Ok(markers)
}
