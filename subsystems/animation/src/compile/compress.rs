//! Compressing a clip to a bound on the error of the skin.
//!
//! Each track is fitted to a separate tolerance; the skin is measured where all of them together move
//! it. Tracks of bones whose skin, or that of a bone below, is off too far get a smaller tolerance, others
//! a larger one, and all is fitted again. The smallest clip within the bound is the result.

use std::vec::Vec;

use loligo_allocators::Allocator;
use loligo_compiler::with_heap;
use loligo_containers::{BlobBytes, Endian};

use super::error::CompressError;
use super::fit::{FitTerms, fit, ranges_of, uniform_bytes};
use super::image::ClipParts;
use super::pack::pack;
use super::raw_clip::RawClip;
use super::raw_skeleton::RawSkeleton;
use super::skin::{RawSkin, SkinErrors};
use super::statistics::{ClipStatistics, TrackStatistics};
use super::stream::{FittedTrack, write_stream};
use super::track_source::TrackSource;
use super::tracks::Tracks;
use crate::clip::{Channel, Clip, KeyBits, Track};
use crate::skeleton::Skeleton;

/// How the keys of a clip are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipKeys {
    /// As takes fewer bytes.
    #[default]
    Smallest,
    /// As curves: keys where a curve needs them.
    Curves,
    /// A key in each frame, as differences; where a track jumps, it is a curve nevertheless.
    Dense,
}

/// How exact a clip is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressOptions {
    /// How far the skin may be off, in metres. The default is 0.0001, which is 0.01 cm.
    pub bound: f32,
    /// How far from each bone the skin is measured, in metres. The default is 0.03.
    pub skin_distance: f32,
    /// A jump frame comes after this many times its bytes of the stream: 8 are an eighth more bytes.
    /// 0 is none. The default is 8.
    pub jump_ratio: u32,
    /// How often all is fitted, at the most; four times as often if there is a key in each frame, which is
    /// faster. The default is 12.
    pub rounds: u32,
    /// How keys are stored. The default is what takes fewer bytes.
    pub keys: ClipKeys,
    /// The byte order of the machine that reads it.
    pub endian: Endian,
}

impl Default for CompressOptions {
    fn default() -> Self {
        Self {
            bound: 1.0e-4,
            skin_distance: 0.03,
            jump_ratio: 8,
            rounds: 12,
            keys: ClipKeys::Smallest,
            endian: Endian::NATIVE,
        }
    }
}

/// A clip that was compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedClip {
    /// The payload of a resource of type `clip`, ready to be played.
    pub bytes: Vec<u8>,
    /// The same with fewer bytes, for a file: [`StoredClip`](crate::StoredClip) expands it. None where that
    /// brings nothing.
    pub packed: Option<Vec<u8>>,
    /// What it became.
    pub statistics: ClipStatistics,
}

/// Compresses a clip for a skeleton.
///
/// # Complexity
///
/// O(rounds · tracks · frames · log frames).
///
/// # Errors
///
/// [`CompressError`] if the samples are not whole, or the bound cannot be kept.
pub fn compress(
    skeleton: &RawSkeleton,
    clip: &RawClip,
    options: &CompressOptions,
) -> Result<CompressedClip, CompressError> {
    skeleton.check()?;
    clip.check(skeleton)?;
    with_heap(|heap| {
        let bytes = skeleton.build_in(Endian::NATIVE, heap)?;
        let opened = Skeleton::open(&bytes);
        let opened = opened.map_err(|_| CompressError::Bones(skeleton.len()))?;
        let skin = RawSkin::new(&skeleton.parents, clip, options.skin_distance);
        let tracks = Tracks::new(skeleton, clip, &skin, options.bound);
        let work = Work { skeleton, opened, clip, options, skin, tracks };
        let dense = match options.keys {
            ClipKeys::Curves => None,
            ClipKeys::Smallest | ClipKeys::Dense => work.dense(heap)?,
        };
        match dense {
            Some(dense) if options.keys == ClipKeys::Dense => Ok(dense),
            None => work.curves(heap),
            // What is not within the bound as curves can be so with a key in each frame.
            Some(dense) => Ok(match work.curves(heap) {
                Ok(curves) if curves.bytes.len() < dense.bytes.len() => curves,
                _ => dense,
            }),
        }
    })
}

/// A clip under work.
pub(super) struct Work<'w> {
    pub(super) skeleton: &'w RawSkeleton,
    opened: Skeleton<'w>,
    pub(super) clip: &'w RawClip,
    pub(super) options: &'w CompressOptions,
    pub(super) skin: RawSkin,
    pub(super) tracks: Tracks,
}

/// What a round made.
pub(super) struct Round {
    parts: ClipParts,
    sizes: Vec<TrackSizes>,
    pub(super) errors: SkinErrors,
    bytes: usize,
}

/// What a track became.
pub(super) struct TrackSizes {
    pub(super) key_bytes: usize,
    pub(super) keys: usize,
    pub(super) bytes: usize,
}

impl Work<'_> {
    /// Compresses with keys where curves need them.
    fn curves(&self, memory: &dyn Allocator) -> Result<CompressedClip, CompressError> {
        let bound = self.options.bound;
        let mut tolerances = std::vec![0.4 * bound; self.tracks.moving.len()];
        let mut best: Option<(Round, Vec<f32>)> = None;
        for number in 0..2 * self.options.rounds {
            if number >= self.options.rounds && best.is_some() {
                break;
            }
            let round = self.round(&tolerances, memory)?;
            let is_within = round.errors.max() <= bound;
            let used = tolerances.clone();
            if number < self.options.rounds {
                self.adjust(&mut tolerances, &round.errors);
            } else {
                // None was within the bound yet: all have to be more exact.
                tolerances.iter_mut().for_each(|tolerance| *tolerance *= 0.7);
            }
            if is_within && best.as_ref().is_none_or(|(best, _)| round.bytes < best.bytes) {
                best = Some((round, used));
            }
        }
        if best.is_none() {
            let exact = std::vec![0.0; tolerances.len()];
            let round = self.round(&exact, memory)?;
            if round.errors.max() > bound {
                return Err(self.too_far(&round.errors));
            }
            best = Some((round, exact));
        }
        let Some((round, tolerances)) = best else { return Err(CompressError::Frames(0)) };
        self.compressed(&round, &tolerances, memory)
    }

    /// Returns what a round made as a resource, with its statistics.
    pub(super) fn compressed(
        &self,
        round: &Round,
        tolerances: &[f32],
        memory: &dyn Allocator,
    ) -> Result<CompressedClip, CompressError> {
        let CompressOptions { endian, jump_ratio, .. } = *self.options;
        let native = round.parts.build(Endian::NATIVE, memory)?;
        let clip = Clip::open(&native).map_err(|_| CompressError::Frames(0))?;
        let packed = pack(&clip, &round.parts, jump_ratio, endian, memory)?;
        let bytes = round.parts.build(endian, memory)?.to_vec();
        let stored = packed.as_ref().map_or(bytes.len(), Vec::len);
        let statistics = self.statistics(round, tolerances, stored);
        Ok(CompressedClip { bytes, packed, statistics })
    }

    /// Fits all tracks, and measures the clip that they make.
    fn round(&self, tolerances: &[f32], memory: &dyn Allocator) -> Result<Round, CompressError> {
        let Tracks { moving, lanes, groups, .. } = &self.tracks;
        let fitted: Vec<_> = moving
            .iter()
            .zip(lanes)
            .zip(tolerances)
            .map(|((source, lane), tolerance)| fit_track(source, *lane, *tolerance))
            .collect();
        let mut parts = self.parts();
        for (source, track) in moving.iter().zip(&fitted) {
            let place = (source.channel, source.bone);
            let bytes = track.bits.bytes() as u8;
            parts.tracks.push(Track::pack(place, bytes, source.range_codes, source.base));
        }
        let sizes = fitted.iter().map(|track| TrackSizes {
            key_bytes: track.bits.bytes(),
            keys: track.knots.len(),
            bytes: track.bytes(),
        });
        let sizes = sizes.collect();
        write_stream(&fitted, *groups, self.options.jump_ratio, &mut parts);
        self.played(parts, sizes, memory)
    }

    /// Returns what is the same however keys are stored.
    pub(super) fn parts(&self) -> ClipParts {
        let Tracks { moving, constants, .. } = &self.tracks;
        let mut parts = ClipParts {
            rate: self.clip.rate,
            last_frame: self.clip.frames(self.skeleton.len()) as u32 - 1,
            bones: self.skeleton.len() as u32,
            constant_places: constants.iter().map(|(place, _)| *place).collect(),
            constants: constants.iter().map(|(_, value)| *value).collect(),
            events: self.clip.events.clone(),
            ..ClipParts::default()
        };
        parts.events.sort_by(|a, b| a.frame.total_cmp(&b.frame));
        for source in moving {
            if let Some([x, y, z]) = source.drift {
                parts.drifts.push([Track::place(source.channel, source.bone), x, y, z]);
            }
        }
        parts
    }

    /// Plays a clip and measures it.
    pub(super) fn played(
        &self,
        parts: ClipParts,
        sizes: Vec<TrackSizes>,
        memory: &dyn Allocator,
    ) -> Result<Round, CompressError> {
        let blob: BlobBytes<'_> = parts.build(Endian::NATIVE, memory)?;
        let clip = Clip::open(&blob).map_err(|_| CompressError::Frames(0))?;
        let errors = self.skin.errors(&self.opened, &clip)?;
        Ok(Round { parts, sizes, errors, bytes: blob.len() })
    }

    /// Gives each track a tolerance by how far the worst skin is off that it moves, and by its share in
    /// the tolerances of all tracks that move that skin: one with more than the others gives more. Without
    /// that, a hand with a large tolerance makes the arm more exact, round after round.
    fn adjust(&self, tolerances: &mut [f32], errors: &SkinErrors) {
        let (bones, by_bone) = (self.skeleton.len(), errors.by_bone());
        // The worst bone among each bone and those below it.
        let mut worst: Vec<usize> = (0..bones).collect();
        for bone in (0..bones).rev() {
            if let Some(parent) = self.skeleton.parent(bone)
                && by_bone[worst[bone]] > by_bone[worst[parent]]
            {
                worst[parent] = worst[bone];
            }
        }
        // The tolerances of all tracks of a bone and those above, and how many they are.
        let mut chains = std::vec![(0.0, 0.0); bones];
        for (source, tolerance) in self.tracks.moving.iter().zip(&*tolerances) {
            chains[source.bone].0 += tolerance;
            chains[source.bone].1 += 1.0;
        }
        for bone in 0..bones {
            let above = self.skeleton.parent(bone).map_or((0.0, 0.0), |parent| chains[parent]);
            chains[bone] = (chains[bone].0 + above.0, chains[bone].1 + above.1);
        }
        for (source, tolerance) in self.tracks.moving.iter().zip(tolerances) {
            let worst = worst[source.bone];
            let (sum, count): (f32, f32) = chains[worst];
            let share = (*tolerance * count / sum.max(f32::MIN_POSITIVE)).clamp(0.25, 4.0);
            // A little less than the bound, as one frame decides which clip is within.
            let ratio = 0.98 * self.options.bound / by_bone[worst].max(f32::MIN_POSITIVE);
            let ratio = ratio.clamp(0.4, 1.5);
            *tolerance *= libm::powf(ratio, if ratio < 1.0 { share } else { 1.0 / share });
        }
    }

    /// Returns the error that the bound cannot be kept.
    fn too_far(&self, errors: &SkinErrors) -> CompressError {
        let by_bone = errors.by_bone();
        let worst = (0..by_bone.len()).max_by(|a, b| by_bone[*a].total_cmp(&by_bone[*b]));
        let worst = worst.unwrap_or_default();
        let name = |bone: usize| self.skeleton.names[bone].clone();
        let above: Vec<_> =
            core::iter::successors(Some(worst), |bone| self.skeleton.parent(*bone)).collect();
        let step = |source: &TrackSource| {
            let range = ranges_of(source).into_iter().fold(0.0, f32::max);
            range * if source.channel == Channel::Position { 1.0 } else { source.reach }
        };
        let sources = self.tracks.moving.iter().filter(|source| above.contains(&source.bone));
        let widest = sources.max_by(|a, b| step(a).total_cmp(&step(b)));
        CompressError::Bound {
            bone: name(worst),
            error: by_bone[worst],
            bound: self.options.bound,
            widest: widest.map(|source| (source.channel, name(source.bone))),
        }
    }

    fn statistics(&self, round: &Round, tolerances: &[f32], stored_bytes: usize) -> ClipStatistics {
        let bones = self.skeleton.len();
        let Round { parts, sizes, errors, bytes } = round;
        let sources = self.tracks.moving.iter().zip(sizes).zip(tolerances);
        ClipStatistics {
            bones,
            frames: self.clip.frames(bones),
            seconds: parts.last_frame as f32 / parts.rate,
            raw_bytes: self.clip.raw_bytes(),
            bytes: *bytes,
            stored_bytes,
            is_dense: !parts.states.is_empty(),
            stream_bytes: parts.stream_bytes(),
            uniform_bytes: self
                .tracks
                .moving
                .iter()
                .zip(tolerances)
                .map(|(source, tolerance)| uniform_bytes(source, *tolerance))
                .sum(),
            jump_bytes: 20 * parts.jumps.len() + parts.jump_states.len() + 3 * parts.states.len(),
            jumps: parts.jumps.len(),
            still: self.tracks.still,
            constants: parts.constants.len(),
            groups: self.tracks.groups,
            error_max: errors.max(),
            error_p99: errors.percentile(0.99),
            tracks: sources
                .map(|((source, track), tolerance)| TrackStatistics {
                    bone: self.skeleton.names[source.bone].clone(),
                    channel: source.channel,
                    key_bytes: track.key_bytes,
                    keys: track.keys,
                    bytes: track.bytes,
                    tolerance: *tolerance,
                })
                .collect(),
        }
    }
}

/// Fits a track with keys of the size that takes the fewest bytes.
fn fit_track(source: &TrackSource, lane: usize, tolerance: f32) -> FittedTrack {
    let ranges = ranges_of(source);
    let fitted = |bytes| {
        let knots = fit(source, FitTerms { tolerance, bytes })?;
        Some(FittedTrack { lane, bits: KeyBits::new(bytes, ranges), knots })
    };
    let smallest = (1..=6).filter_map(fitted).min_by_key(FittedTrack::bytes);
    smallest.unwrap_or(FittedTrack { lane, bits: KeyBits::NONE, knots: Vec::new() })
}
