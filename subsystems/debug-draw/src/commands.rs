//! What others ask for.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_containers::Event;
use loligo_interface::{EventSchema, EventText, event_schema};

/// A line is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawLine {
    /// Where it begins.
    pub from: [f32; 3],
    /// Where it ends.
    pub to: [f32; 3],
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
}

/// Lines are to be drawn: the [`Line`](crate::Line)s that follow the command. For a thousand and more
/// that takes half of the time of a command for each.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawLines {
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
}

/// The edges of a box are to be drawn, whose sides are along the axes.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawBox {
    /// Its middle.
    pub center: [f32; 3],
    /// How wide, high and deep it is.
    pub size: [f32; 3],
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
}

/// A sphere is to be drawn, as a circle around each axis.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawSphere {
    /// Its middle.
    pub center: [f32; 3],
    /// Its radius.
    pub radius: f32,
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
}

/// A cross is to be drawn, a line along each axis.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawCross {
    /// Its middle.
    pub at: [f32; 3],
    /// How long its lines are.
    pub size: f32,
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
}

/// A line on the screen is to be drawn, in pixels from the left and the upper edge; what is below
/// zero is counted from the right or the lower edge.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawScreenLine {
    /// Where it begins: from the left edge.
    pub x: f32,
    /// From the upper edge.
    pub y: f32,
    /// Where it ends: from the left edge.
    pub to_x: f32,
    /// From the upper edge.
    pub to_y: f32,
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
}

/// A text is to be drawn in the world: above a place, and facing the eye of each view.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawText {
    /// The middle of its lower edge.
    pub at: [f32; 3],
    /// How high a capital letter is.
    pub size: f32,
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
    /// The text.
    pub text: EventText,
}

/// A text is to be drawn on the screen, in pixels as [`DrawScreenLine`].
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct DrawScreenText {
    /// Its left edge: from that of the screen.
    pub x: f32,
    /// Its upper edge.
    pub y: f32,
    /// How high a capital letter is.
    pub size: f32,
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// For how long, of the game's time; 0 for one frame.
    pub seconds: f32,
    /// The text.
    pub text: EventText,
}

/// What scripts may send.
pub(crate) const SCHEMAS: [EventSchema; 7] = [
    event_schema!(
        DrawLine, "draw_line", "draws a line for some seconds",
        { from: Vector3, to: Vector3, color: Vector3, seconds: Number }
    ),
    event_schema!(
        DrawBox, "draw_box", "draws the edges of a box for some seconds",
        { center: Vector3, size: Vector3, color: Vector3, seconds: Number }
    ),
    event_schema!(
        DrawSphere, "draw_sphere", "draws a sphere as three circles for some seconds",
        { center: Vector3, radius: Number, color: Vector3, seconds: Number }
    ),
    event_schema!(
        DrawCross, "draw_cross", "draws a cross for some seconds",
        { at: Vector3, size: Number, color: Vector3, seconds: Number }
    ),
    event_schema!(
        DrawScreenLine, "draw_screen_line", "draws a line on the screen for some seconds, in pixels",
        { x: Number, y: Number, to_x: Number, to_y: Number, color: Vector3, seconds: Number }
    ),
    event_schema!(
        DrawText, "draw_text", "draws a text above a place for some seconds, its letters of a size in metres",
        { at: Vector3, text: Text, size: Number, color: Vector3, seconds: Number }
    ),
    event_schema!(
        DrawScreenText, "draw_screen_text",
        "draws a text on the screen for some seconds, its place and its size in pixels",
        { x: Number, y: Number, text: Text, size: Number, color: Vector3, seconds: Number }
    ),
];
