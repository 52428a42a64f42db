//! A sound that plays.

use bytemuck::{Pod, Zeroable};
use loligo_ids::{IdString32, IdString64};

use crate::tree::SoundTree;

/// A sound that plays, apart from its parts and parameters. Plain data, saved as it is.
///
/// # Memory
///
/// 88 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Instance {
    /// The sound that it is of.
    pub(super) name: IdString64,
    pub(super) owner: u32,
    pub(super) flags: u32,
    pub(super) bus: u32,
    pub(super) group: u32,
    pub(super) priority: u32,
    /// How many of its parts are not over.
    pub(super) parts: u32,
    pub(super) fade_out: f32,
    pub(super) distance: [f32; 2],
    pub(super) place: [f32; 3],
    pub(super) speed: f32,
    pub(super) gain: Ramp,
    /// What is left of it while it fades out.
    pub(super) share: Ramp,
    /// The second of their waves at which its parts are to begin.
    pub(super) sought: f32,
}

/// A number that goes to another one by a line.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Ramp {
    pub(super) now: f32,
    pub(super) to: f32,
    /// How far it goes in a second; 0: at once.
    pub(super) rate: f32,
}

const _: () = assert!(size_of::<Instance>() == 88, "as its documentation says");

impl Instance {
    /// It begins with the next step.
    pub(super) const STARTING: u32 = 1;
    /// It is somewhere; else it is heard in the middle.
    pub(super) const PLACED: u32 = 2;
    pub(super) const PAUSED: u32 = 4;
    /// It fades out, and ends then.
    pub(super) const STOPPING: u32 = 8;
    /// Its parameters have changed since the last step.
    pub(super) const CHANGED: u32 = 16;
    /// All flags.
    pub(super) const FLAGS: u32 = 31;

    pub(super) const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    pub(super) const fn set(&mut self, flags: u32, is_set: bool) {
        self.flags = if is_set { self.flags | flags } else { self.flags & !flags };
    }

    /// Takes from a sound what concerns it as a whole.
    pub(super) fn take(&mut self, tree: &SoundTree<'_>) {
        self.bus = tree.bus().hash();
        self.group = tree.group().map_or(0, IdString32::hash);
        self.priority = tree.priority();
        self.fade_out = tree.fade_out();
        self.distance = tree.distance();
        self.set(Self::CHANGED, true);
    }

    /// How loud it is made by the game, without its parts.
    pub(super) fn loudness(&self) -> f32 {
        self.gain.now * self.share.now
    }

    /// Returns whether what was loaded is a state that a sound may have.
    pub(super) fn is_sound(&self) -> bool {
        let Self { distance, place, gain, share, .. } = self;
        let numbers = [self.fade_out, self.speed, self.sought, distance[0], distance[1]];
        let ramps = [gain.now, gain.to, gain.rate, share.now, share.to, share.rate];
        self.flags & !Self::FLAGS == 0
            && numbers.iter().chain(place).chain(&ramps).all(|number| number.is_finite())
            && numbers.iter().all(|number| *number >= 0.0)
    }
}

impl Ramp {
    pub(super) const fn at(now: f32) -> Self {
        Self { now, to: now, rate: 0.0 }
    }

    /// Goes to a number within some seconds.
    pub(super) fn go(&mut self, to: f32, seconds: f32) {
        self.to = to;
        self.rate = if seconds > 0.0 { (to - self.now).abs() / seconds } else { 0.0 };
        if self.rate == 0.0 {
            self.now = to;
        }
    }

    pub(super) fn step(&mut self, seconds: f32) {
        let left = self.to - self.now;
        let way = self.rate * seconds;
        self.now = if way >= left.abs() { self.to } else { self.now + way * left.signum() };
    }

    pub(super) fn is_there(&self) -> bool {
        self.now == self.to
    }
}
