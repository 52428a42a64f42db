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

/// A compressor at work.
#[derive(Debug)]
pub(crate) struct Compressor {
    compression: Compression,
    /// What is left of the distance to a level after a piece.
    attack: f32,
    release: f32,
    /// The level that is followed, in decibels.
    level: f32,
    gain: f32,
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

impl Compressor {
    pub(crate) fn new(compression: &Compression, rate: f32) -> Self {
        let left = |seconds: f32| libm::expf(-(PIECE as f32) / (seconds * rate));
        Self {
            compression: *compression,
            attack: left(compression.attack),
            release: left(compression.release),
            level: -144.0,
            gain: gain_of(compression.makeup),
        }
    }

    pub(crate) fn process(&mut self, block: &mut Stereo, aside: Option<f32>) {
        let [left, right] = &mut block.channels;
        let pieces = left.chunks_exact_mut(PIECE).zip(right.chunks_exact_mut(PIECE));
        for (left, right) in pieces {
            let own = || left.iter().chain(&*right).fold(0.0_f32, |peak, at| peak.max(at.abs()));
            let to = self.follow(aside.unwrap_or_else(own));
            let step = (to - self.gain) / PIECE as f32;
            for (at, (left, right)) in left.iter_mut().zip(right).enumerate() {
                let gain = self.gain + step * (at + 1) as f32;
                *left *= gain;
                *right *= gain;
            }
            self.gain = to;
        }
        const { assert!(BLOCK.is_multiple_of(PIECE), "pieces are whole") };
    }

    /// Follows a level for a piece, and returns the gain for it.
    fn follow(&mut self, peak: f32) -> f32 {
        let level = decibels(peak);
        let left = if level > self.level { self.attack } else { self.release };
        self.level = level + (self.level - level) * left;
        let Compression { threshold, ratio, knee, makeup, .. } = self.compression;
        let over = self.level - threshold;
        let slope = 1.0 - 1.0 / ratio;
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
