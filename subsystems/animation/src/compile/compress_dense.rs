//! Compressing a clip with a key in each frame.
//!
//! All tracks are fitted together, again and again, each time with other tolerances: what moves skin that
//! is off too far has to be more exact, the rest may be less so.

use std::vec::Vec;

use loligo_allocators::Allocator;

use super::compress::{CompressedClip, Round, TrackSizes, Work};
use super::dense_body::DenseBody;
use super::dense_fit::DenseFit;
use super::dense_stream::{dense_bits, write_dense};
use super::error::CompressError;
use super::frame_walk::DenseRound;
use crate::clip::Track;

/// How far others may be of a bone that aims at one. Those that are far are moved away by as much as that one is
/// moved near, which is too much in some bodies and spares bytes in others: both are tried.
const AIMING: [f32; 2] = [0.5, 1.4];

impl Work<'_> {
    /// Compresses with a key in each frame. Returns nothing if that cannot be, or not within the bound.
    pub(super) fn dense(
        &self,
        memory: &dyn Allocator,
    ) -> Result<Option<CompressedClip>, CompressError> {
        let fits = AIMING.into_iter().filter_map(|others| self.dense_fit(others));
        let Some((found, tolerances, _)) = fits.min_by_key(|(_, _, bits)| *bits) else {
            return Ok(None);
        };
        let round = self.dense_round(&found, memory)?;
        if round.errors.max() > self.options.bound {
            return Ok(None);
        }
        self.compressed(&round, &tolerances, memory).map(Some)
    }

    /// Fits with a key in each frame; returns the best round, its tolerances, and its bits.
    fn dense_fit(&self, others: f32) -> Option<(DenseRound, Vec<f32>, usize)> {
        let Self { skeleton, clip, skin, tracks, options, .. } = self;
        let fit = DenseFit::new(DenseBody::new(skeleton, clip, skin, tracks, others)?);
        // A player computes in other steps, which is a thousandth at the most.
        let bound = 0.998 * options.bound;
        let mut tolerances = fit.tolerances(bound);
        let mut best: Option<(DenseRound, Vec<f32>, usize)> = None;
        let rounds = 4 * options.rounds;
        for number in 0..rounds + rounds / 2 {
            if number >= rounds && best.is_some() {
                break;
            }
            let round = fit.round(&tolerances, bound)?;
            let used = tolerances.clone();
            fit.adjust(&mut tolerances, &round, bound);
            if number >= rounds / 2 && best.is_none() {
                tolerances.iter_mut().for_each(|tolerance| *tolerance *= 0.95);
            }
            if round.error <= bound {
                let bits = dense_bits(&round.numbers);
                if best.as_ref().is_none_or(|(_, _, fewest)| bits < *fewest) {
                    best = Some((round, used, bits));
                }
            }
        }
        best
    }

    /// Writes a clip with a key in each frame, and measures it.
    fn dense_round(
        &self,
        found: &DenseRound,
        memory: &dyn Allocator,
    ) -> Result<Round, CompressError> {
        let mut parts = self.parts();
        for (source, codes) in self.tracks.moving.iter().zip(&found.codes) {
            // Numbers of all bits.
            parts.tracks.push(Track::pack((source.channel, source.bone), 6, *codes, source.base));
        }
        let bits = write_dense(&found.numbers, self.options.jump_ratio, &mut parts, memory)?;
        let sizes = bits.iter().zip(&found.numbers).map(|(bits, numbers)| TrackSizes {
            key_bytes: bits.div_ceil(8 * numbers.len().max(1)),
            keys: numbers.len(),
            bytes: bits.div_ceil(8),
        });
        let sizes = sizes.collect();
        self.played(parts, sizes, memory)
    }
}
