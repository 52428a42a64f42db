//! What a voice of 5.1 has besides left and right.

use super::buses::finite_or;
use crate::block::{Stereo, add_ramp};
use crate::space::Placement;

/// The gains of a voice on the four channels that stereo does not have: centre, low frequencies, left and right
/// at the back. Mixers in stereo have none of these.
///
/// # Memory
///
/// 32 bytes a voice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// How loud it was at the end of the last block, all counted.
    heard: [f32; 4],
    gains: [f32; 4],
}

impl Around {
    pub(super) const SILENT: Self = Self { heard: [0.0; 4], gains: [0.0; 4] };

    /// Takes the gains of a placement. One that has not begun is there at once, at the share with which it begins.
    pub(super) fn set(&mut self, placement: &Placement, begins_at: Option<f32>) {
        for (gain, to) in self.gains.iter_mut().zip(&placement.gains[2..]) {
            *gain = finite_or(*to, *gain);
        }
        if let Some(share) = begins_at {
            self.heard = self.gains.map(|gain| gain * share);
        }
    }

    /// Goes to a share of the gains, and returns the gains before and after.
    pub(super) fn next(&mut self, share: f32) -> [[f32; 2]; 4] {
        let before = self.heard;
        self.heard = self.gains.map(|gain| gain * share);
        core::array::from_fn(|at| [before[at], self.heard[at]])
    }
}

/// Adds samples to the channels around a listener: all of them, or of a side half to those in the middle.
pub(super) fn add_around(
    out: &mut [Stereo],
    samples: &[f32],
    ramps: &[[f32; 2]; 4],
    side: Option<usize>,
) {
    for (channel, ramp) in ramps.iter().enumerate() {
        let share = match side {
            None => 1.0,
            Some(_) if channel < 2 => 0.5,
            Some(side) => f32::from(u8::from(channel % 2 == side)),
        };
        let ramp = ramp.map(|gain| gain * share);
        if ramp != [0.0; 2]
            && let Some(pair) = out.get_mut(1 + channel / 2)
        {
            add_ramp(&mut pair.channels[channel % 2], samples, ramp);
        }
    }
}
