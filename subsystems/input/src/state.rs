//! What became of an action or an axis.

use loligo_ids::IdString32;

/// An action: how many of its bindings are down, and in which frame it was pressed and released
/// last. Frames are numbered, so that nothing is reset when one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action {
    pub(crate) name: IdString32,
    pub(crate) down: u32,
    pub(crate) pressed: u64,
    pub(crate) released: u64,
}

impl Action {
    pub(crate) const fn new(name: IdString32) -> Self {
        Self { name, down: 0, pressed: 0, released: 0 }
    }

    /// A binding goes down.
    pub(crate) const fn begin(&mut self, frame: u64) {
        if self.down == 0 {
            self.pressed = frame;
        }
        self.down += 1;
    }

    /// A binding that was down goes up.
    pub(crate) const fn end(&mut self, frame: u64) {
        self.down = self.down.saturating_sub(1);
        if self.down == 0 {
            self.released = frame;
        }
    }
}

const _: () = assert!(size_of::<Action>() == 24, "the doc of `Input` states it");
const _: () = assert!(size_of::<Axis>() == 24, "the doc of `Input` states it");

/// An axis: its value by keys and sticks, and how far it was moved in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) name: IdString32,
    /// The largest positive value of its bindings.
    plus: f32,
    /// The size of the largest negative one.
    minus: f32,
    motion: f32,
    /// The frame of the motion.
    moved: u64,
}

impl Axis {
    pub(crate) const fn new(name: IdString32) -> Self {
        Self { name, plus: 0.0, minus: 0.0, motion: 0.0, moved: 0 }
    }

    /// Forgets the values of keys and sticks.
    pub(crate) const fn rest(&mut self) {
        (self.plus, self.minus) = (0.0, 0.0);
    }

    /// Takes the value of a binding into account: of several in one direction the largest counts,
    /// and opposite ones cancel.
    pub(crate) const fn hold(&mut self, value: f32) {
        self.plus = self.plus.max(value);
        self.minus = self.minus.max(-value);
    }

    /// Adds a motion to those of the frame.
    pub(crate) const fn add(&mut self, motion: f32, frame: u64) {
        let before = if self.moved == frame { self.motion } else { 0.0 };
        (self.motion, self.moved) = (before + motion, frame);
    }

    pub(crate) const fn value(&self, frame: u64) -> f32 {
        let motion = if self.moved == frame { self.motion } else { 0.0 };
        self.plus - self.minus + motion
    }
}
