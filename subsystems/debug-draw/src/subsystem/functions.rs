//! What scripts call.

use glam::Vec2;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use super::DebugDraw;
use crate::line::Line;
use crate::shapes::{circles, cross, edges, screen_text, text};

const LINE: &[Kind] = &[Kind::Vector3, Kind::Vector3, Kind::Vector3];
const ROUND: &[Kind] = &[Kind::Vector3, Kind::Number, Kind::Vector3];

const SCREEN_LINE: &[Kind] =
    &[Kind::Number, Kind::Number, Kind::Number, Kind::Number, Kind::Vector3];
const TEXT: &[Kind] = &[Kind::Vector3, Kind::Text, Kind::Number, Kind::Vector3];
const SCREEN_TEXT: &[Kind] = &[Kind::Number, Kind::Number, Kind::Text, Kind::Number, Kind::Vector3];

pub(crate) const FUNCTIONS: [SubsystemFunction; 7] = [
    function("Draw.line", LINE, "draws a line for a frame, between two places, in a color"),
    function("Draw.box", LINE, "draws a box for a frame: its middle, its size, its color"),
    function("Draw.sphere", ROUND, "draws a sphere for a frame: its middle, its radius, its color"),
    function("Draw.cross", ROUND, "draws a cross for a frame: its middle, its size, its color"),
    function(
        "Draw.screen_line",
        SCREEN_LINE,
        "draws a line on the screen for a frame, from x and y to x and y, in pixels from the left and the upper edge, \
         or the right and the lower one below zero, in a color",
    ),
    function(
        "Draw.text",
        TEXT,
        "draws a text for a frame, above a place: the place, the text, how high its letters are, its color",
    ),
    function(
        "Draw.screen_text",
        SCREEN_TEXT,
        "draws a text on the screen for a frame: x and y in pixels as `screen_line`, the text, its size in pixels, its color",
    ),
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
    if function >= SCREEN {
        return on_screen(draw, function, call);
    }
    let (at, color) = (call.vector3(0), call.vector3(2));
    let drawn = match function {
        0 => draw.draw(Line::new(at, call.vector3(1), color), 0.0),
        1 => draw.draw_shape(0.0, |each| edges(at, call.vector3(1), color, each)),
        2 => draw.draw_shape(0.0, |each| circles(at, call.number(1) as f32, color, each)),
        _ => draw.draw_shape(0.0, |each| cross(at, call.number(1) as f32, color, each)),
    };
    drawn.map_err(|error| call.refuse(format_args!("{error}")))
}

/// The first function of those that draw on the screen, or a text.
const SCREEN: usize = 4;

fn on_screen(
    draw: &mut DebugDraw<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let number = |at: usize| call.number(at) as f32;
    let drawn = match function - SCREEN {
        0 => {
            let [from, to] = [[0, 1], [2, 3]].map(|[x, y]| Vec2::new(number(x), number(y)));
            draw.draw(Line::on_screen(from, to, call.vector3(4)), 0.0)
        }
        1 => {
            let (at, size, color) = (call.vector3(0), number(2), call.vector3(3));
            let letters = call.text(1)?;
            draw.draw_shape(0.0, |each| text(at, letters, size, color, each))
        }
        _ => {
            let (at, size) = (Vec2::new(number(0), number(1)), number(3));
            let (color, letters) = (call.vector3(4), call.text(2)?);
            draw.draw_shape(0.0, |each| screen_text(at, letters, size, color, each))
        }
    };
    drawn.map_err(|error| call.refuse(format_args!("{error}")))
}
