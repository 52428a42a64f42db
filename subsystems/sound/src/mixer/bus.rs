//! What a bus is.

use loligo_ids::IdString32;

use crate::effects::Effect;

/// A bus, as data: what flows in is changed by effects, one after the other, and flows into another bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bus<'b> {
    /// Its name.
    pub name: IdString32,
    /// The bus that it flows into, which is there already.
    pub into: IdString32,
    /// How loud it flows into that.
    pub gain: f32,
    /// What it does with what flows through it.
    pub effects: &'b [Effect],
    /// The buses that it flows into besides.
    pub sends: &'b [Send],
}

/// Where a bus flows to besides: to the bus of a room, for example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Send {
    /// The bus, which is there already.
    pub into: IdString32,
    /// How loud.
    pub gain: f32,
}

/// What a bus is and how loud it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusInfo {
    /// Its name.
    pub name: IdString32,
    /// The bus that it flows into; its own name if it is the last.
    pub into: IdString32,
    /// Its gain.
    pub gain: f32,
    /// The highest sample of the last block, after its effects.
    pub peak: f32,
    /// The highest sample of the last half second, with its gain; 0 as long as nobody asks by
    /// [`Mixer::set_metered`](crate::Mixer::set_metered).
    pub peak_held: f32,
    /// How loud the last 0.4 seconds were, with its gain, in LUFS by EBU R128; -144 if it is silent, or nobody asks.
    pub loudness: f32,
}

impl<'b> Bus<'b> {
    /// Returns a bus without effects that flows into the master bus.
    #[must_use]
    pub const fn new(name: IdString32) -> Self {
        Self { name, into: IdString32::new("master"), gain: 1.0, effects: &[], sends: &[] }
    }

    /// Returns it with effects.
    #[must_use]
    pub const fn with_effects(self, effects: &'b [Effect]) -> Self {
        Self { effects, ..self }
    }

    /// Returns it with sends.
    #[must_use]
    pub const fn with_sends(self, sends: &'b [Send]) -> Self {
        Self { sends, ..self }
    }
}
