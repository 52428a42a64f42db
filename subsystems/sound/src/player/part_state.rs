//! A part of a sound that plays: a wave and where it is in it, by the game's time.

use bytemuck::{Pod, Zeroable};
use loligo_ids::IdString64;

use super::wave_info::WaveInfo;
use crate::mixer::VoiceId;
use crate::signal::SPEED_MAX;
use crate::tree::{Part, Shape, SoundTree};

/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// What a part is saved as where nothing is quieter: a frequency that is above all that is heard.
const NO_LOW_PASS: f32 = 1e9;

/// A wave of a sound, and where it is in it. Plain data, saved as it is but for what is heard of it.
///
/// # Memory
///
/// 88 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PartState {
    pub(super) wave: IdString64,
    /// Where it is at the end of the step, in frames with 32 bits after the point.
    pub(super) at: u64,
    /// Where it was at the beginning of the step, or where it began within it.
    pub(super) from: u64,
    /// The nanoseconds that it waits for before it begins.
    pub(super) wait: u64,
    /// The bits of its voice; 0: it is not heard.
    pub(super) voice: u64,
    /// The bits of the id of its sound.
    pub(super) sound: u32,
    pub(super) node: u32,
    pub(super) flags: u32,
    decibels: f32,
    own_speed: f32,
    /// The seconds over which it fades in, and since when it plays.
    pub(super) fade: f32,
    pub(super) age: f32,
    pub(super) gain: f32,
    pub(super) speed: f32,
    pub(super) low_pass: f32,
    /// How loud it is heard.
    pub(super) loudness: f32,
    /// When in the step it began, in nanoseconds.
    pub(super) offset: u32,
}

const _: () = assert!(size_of::<PartState>() == 88, "as its documentation says");

impl PartState {
    /// The loop of its wave is followed.
    pub(super) const LOOPED: u32 = 1;
    /// It begins where the part before it ends.
    pub(super) const NEXT: u32 = 2;
    pub(super) const BEGUN: u32 = 4;
    /// It began in this step.
    pub(super) const NEW: u32 = 8;
    /// It began in this step where the part before it ended.
    pub(super) const JOINS: u32 = 16;
    pub(super) const OVER: u32 = 32;
    pub(super) const HAS_MARKERS: u32 = 64;
    /// It goes on elsewhere, which its voice does not know.
    pub(super) const SOUGHT: u32 = 128;
    /// Its voice is paused.
    pub(super) const IS_PAUSED: u32 = 256;
    /// Its voice fades out.
    pub(super) const IS_STOPPING: u32 = 512;
    pub(super) const FLAGS: u32 = 1023;
    /// What does not outlive a voice.
    pub(super) const OF_VOICE: u32 = Self::SOUGHT | Self::IS_PAUSED | Self::IS_STOPPING;

    pub(super) fn new(part: &Part, tree: &SoundTree<'_>, sound: u32) -> Self {
        let mut state = Self {
            wave: tree.waves()[part.wave as usize],
            sound,
            node: part.node,
            decibels: part.decibels,
            own_speed: part.speed,
            fade: part.fade,
            wait: (f64::from(part.delay) * SECOND as f64) as u64,
            ..Self::zeroed()
        };
        state.set(Self::LOOPED, part.is_looped);
        state.set(Self::NEXT, part.is_next);
        state.look(tree);
        state
    }

    pub(super) const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    pub(super) const fn set(&mut self, flags: u32, is_set: bool) {
        self.flags = if is_set { self.flags | flags } else { self.flags & !flags };
    }

    /// Has it go on, or begin, at a second of its wave.
    pub(super) fn seek(&mut self, seconds: f32, info: &WaveInfo) {
        let frame = f64::from(seconds) * f64::from(info.rate);
        self.at = ((frame * 4_294_967_296.0) as u64).min(u64::from(info.frames) << 32);
        self.set(Self::SOUGHT, self.has(Self::BEGUN));
    }

    /// Looks whether its wave has markers.
    pub(super) fn look(&mut self, tree: &SoundTree<'_>) {
        self.set(Self::HAS_MARKERS, !tree.markers(self.node).is_empty());
    }

    /// Returns it as [`SoundTree::shape`] takes it.
    pub(super) const fn part(&self) -> Part {
        Part {
            node: self.node,
            wave: 0,
            decibels: self.decibels,
            speed: self.own_speed,
            delay: 0.0,
            fade: self.fade,
            is_looped: self.has(Self::LOOPED),
            is_next: self.has(Self::NEXT),
        }
    }

    pub(super) const fn take(&mut self, shape: &Shape) {
        self.gain = shape.gain;
        self.speed = shape.speed;
        self.low_pass = shape.low_pass.min(NO_LOW_PASS);
    }

    pub(super) fn voice(&self) -> Option<VoiceId> {
        VoiceId::from_bits(self.voice)
    }

    pub(super) const fn forget_voice(&mut self) {
        self.voice = 0;
        self.set(Self::OF_VOICE, false);
    }

    /// Goes on for some nanoseconds of the game, times a speed. Calls `pass` with each piece of the wave that
    /// is passed, in frames with 32 bits after the point. Returns the nanoseconds that are left after the
    /// end of the wave, if that is reached.
    pub(super) fn advance(
        &mut self,
        info: &WaveInfo,
        nanoseconds: u64,
        speed: f32,
        mut pass: impl FnMut(u64, u64),
    ) -> Option<u64> {
        /// How often a loop is followed in a step with all of its markers.
        const TURNS_MAX: usize = 16;
        let speed = f64::from((self.speed * speed).clamp(0.0, SPEED_MAX));
        // Frames with 32 bits after the point, in a nanosecond.
        let rate = f64::from(info.rate) * speed * (4_294_967_296.0 / SECOND as f64);
        self.age += nanoseconds as f32 / SECOND as f32;
        let mut left = (nanoseconds as f64 * rate) as u64;
        let end = u64::from(info.frames) << 32;
        let range = info.loop_range.filter(|_| self.has(Self::LOOPED));
        let Some([begin, end]) = range.map(|range| range.map(|frame| u64::from(frame) << 32))
        else {
            let to = self.at.saturating_add(left);
            pass(self.at, to.min(end));
            self.at = to.min(end);
            let over = (to - self.at) as f64;
            let is_over = to >= end;
            return is_over.then(|| if rate > 0.0 { (over / rate) as u64 } else { 0 });
        };
        for _ in 0..TURNS_MAX {
            let to_end = end.saturating_sub(self.at);
            if left < to_end {
                break;
            }
            pass(self.at, end);
            (self.at, left) = (begin, left - to_end);
        }
        left %= end - begin;
        pass(self.at, self.at + left);
        self.at += left;
        None
    }

    /// Returns whether what was loaded is a state that a part may have.
    pub(super) fn is_part(&self) -> bool {
        let numbers = [
            self.decibels,
            self.own_speed,
            self.fade,
            self.age,
            self.gain,
            self.speed,
            self.low_pass,
            self.loudness,
        ];
        self.flags & !Self::FLAGS == 0
            && numbers.iter().all(|number| number.is_finite())
            && self.at < 1 << 63
            && self.wait < 1 << 62
    }
}
