//! A binding of an action or an axis, as it is written.

use loligo_compiler::{CompileError, Property, PropertyValue};
use std::format;

use super::chord::Chord;
use crate::control::{Analog, Control};
use crate::mapping::SCALE_MAX;

/// The dead zone of a stick or a trigger whose binding states none.
const DEAD_ZONE: f32 = 0.15;

/// The value from which an action is down by a stick or a trigger whose binding states none.
const THRESHOLD: f32 = 0.5;

/// A binding that was read.
#[derive(Debug)]
pub(super) struct ReadBinding {
    pub(super) chord: Chord,
    pub(super) scale: f32,
    pub(super) edge: f32,
}

impl ReadBinding {
    /// Reads a binding of an action: a control, or an object.
    pub(super) fn of_action(value: &Property) -> Result<Self, CompileError> {
        let control = control(value, &["control", "threshold"])?;
        let chord = Chord::read(control)?;
        if chord.control.analog() == Some(Analog::Motion) {
            let remedy = "bind it to an axis";
            return Err(control.error("no action is pressed by the motion of the mouse", remedy));
        }
        if chord.is_negative && chord.control.is_digital() {
            let remedy = "leave the minus sign out";
            return Err(control.error("a key or a button of an action has no direction", remedy));
        }
        let is_pad = is_pad_axis(chord.control);
        if !is_pad && let Some(threshold) = value.get("threshold") {
            let reason = format!("`{}` has no threshold", chord.control);
            return Err(threshold.error(reason, "leave it out: sticks and triggers have one"));
        }
        let scale = if chord.is_negative { -1.0 } else { 1.0 };
        let default = if is_pad { THRESHOLD } else { 0.0 };
        // From 0 on everything would be down.
        let edge = value.number_or("threshold", 0.05..=1.0, default)?;
        Ok(Self { chord, scale, edge })
    }

    /// Reads a binding of an axis: a control, or an object.
    pub(super) fn of_axis(value: &Property) -> Result<Self, CompileError> {
        let control = control(value, &["control", "scale", "dead_zone"])?;
        let chord = Chord::read(control)?;
        let scale = value.number_or("scale", -SCALE_MAX..=SCALE_MAX, 1.0)?;
        let scale = if chord.is_negative { -scale } else { scale };
        let is_pad = is_pad_axis(chord.control);
        if !is_pad && let Some(dead_zone) = value.get("dead_zone") {
            let reason = format!("`{}` has no dead zone", chord.control);
            return Err(dead_zone.error(reason, "leave it out: sticks and triggers have one"));
        }
        let default = if is_pad { DEAD_ZONE } else { 0.0 };
        let edge = value.number_or("dead_zone", 0.0..=0.9, default)?;
        Ok(Self { chord, scale, edge })
    }
}

/// Returns where the control of a binding is written.
fn control<'p>(value: &'p Property, keys: &[&str]) -> Result<&'p Property, CompileError> {
    match value.value() {
        PropertyValue::String(_) => Ok(value),
        PropertyValue::Object(_) => {
            value.allow(keys)?;
            value.need("control", "name one: `control = \"PadLeftX\"`")
        }
        _ => Err(value
            .expected("a control", "write one, such as \"KeyW\", or `{ control = \"PadLeftX\" }`")),
    }
}

fn is_pad_axis(control: Control) -> bool {
    matches!(control.analog(), Some(Analog::Pad(_)))
}
