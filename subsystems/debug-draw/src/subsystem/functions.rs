//! What scripts call.

use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use super::DebugDraw;
use crate::line::Line;
use crate::shapes::{circles, cross, edges};

const LINE: &[Kind] = &[Kind::Vector3, Kind::Vector3, Kind::Vector3];
const ROUND: &[Kind] = &[Kind::Vector3, Kind::Number, Kind::Vector3];

pub(crate) const FUNCTIONS: [SubsystemFunction; 4] = [
    function("Draw.line", LINE, "draws a line for a frame, between two places, in a color"),
    function("Draw.box", LINE, "draws a box for a frame: its middle, its size, its color"),
    function("Draw.sphere", ROUND, "draws a sphere for a frame: its middle, its radius, its color"),
    function("Draw.cross", ROUND, "draws a cross for a frame: its middle, its size, its color"),
];

const fn function(
    name: &'static str,
    arguments: &'static [Kind],
    help: &'static str,
) -> SubsystemFunction {
    SubsystemFunction { name, arguments, results: &[], help }
}

/// Runs a function by its number.
pub(crate) fn call(
    draw: &mut DebugDraw<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let (at, color) = (call.vector3(0), call.vector3(2));
    let drawn = match function {
        0 => draw.draw(Line::new(at, call.vector3(1), color), 0.0),
        1 => draw.draw_shape(0.0, |each| edges(at, call.vector3(1), color, each)),
        2 => draw.draw_shape(0.0, |each| circles(at, call.number(1) as f32, color, each)),
        _ => draw.draw_shape(0.0, |each| cross(at, call.number(1) as f32, color, each)),
    };
    drawn.map_err(|error| call.refuse(format_args!("{error}")))
}
