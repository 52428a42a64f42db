//! A voice: a wave that is being played.

use core::f32::consts::TAU;

use loligo_allocators::Allocator;

use super::buses::finite_or;
use super::settings::Play;
use super::{VoiceId, WaveId};
use crate::block::{BLOCK, Stereo, add_ramp};
use crate::signal::{Kernels, SPEED_MAX, Step, resample, window_len};
use crate::wave::{Reading, Wave};

/// A wave that is being played.
///
/// # Memory
///
/// 96 bytes: two cache lines a block.
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
    /// What a low-pass filter takes of the distance in a frame, now and at the end of the next block.
    low: [f32; 2],
    low_state: [f32; 2],
    seek_to: u32,
    fade: Fade,
    is_looped: bool,
    has_wrapped: bool,
    has_begun: bool,
    is_rendered: bool,
}

const _: () = assert!(size_of::<Voice>() == 96, "as its documentation says");

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
            at: u64::from(play.from.min(wave.frames())) << 32,
            step: Step::new(wave.rate(), mixer_rate, finite_or(play.speed, 1.0)),
            wait: play.wait,
            after: play.after,
            rate: wave.rate(),
            heard: gains.map(|gain| gain * share),
            gains,
            share,
            share_to: share,
            share_step: 0.0,
            low: [1.0; 2],
            low_state: [0.0; 2],
            seek_to: 0,
            fade: Fade::Stay,
            is_looped: play.is_looped && wave.loop_range().is_some(),
            has_wrapped: false,
            has_begun: false,
            is_rendered: false,
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
        if !frequency.is_finite() {
            return;
        }
        let share = frequency.max(0.0) / mixer_rate as f32;
        self.low[1] = if share >= 0.5 { 1.0 } else { 1.0 - libm::expf(-TAU * share) };
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
        out: &mut Stereo,
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
        self.has_begun = true;
        let first = self.wait as usize;
        self.wait = 0;
        let share = self.next_share();
        let to = self.gains.map(|gain| gain * share);
        let ramps = [0, 1].map(|side| [self.heard[side], to[side]]);
        if ramps != [[0.0; 2]; 2] {
            self.mix(wave, kernels, windows, first, out, ramps);
        }
        self.heard = to;
        self.low[0] = self.low[1];
        let over_at = self.over_at(wave, first);
        self.advance(wave, (BLOCK - first) as u64);
        Left { goes_on: !self.has_ended(wave, kernels), over_at }
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

    /// Computes the samples of a block from `first` on, and adds them.
    fn mix<A: Allocator + ?Sized>(
        &mut self,
        wave: &Wave<'_, A>,
        kernels: &Kernels<'_, A>,
        windows: [&mut [f32]; 2],
        first: usize,
        out: &mut Stereo,
        ramps: [[f32; 2]; 2],
    ) {
        let kernel = kernels.at(self.step.ratio());
        let taps = kernel.taps();
        let len = window_len(taps, self.at as u32, self.step, BLOCK - first);
        let from = (self.at >> 32) as i64 - (taps as i64 / 2 - 1);
        let reading = Reading { is_looped: self.is_looped, is_wrapped: self.has_wrapped };
        let mut samples = [0.0; BLOCK];
        for (channel, window) in (0..wave.channels()).zip(windows) {
            let window = &mut window[..len];
            wave.read(channel, from, reading, window);
            resample(window, kernel, self.at as u32, self.step, &mut samples[first..]);
            if self.low != [1.0; 2] {
                self.low_pass(channel as usize, &mut samples[first..]);
            }
            if wave.channels() == 1 {
                let [left, right] = &mut out.channels;
                add_ramp(left, &samples, ramps[0]);
                add_ramp(right, &samples, ramps[1]);
            } else {
                let side = channel as usize;
                add_ramp(&mut out.channels[side], &samples, ramps[side]);
            }
        }
    }

    /// Takes away what is high, by a share of the distance that changes over the block.
    fn low_pass(&mut self, channel: usize, samples: &mut [f32]) {
        let [begin, end] = self.low;
        let step = (end - begin) * (1.0 / BLOCK as f32);
        let state = &mut self.low_state[channel];
        for (sample, at) in samples.iter_mut().zip(0_i32..) {
            *state += (begin + step * at as f32) * (*sample - *state);
            *sample = *state;
        }
        if state.abs() < 1e-15 {
            *state = 0.0;
        }
    }

    /// Goes on by a number of frames, around the loop and to where it was sent.
    fn advance<A: Allocator + ?Sized>(&mut self, wave: &Wave<'_, A>, frames: u64) {
        self.at += self.step.bits() * frames;
        if self.fade == Fade::Seek && self.share == 0.0 {
            self.at = u64::from(self.seek_to.min(wave.frames())) << 32;
            self.has_wrapped = false;
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
            // What is after the last sample is computed from it as well.
            let after = kernels.at(self.step.ratio()).taps() as u64 / 2;
            !self.is_looped && self.at >> 32 >= u64::from(wave.frames()) + after
        };
        (self.fade == Fade::Stop && self.share == 0.0) || is_over()
    }
}
