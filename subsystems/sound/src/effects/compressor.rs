//! A compressor: what is loud becomes quieter.

use loligo_ids::IdString32;

use super::within;
use crate::block::{BLOCK, Stereo};
use crate::level::{decibels, gain_of};

/// A compressor, as data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compression {
    /// The level from which on it works, in decibels, from -80 to 0.
    pub threshold: f32,
    /// By how many decibels the level has to rise for the output to rise by one, from 1 to 100.
    pub ratio: f32,
    /// The range around the threshold in which it sets in, in decibels, from 0 to 40.
    pub knee: f32,
    /// How soon it works, in seconds, from 0.0001 to 1.
    pub attack: f32,
    /// How soon it ends, in seconds, from 0.001 to 10.
    pub release: f32,
    /// What is added after it, in decibels, from -40 to 40.
    pub makeup: f32,
    /// The bus whose level counts in place of this one's: speech that makes music quieter.
    pub listen: Option<IdString32>,
}

/// Frames for which one gain is computed; it is reached by a line.
const PIECE: usize = 16;

/// The pieces of a block.
const PIECES: u32 = (BLOCK / PIECE) as u32;

/// A compressor at work.
#[derive(Debug)]
pub(crate) struct Compressor {
    now: Curve,
    /// What its curve becomes within the pieces that are left.
    to: Curve,
    left: u32,
    rate: f32,
    /// The level that is followed, in decibels.
    level: f32,
    gain: f32,
}

/// The numbers of a compressor at work.
#[derive(Clone, Copy, Debug)]
struct Curve {
    threshold: f32,
    /// How much of what is above it is taken away.
    slope: f32,
    knee: f32,
    makeup: f32,
    /// What is left of the distance to a level after a piece.
    attack: f32,
    release: f32,
}

impl Compression {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("threshold", self.threshold, [-80.0, 0.0], "from -80 to 0 decibels")?;
        within("ratio", self.ratio, [1.0, 100.0], "from 1 to 100")?;
        within("knee", self.knee, [0.0, 40.0], "from 0 to 40 decibels")?;
        within("attack", self.attack, [0.0001, 1.0], "from 0.0001 to 1 second")?;
        within("release", self.release, [0.001, 10.0], "from 0.001 to 10 seconds")?;
        within("makeup", self.makeup, [-40.0, 40.0], "from -40 to 40 decibels")
    }
}

impl Curve {
    fn new(compression: &Compression, rate: f32) -> Self {
        let left = |seconds: f32| libm::expf(-(PIECE as f32) / (seconds * rate));
        Self {
            threshold: compression.threshold,
            slope: 1.0 - 1.0 / compression.ratio,
            knee: compression.knee,
            makeup: compression.makeup,
            attack: left(compression.attack),
            release: left(compression.release),
        }
    }

    /// Goes a share of the way to another.
    fn toward(&self, to: &Self, share: f32) -> Self {
        let between = |now: f32, to: f32| now + (to - now) * share;
        Self {
            threshold: between(self.threshold, to.threshold),
            slope: between(self.slope, to.slope),
            knee: between(self.knee, to.knee),
            makeup: between(self.makeup, to.makeup),
            attack: between(self.attack, to.attack),
            release: between(self.release, to.release),
        }
    }
}

impl Compressor {
    pub(crate) fn new(compression: &Compression, rate: f32) -> Self {
        let now = Curve::new(compression, rate);
        let gain = gain_of(compression.makeup);
        Self { now, to: now, left: 0, rate, level: -144.0, gain }
    }

    /// Becomes another within a block.
    pub(crate) fn set(&mut self, compression: &Compression) {
        self.to = Curve::new(compression, self.rate);
        self.left = PIECES;
    }

    /// All channels have the same gain, so that nothing moves aside.
    pub(crate) fn process(&mut self, block: &mut [Stereo], aside: Option<f32>) {
        const { assert!(BLOCK.is_multiple_of(PIECE), "pieces are whole") };
        for first in (0..BLOCK).step_by(PIECE) {
            let piece = first..first + PIECE;
            let own = || {
                let samples = block.iter().flat_map(|pair| &pair.channels);
                let samples = samples.flat_map(|channel| &channel[piece.clone()]);
                samples.fold(0.0_f32, |peak, at| peak.max(at.abs()))
            };
            let to = self.follow(aside.unwrap_or_else(own));
            let step = (to - self.gain) / PIECE as f32;
            for channel in block.iter_mut().flat_map(|pair| &mut pair.channels) {
                for (sample, at) in channel[piece.clone()].iter_mut().zip(1_i32..) {
                    *sample *= self.gain + step * at as f32;
                }
            }
            self.gain = to;
        }
    }

    /// Follows a level for a piece, and returns the gain for it.
    fn follow(&mut self, peak: f32) -> f32 {
        if self.left > 0 {
            self.now = self.now.toward(&self.to, 1.0 / self.left as f32);
            self.left -= 1;
        }
        let Curve { threshold, slope, knee, makeup, attack, release } = self.now;
        let level = decibels(peak);
        let left = if level > self.level { attack } else { release };
        self.level = level + (self.level - level) * left;
        let over = self.level - threshold;
        let less = if over * 2.0 <= -knee {
            0.0
        } else if over * 2.0 < knee {
            let into = over + knee * 0.5;
            slope * into * into / (2.0 * knee)
        } else {
            slope * over
        };
        gain_of(makeup - less)
    }
}
