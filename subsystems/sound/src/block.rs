//! A block of frames.

/// The frames that are computed at a time; what is set takes effect at the next of these.
pub const BLOCK: usize = 128;

/// The most pairs of channels: 5.1 is three.
pub(crate) const PAIRS_MAX: usize = 3;

/// The samples of a block of two channels. A bus of stereo is one of these, and one of 5.1 three: left and
/// right, centre and low, left and right at the back.
#[derive(Clone, Debug)]
pub(crate) struct Stereo {
    pub(crate) channels: [[f32; BLOCK]; 2],
}

impl Stereo {
    pub(crate) const SILENCE: Self = Self { channels: [[0.0; BLOCK]; 2] };

    /// Adds a block, whose gain goes from one to another by a line.
    pub(crate) fn add(&mut self, other: &Self, gains: [f32; 2]) {
        for (to, from) in self.channels.iter_mut().zip(&other.channels) {
            add_ramp(to, from, gains);
        }
    }

    /// The highest sample on either side, without its sign.
    pub(crate) fn peak(&self) -> f32 {
        self.channels.iter().flatten().fold(0.0, |peak, sample| peak.max(sample.abs()))
    }
}

/// The highest sample of all pairs of a bus, without its sign.
pub(crate) fn peak_of(pairs: &[Stereo]) -> f32 {
    pairs.iter().map(Stereo::peak).fold(0.0, f32::max)
}

/// Adds samples, times a gain that goes from one to another by a line over a whole block.
#[inline]
pub(crate) fn add_ramp(to: &mut [f32], from: &[f32], [begin, end]: [f32; 2]) {
    if begin == end {
        for (to, from) in to.iter_mut().zip(from) {
            *to += from * begin;
        }
        return;
    }
    let step = (end - begin) * (1.0 / BLOCK as f32);
    // An index of 32 bits, and signed: those are floats by one instruction.
    for ((to, from), at) in to.iter_mut().zip(from).zip(0_i32..) {
        *to += from * (begin + step * at as f32);
    }
}
