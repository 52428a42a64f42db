//! Compiled clips, read in place: tracks, constants, and one stream of keys ordered by time of need.
//!
//! After Niklas Frykholm, "The BitSquid low level animation system" (2009) and "Low Level Animation,
//! Part 2" (2011). Changes:
//!
//! - All tracks are curves of three numbers: rotations are, too, as turns from a reference of the track
//!   (half-angle tangents), so that a hinge has one wide axis and two narrow ones, and each axis is
//!   quantised over its own range.
//! - Keys have one to six bytes by track, divided by what each axis needs. Positions are around a line
//!   from the first to the last frame, if they travel.
//! - Which tracks get a key in a frame is said by a bit for each, and the time since the key before by four
//!   bits, so the player knows which key is next without a search.
//! - Keys are stored as differences (exclusive or) from what they replace, so the stream is played
//!   backwards as well.
//! - Motion that was captured needs a key in nearly each frame. Such a clip is dense: it has all of
//!   them, as differences of differences, and no times.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | rate | last frame | bones | tracks: offset, count | .. |      116 bytes
//! tracks        | channel, bone | ranges: 3 | base: 3 | ..                       12 bytes a track
//! drifts        | channel, bone | x | y | z | ..                                 8 bytes each
//! constants     | channel, bone | .. and | x | y | z | w | ..                    18 bytes each
//! rounds        | which groups get keys | ..                                     1 bit a group and frame
//! masks         | which tracks of a group | ..                                   1 byte a group with keys
//! steps         | time since the key before | ..                                 4 bits a key
//! values        | x, y, z | ..                                                   1 to 6 bytes a key
//! codes, states | how a dense clip is written: see `dense.rs`                    12 bits a track and block
//! jump frames   | places in the four columns | .. and their states               8 to 28 bytes a track
//! events        | frame | name | bone | ..                                       12 bytes each
//! ```
//!
//! In a file a dense clip is packed: see `packed.rs`. [`StoredClip`] expands it.

mod bit_code;
mod dense;
mod dense_check;
mod dense_writer;
mod event;
mod key;
mod packed;
mod round;
mod step;
mod stored_clip;
mod stored_clip_error;
mod track;
mod walk;

pub(crate) use bit_code::{ALL_ZERO, read_backward, read_forward};
pub(crate) use dense::{BLOCK, StateBits, code_at, code_bytes};
#[cfg(feature = "compile")]
pub(crate) use dense_writer::{DenseWriter, Numbers, WriteError, best_code, width};
pub use event::ClipEvent;
#[cfg(feature = "compile")]
pub(crate) use event::OF_NO_BONE;
pub(crate) use key::{Key, KeyBits, SCALE, level};
#[cfg(feature = "compile")]
pub(crate) use packed::{BlockWriter, NUMBERS_MAX, NumberModel, PackedHeader, put_block};
pub(crate) use round::{Cursor, groups_of_round, is_same_frame, lanes_of, round_bytes, step_at};
pub(crate) use step::{Codes, END, frames_of};
#[cfg(feature = "compile")]
pub(crate) use step::{JUMP, code_of, longest_within};
pub use stored_clip::StoredClip;
pub use stored_clip_error::StoredClipError;
pub use track::Channel;
pub(crate) use track::{Track, number_of, place_of};
#[cfg(feature = "compile")]
pub(crate) use track::{base_of, range_code, rotation_of, step_code, turn_of, upper_half};

use core::fmt;

use loligo_containers::{Blob, BlobArray, blob_struct};
use loligo_resources::DataError;

use crate::lanes::LANES;
use crate::skeleton::BONES_MAX;

/// The type of clips.
pub const CLIP_TYPE: &str = "clip";

/// The version of clips that is compiled and read here.
pub const CLIP_VERSION: u32 = 4;

/// The most frames after the first one.
pub const FRAMES_MAX: u32 = u16::MAX as u32 - 1;

/// The most groups of eight lanes: three channels of all bones.
pub(crate) const GROUPS_MAX: usize = 3 * BONES_MAX / LANES;

/// The words of a track.
pub(crate) const TRACK_WORDS: usize = 6;

blob_struct! {
    /// A clip as it is saved: a blob. [`Clip`] reads it.
    pub struct ClipImage {
        /// Frames a second.
        pub rate: f32,
        /// The number of the last frame; the first is 0.
        pub last_frame: u32,
        /// The bones of the skeleton that it is for.
        pub bones: u32,
        /// The tracks that move, by channel and bone.
        pub tracks: BlobArray<[u16; 6]>,
        /// How far the positions of bones go on average from the first to the last frame: channel and
        /// bone, x, y and z.
        pub drifts: BlobArray<[u16; 4]>,
        /// The channels and bones of tracks that have one value, and not that of the bind pose.
        pub constant_places: BlobArray<u16>,
        /// Their values.
        pub constants: BlobArray<[f32; 4]>,
        /// Which groups get keys, a round for each frame and more where a track needs several.
        pub rounds: BlobArray<u8>,
        /// Which tracks of these groups.
        pub masks: BlobArray<u8>,
        /// The time since the key before of each key, two to a byte.
        pub steps: BlobArray<u8>,
        /// The values of the keys, or their differences.
        pub values: BlobArray<u8>,
        /// How the differences of a dense clip are written; none in a clip of curves.
        pub codes: BlobArray<u8>,
        /// How many bits numbers and their differences have in jump frames of a dense clip; none in a clip
        /// of curves.
        pub states: BlobArray<[u8; 3]>,
        /// Frame, round, mask, step and value at which each jump frame continues.
        pub jumps: BlobArray<[u32; 5]>,
        /// The active keys of each jump frame.
        pub jump_states: BlobArray<u8>,
        /// What happens, by frame.
        pub events: BlobArray<ClipEvent>,
    }
}

/// A clip that was opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and believes no length. Reading is free.
///
/// # Memory
///
/// The bytes are borrowed and used in place. The object is thirteen slices and six numbers.
///
/// # Examples
///
/// ```
/// use loligo_animation::Clip;
///
/// let error = Clip::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled clip: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. Tracks ascend by channel and bone, and no place has both a track and a constant. Their keys have
///    one to six bytes. Drifts ascend as well, each that of a position with a track.
/// 2. Rounds are of groups and tracks that there are, and end no later than the clip; there is a step for
///    each key, and the bytes of their values are those of `values`.
/// 3. Each jump frame continues at a round and at that round's mask, step and value, and has a state for
///    each track, with the codes of the keys that were active there.
/// 4. Where a key is in each frame, codes, differences and jump frames are those of all tracks and frames, and
///    the first frame is a jump frame.
/// 5. Constants are finite, and those of rotations have length 1.
/// 6. Events ascend by frame, from the first to the last one, and are of bones that there are, or of none.
#[derive(Clone, Copy)]
pub struct Clip<'b> {
    pub(crate) rate: f32,
    pub(crate) last_frame: u32,
    pub(crate) bones: u32,
    pub(crate) tracks: &'b [[u16; TRACK_WORDS]],
    pub(crate) drifts: &'b [[u16; 4]],
    pub(crate) constant_places: &'b [u16],
    pub(crate) constants: &'b [[f32; 4]],
    pub(crate) rounds: &'b [u8],
    pub(crate) masks: &'b [u8],
    pub(crate) steps: &'b [u8],
    pub(crate) values: &'b [u8],
    pub(crate) codes: &'b [u8],
    pub(crate) states: &'b [[u8; 3]],
    pub(crate) jumps: &'b [[u32; 5]],
    pub(crate) jump_states: &'b [u8],
    /// The last frame that can be sampled.
    ready: u32,
    keys: usize,
    events: &'b [ClipEvent],
    bytes: usize,
}

impl<'b> Clip<'b> {
    /// Opens the payload of a resource of type `clip` that is not packed; [`StoredClip`] opens any. It must
    /// be at a multiple of 16, as that of a loaded resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let mut clip = Self::read(payload)?;
        clip.keys = walk::verify(&clip)?;
        Ok(clip)
    }

    /// Opens what was opened before, without another look at the stream; it does not know the number
    /// of its keys.
    pub(crate) fn read(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<ClipImage>::open_structure(payload)
            .map_err(|error| DataError::blob(CLIP_TYPE, error))?;
        let image = blob.root();
        let tracks = blob.array(&image.tracks);
        Ok(Self {
            rate: image.rate,
            last_frame: image.last_frame,
            bones: image.bones,
            tracks,
            drifts: blob.array(&image.drifts),
            constant_places: blob.array(&image.constant_places),
            constants: blob.array(&image.constants),
            rounds: blob.array(&image.rounds),
            masks: blob.array(&image.masks),
            steps: blob.array(&image.steps),
            values: blob.array(&image.values),
            codes: blob.array(&image.codes),
            states: blob.array(&image.states),
            jumps: blob.array(&image.jumps),
            jump_states: blob.array(&image.jump_states),
            ready: image.last_frame,
            keys: 0,
            events: blob.array(&image.events),
            bytes: payload.len(),
        })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        walk::verify(self).map(drop)
    }

    /// Returns the frames a second.
    #[must_use]
    pub const fn rate(&self) -> f32 {
        self.rate
    }

    /// Returns the number of the last frame; the first is 0.
    #[must_use]
    pub const fn last_frame(&self) -> u32 {
        self.last_frame
    }

    /// Returns the last frame that can be sampled: [`last_frame`](Self::last_frame), unless it is still being
    /// loaded. Later frames are sampled as this one.
    #[must_use]
    pub const fn last_ready(&self) -> u32 {
        self.ready
    }

    /// Returns how long it is, in seconds.
    #[must_use]
    pub fn seconds(&self) -> f32 {
        self.last_frame as f32 / self.rate
    }

    /// Returns the bones of the skeleton that it is for.
    #[must_use]
    pub const fn bones(&self) -> usize {
        self.bones as usize
    }

    /// Returns how many tracks move.
    #[must_use]
    pub const fn track_count(&self) -> usize {
        self.tracks.len()
    }

    /// Returns how many tracks have one value that is not that of the bind pose.
    #[must_use]
    pub const fn constant_count(&self) -> usize {
        self.constants.len()
    }

    /// Returns how many keys the stream has, those that end a track included.
    #[must_use]
    pub const fn key_count(&self) -> usize {
        self.keys
    }

    /// Returns how many jump frames there are.
    #[must_use]
    pub const fn jump_count(&self) -> usize {
        self.jumps.len()
    }

    /// Returns `true` if each track has a key in each frame, and `false` if tracks are curves.
    #[must_use]
    pub const fn is_dense(&self) -> bool {
        !self.states.is_empty()
    }

    /// Returns what happens in it, by frame.
    #[must_use]
    pub const fn events(&self) -> &'b [ClipEvent] {
        self.events
    }

    /// Returns the bytes of the resource.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the bytes of the stream, which playing forward reads once.
    #[must_use]
    pub const fn stream_bytes(&self) -> usize {
        let curves = self.rounds.len() + self.masks.len() + self.steps.len();
        curves + self.values.len() + self.codes.len()
    }

    /// Returns the bytes of all jump frames.
    #[must_use]
    pub const fn jump_bytes(&self) -> usize {
        20 * self.jumps.len() + self.jump_states.len() + 3 * self.states.len()
    }
}

impl fmt::Debug for Clip<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clip")
            .field("bones", &self.bones)
            .field("last_frame", &self.last_frame)
            .field("rate", &self.rate)
            .field("tracks", &self.tracks.len())
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

/// Returns the error that a part of a clip is not as it must be.
fn wrong<T>(field: &'static str, must: &'static str, found: usize) -> Result<T, DataError> {
    Err(DataError::part(CLIP_TYPE, field, must, found as u64))
}
