//! The states that a layer plays.

use bytemuck::{Pod, Zeroable};

use super::image::NONE;

/// The states that a layer plays at the most: the newest one, and those that are faded out.
pub(super) const SLOTS: usize = 4;

/// No transition led here.
const VIA_NONE: u16 = 0x7fff;

/// Nothing was passed yet, so that what is right at the beginning is still ahead.
const FRESH: u16 = 0x8000;

/// A state that is played.
///
/// # Memory
///
/// 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Slot {
    /// Where in the lap: the part, and how much of it is done.
    pub(super) phase: f32,
    /// How far it is faded in over the states before it.
    pub(super) fade: f32,
    /// How long it has been played, in seconds.
    pub(super) time: f32,
    /// Of all states; none where the slot is free.
    pub(super) state: u16,
    /// The transition that led here, and whether nothing was passed yet.
    pub(super) via: u16,
}

/// The states that a layer plays, the newest first.
///
/// # Memory
///
/// 64 bytes, which are a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct LayerSlots(pub(super) [Slot; SLOTS]);

impl Slot {
    /// No state.
    pub(super) const FREE: Self =
        Self { phase: 0.0, fade: 0.0, time: 0.0, state: NONE, via: VIA_NONE };

    /// Returns the number of the transition that led here.
    pub(super) fn transition(&self) -> Option<usize> {
        let number = self.via & !FRESH;
        (number != VIA_NONE).then_some(usize::from(number))
    }

    pub(super) const fn is_free(&self) -> bool {
        self.state == NONE
    }

    pub(super) const fn is_fresh(&self) -> bool {
        self.via & FRESH != 0
    }

    pub(super) const fn set_passed(&mut self) {
        self.via &= !FRESH;
    }
}

impl LayerSlots {
    /// Plays one state from its beginning.
    pub(super) fn new(state: u16) -> Self {
        let mut slots = Self([Slot::FREE; SLOTS]);
        slots.0[0] = Slot { state, fade: 1.0, via: VIA_NONE | FRESH, ..Slot::FREE };
        slots
    }

    /// Returns how many states are played.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.0.iter().position(Slot::is_free).unwrap_or(SLOTS)
    }

    /// Begins a state over the others. Where none is free, the oldest is dropped.
    pub(super) fn begin(&mut self, state: u16, transition: u16, phase: f32, is_fresh: bool) {
        self.0.rotate_right(1);
        let fresh = if is_fresh { FRESH } else { 0 };
        self.0[0] = Slot { phase, fade: 0.0, time: 0.0, state, via: transition | fresh };
    }

    /// Drops the states that a newer one is faded in over.
    pub(super) fn drop_covered(&mut self) {
        if let Some(at) = self.0.iter().position(|slot| slot.fade >= 1.0 && !slot.is_free()) {
            self.0[at].fade = 1.0;
            self.0[at + 1..].fill(Slot::FREE);
        }
    }

    /// Returns the weight of each state; together they are 1.
    #[inline]
    pub(super) fn weights(&self, len: usize) -> [f32; SLOTS] {
        let mut weights = [0.0; SLOTS];
        let mut rest = 1.0;
        for (at, weight) in weights[..len].iter_mut().enumerate() {
            let is_last = at + 1 == len;
            *weight = if is_last { rest } else { rest * self.0[at].fade };
            rest -= *weight;
        }
        weights
    }
}
