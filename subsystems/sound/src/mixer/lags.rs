//! How much later ears hear a voice.

use crate::signal::Step;

/// The most by which a delay changes in a block, in frames: a sixteenth of it, which is not heard as a pitch.
const GLIDE: u64 = 8;

/// The samples by which a window is longer for what glides.
pub(super) const LAG_MAX: usize = GLIDE as usize * crate::signal::SPEED_MAX as usize;

/// The longest delay in seconds: around a head of three metres.
const SECONDS_MAX: f32 = 0.01;

/// How much later each ear hears a voice than it is played.
///
/// A delay is a place further back in the wave, so it needs no memory of what was heard, and is exact between
/// samples. It glides by at most a sixteenth of a block at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lags {
    /// The delays that they go to, in frames of the mixer with 16 bits after the point.
    to: [u32; 2],
    /// The delays now, in samples of the wave with 16 bits after the point.
    now: [u32; 2],
}

impl Lags {
    pub(super) const NONE: Self = Self { to: [0; 2], now: [0; 2] };

    /// Sets delays in seconds.
    pub(super) fn set(&mut self, delays: [f32; 2], mixer_rate: u32) {
        for (to, delay) in self.to.iter_mut().zip(delays) {
            if delay.is_finite() {
                *to = (delay.clamp(0.0, SECONDS_MAX) * mixer_rate as f32 * 65_536.0) as u32;
            }
        }
    }

    /// Goes on by a block, and returns the delays before and after it. What begins is there at once.
    pub(super) fn next(&mut self, step: Step, begins: bool) -> [[u32; 2]; 2] {
        if self.to == [0; 2] && self.now == [0; 2] {
            return [[0; 2]; 2];
        }
        let most = ((step.bits() >> 16) * GLIDE) as u32;
        [0, 1].map(|side| {
            let wanted = ((u64::from(self.to[side]) * (step.bits() >> 16)) >> 16) as u32;
            let now = if begins { wanted } else { self.now[side] };
            let next = wanted.clamp(now.saturating_sub(most), now.saturating_add(most));
            self.now[side] = next;
            [now, next]
        })
    }

    /// The longest delay now, in whole samples of the wave.
    pub(super) fn frames(&self) -> u32 {
        self.now[0].max(self.now[1]).div_ceil(1 << 16)
    }
}
