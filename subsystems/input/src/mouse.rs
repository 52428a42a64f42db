//! Where the mouse is and what it did.

/// The mouse in a frame, whatever it is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mouse {
    /// Where its cursor is, in pixels from the left upper corner of the window.
    pub position: [f32; 2],
    /// How far the mouse was moved in the frame, in its own units, to the right and down.
    pub delta: [f32; 2],
    /// How many lines the wheel was turned in the frame, to the right and up.
    pub wheel: [f32; 2],
}
