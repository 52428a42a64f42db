//! A voice: a wave that is being played.

use loligo_allocators::Allocator;

use super::around::Around;
use super::buses::finite_or;
use super::lags::Lags;
use super::mixing::{Mixing, mix};
use super::settings::Play;
use super::{VoiceId, WaveId};
use crate::block::{BLOCK, Stereo};
use crate::signal::{Kernels, SPEED_MAX, Step, low_pass_share};
use crate::space::{OPEN, Placement};
use crate::wave::{Reading, Supply, Wave};

/// A wave that is being played.
///
/// # Memory
///
/// 120 bytes: two cache lines a block.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    pub(super) wave: WaveId,
    pub(super) bus: u32,
    /// Where it is in its wave, in frames with 32 bits after the point.
    at: u64,
    step: Step,
    /// The frames that it waits for before it begins, and the voice after whose end.
    wait: u32,
    after: Option<VoiceId>,
    rate: u32,
    /// How loud it was at the end of the last block on either side, all counted.
    heard: [f32; 2],
    gains: [f32; 2],
    /// The share of the gains that it has, that it goes to, and by how much a block.
    share: f32,
    share_to: f32,
    share_step: f32,
    /// What a low-pass filter takes of the distance in a frame on either side, now and at the end of the next
    /// block.
    low: [[f32; 2]; 2],
    low_state: [f32; 2],
    lags: Lags,
    seek_to: u32,
    fade: Fade,
    is_looped: bool,
    has_wrapped: bool,
    has_begun: bool,
    is_rendered: bool,
    /// Nothing of its stream was there.
    is_starved: bool,
}

const _: () = assert!(size_of::<Voice>() == 120, "as its documentation says");

/// What is left of a voice after a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub(super) goes_on: bool,
    /// The frame at which another may begin.
    pub(super) over_at: Option<u32>,
}

impl Left {
    /// Of a voice whose wave is gone.
    pub(super) const NOTHING: Self = Self { goes_on: false, over_at: Some(0) };
}

/// What comes after a fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fade {
    /// It goes on as it is.
    Stay,
    /// It has ended.
    Stop,
    /// It waits until it is to go on.
    Pause,
    /// It goes on at another frame.
    Seek,
}

impl Voice {
    pub(super) fn new<A: Allocator + ?Sized>(
        play: &Play,
        wave: &Wave<'_, A>,
        bus: u32,
        mixer_rate: u32,
    ) -> Self {
        let gains = play.gains.map(|gain| finite_or(gain, 0.0));
        let share = if play.fade == 0 { 1.0 } else { 0.0 };
        let mut voice = Self {
            wave: play.wave,
            bus,
            at: if wave.is_streamed() { 0 } else { u64::from(play.from.min(wave.frames())) << 32 },
            step: Step::new(wave.rate(), mixer_rate, finite_or(play.speed, 1.0)),
            wait: play.wait,
            after: play.after,
            rate: wave.rate(),
            heard: gains.map(|gain| gain * share),
            gains,
            share,
            share_to: share,
            share_step: 0.0,
            low: [[1.0; 2]; 2],
            low_state: [0.0; 2],
            lags: Lags::NONE,
            seek_to: 0,
            fade: Fade::Stay,
            is_looped: play.is_looped && wave.loop_range().is_some(),
            has_wrapped: false,
            has_begun: false,
            is_rendered: false,
            is_starved: false,
        };
        if play.fade > 0 {
            voice.fade_to(1.0, play.fade, Fade::Stay);
        }
        voice
    }

    /// Goes to a share of its gains over a number of frames.
    pub(super) fn fade_to(&mut self, share: f32, frames: u32, fade: Fade) {
        // One that has stopped stays stopped, and one that waits is not heard and stops at once.
        if self.fade == Fade::Stop {
            return;
        }
        let blocks = (frames as f32 / BLOCK as f32).max(1.0);
        self.share_to = share;
        self.share_step = (share - self.share) / blocks;
        self.fade = fade;
    }

    pub(super) fn set_paused(&mut self, is_paused: bool) {
        match (is_paused, self.fade) {
            (true, Fade::Stay | Fade::Seek) => self.fade_to(0.0, 0, Fade::Pause),
            (false, Fade::Pause) => self.fade_to(1.0, 0, Fade::Stay),
            _ => {}
        }
    }

    pub(super) fn set_gains(&mut self, gains: [f32; 2]) {
        for (gain, to) in self.gains.iter_mut().zip(gains) {
            *gain = finite_or(to, *gain);
        }
    }

    pub(super) fn set_speed(&mut self, speed: f32, mixer_rate: u32) {
        if speed.is_finite() {
            self.step = Step::new(self.rate, mixer_rate, speed.clamp(0.0, SPEED_MAX));
        }
    }

    pub(super) fn set_low_pass(&mut self, frequency: f32, mixer_rate: u32) {
        self.set_low_passes([frequency; 2], mixer_rate);
    }

    fn set_low_passes(&mut self, frequencies: [f32; 2], mixer_rate: u32) {
        for (low, frequency) in self.low.iter_mut().zip(frequencies) {
            if frequency.is_finite() {
                low[1] = low_pass_share(frequency, mixer_rate);
            }
        }
    }

    pub(super) fn place(&mut self, placement: &Placement, mixer_rate: u32) {
        self.set_gains([placement.gains[0], placement.gains[1]]);
        self.set_speed(placement.speed, mixer_rate);
        // What a placement leaves open has no filter, also where half the rate is more.
        let low_pass = placement.low_pass.map(|low| if low >= OPEN { f32::MAX } else { low });
        self.set_low_passes(low_pass, mixer_rate);
        self.lags.set(placement.delays, mixer_rate);
        if let Some(share) = self.begins_at() {
            self.heard = self.gains.map(|gain| gain * share);
            self.low = self.low.map(|[_, end]| [end; 2]);
        }
    }

    /// The share of its gains with which it begins, unless it has.
    pub(super) fn begins_at(&self) -> Option<f32> {
        (!self.has_begun).then_some(self.share)
    }

    pub(super) fn seek(&mut self, frame: u32) {
        self.seek_to = frame;
        self.fade_to(0.0, 0, Fade::Seek);
    }

    pub(super) const fn frame(&self) -> u32 {
        (self.at >> 32) as u32
    }

    /// The voice after whose end it begins.
    pub(super) const fn after(&self) -> Option<VoiceId> {
        self.after
    }

    /// Begins at a frame of this block, since what it waited for has ended there.
    pub(super) fn begin_at(&mut self, frame: u32) {
        self.after = None;
        self.wait = self.wait.saturating_add(frame);
    }

    /// Returns whether it is to be computed in this block, of which it was not yet.
    pub(super) const fn is_due(&self) -> bool {
        self.after.is_none() && !self.is_rendered
    }

    pub(super) const fn begin_block(&mut self) {
        self.is_rendered = false;
    }

    /// Adds a block of it to a bus, and returns what is left of it.
    pub(super) fn render<A: Allocator + ?Sized>(
        &mut self,
        wave: &Wave<'_, A>,
        kernels: &Kernels<'_, A>,
        windows: [&mut [f32]; 2],
        around: Option<&mut Around>,
        out: &mut [Stereo],
    ) -> Left {
        self.is_rendered = true;
        if self.fade == Fade::Stop && !self.has_begun {
            return Left::NOTHING;
        }
        if self.wait as usize >= BLOCK {
            self.wait -= BLOCK as u32;
            return Left { goes_on: true, over_at: None };
        }
        if self.fade == Fade::Pause && self.share == 0.0 {
            return Left { goes_on: true, over_at: None };
        }
        let supply = self.supply(wave, kernels);
        if supply == Supply::None {
            return self.starve(wave, around);
        }
        let first = self.wait as usize;
        self.wait = 0;
        let mut share = self.next_share();
        // Of a stream that is late the last block fades out, and the next one to come fades in.
        self.is_starved = supply == Supply::Last;
        if self.is_starved {
            wave.note_underrun();
            share = 0.0;
        }
        let to = self.gains.map(|gain| gain * share);
        let ramps = [0, 1].map(|side| [self.heard[side], to[side]]);
        let around = around.map(|around| around.next(share));
        let lags = self.lags.next(self.step, !self.has_begun);
        self.has_begun = true;
        if ramps != [[0.0; 2]; 2] || around.is_some_and(|ramps| ramps != [[0.0; 2]; 4]) {
            let reading = Reading { is_looped: self.is_looped, is_wrapped: self.has_wrapped };
            let (at, step, low) = (self.at, self.step, self.low);
            let mixing = Mixing { at, step, first, reading, lags, low, ramps, around };
            mix(&mixing, wave, kernels, windows, &mut self.low_state, out);
        }
        self.heard = to;
        self.low = self.low.map(|[_, end]| [end; 2]);
        let over_at = self.over_at(wave, first);
        self.advance(wave, (BLOCK - first) as u64);
        if wave.is_streamed() {
            let before = kernels.taps_max() as u64 + u64::from(self.lags.frames());
            wave.release((self.at >> 32).saturating_sub(before));
        }
        Left { goes_on: !self.has_ended(wave, kernels), over_at }
    }

    /// Returns how much there is of what it needs.
    fn supply<A: Allocator + ?Sized>(
        &self,
        wave: &Wave<'_, A>,
        kernels: &Kernels<'_, A>,
    ) -> Supply {
        if !wave.is_streamed() {
            return Supply::Enough;
        }
        let most = BLOCK as u64 * SPEED_MAX as u64;
        let now = (self.at + self.step.bits() * BLOCK as u64) >> 32;
        match wave.supply(now + kernels.taps_max() as u64, most) {
            // One that has to wait waits until there is enough to go on with.
            Supply::Last if self.is_starved || !self.has_begun => Supply::None,
            supply => supply,
        }
    }

    /// Waits for its stream, in silence.
    fn starve<A: Allocator + ?Sized>(
        &mut self,
        wave: &Wave<'_, A>,
        around: Option<&mut Around>,
    ) -> Left {
        if self.has_begun && !self.is_starved {
            wave.note_underrun();
        }
        self.is_starved = self.has_begun;
        if self.has_begun {
            self.heard = [0.0; 2];
            around.map(|around| around.next(0.0));
        }
        // What is stopped or sent elsewhere has nothing to fade.
        if self.fade == Fade::Stop {
            return Left::NOTHING;
        }
        Left { goes_on: true, over_at: None }
    }

    /// Returns the frame of the block at which its wave is over, if it is in this block.
    fn over_at<A: Allocator + ?Sized>(&self, wave: &Wave<'_, A>, first: usize) -> Option<u32> {
        let end = u64::from(wave.frames()) << 32;
        let left = end.checked_sub(self.at).filter(|_| !self.is_looped)?;
        let frame = first as u64 + left.checked_div(self.step.bits())?;
        let frame = frame + u64::from(!left.is_multiple_of(self.step.bits()));
        (frame < BLOCK as u64).then_some(frame as u32)
    }

    /// Goes a block on in its fade, and returns the share at its end.
    fn next_share(&mut self) -> f32 {
        let left = self.share_to - self.share;
        let is_there = left.abs() <= self.share_step.abs();
        self.share = if is_there { self.share_to } else { self.share + self.share_step };
        self.share
    }

    /// Goes on by a number of frames, around the loop and to where it was sent.
    fn advance<A: Allocator + ?Sized>(&mut self, wave: &Wave<'_, A>, frames: u64) {
        self.at += self.step.bits() * frames;
        if self.fade == Fade::Seek && self.share == 0.0 {
            if !wave.is_streamed() {
                self.at = u64::from(self.seek_to.min(wave.frames())) << 32;
                self.has_wrapped = false;
            }
            self.fade_to(1.0, 0, Fade::Stay);
        }
        let range = wave.loop_range().filter(|_| self.is_looped);
        if let Some([begin, end]) = range.map(|range| range.map(|frame| u64::from(frame) << 32))
            && self.at >= end
        {
            self.at = begin + (self.at - begin) % (end - begin);
            self.has_wrapped = true;
        }
    }

    /// Returns whether all of it was heard, or it was stopped.
    fn has_ended<A: Allocator + ?Sized>(
        &self,
        wave: &Wave<'_, A>,
        kernels: &Kernels<'_, A>,
    ) -> bool {
        let is_over = || {
            let frame = self.at >> 32;
            // What is after the last sample is computed from it as well, and an ear may hear it later.
            let after = || {
                let taps = kernels.at(self.step.ratio()).taps() as u64;
                taps / 2 + u64::from(self.lags.frames())
            };
            let frames = u64::from(wave.frames());
            !self.is_looped && frame >= frames && frame >= frames + after()
        };
        (self.fade == Fade::Stop && self.share == 0.0) || is_over()
    }
}
