//! Compiled clips, read in place: tracks, constants, and one stream of keys ordered by time of need.
//!
//! After Niklas Frykholm, "The BitSquid low level animation system" (2009) and "Low Level Animation,
//! Part 2" (2011). Changes:
//!
//! - All tracks are curves of three numbers: rotations are, too, as turns from a reference of the track
//!   (half-angle tangents), so that a hinge has one wide axis and two narrow ones, and each axis is
//!   quantised over its own range.
//! - Keys have 16, 32 or 48 bits by track, divided by what each axis needs. Positions are around a line
//!   from the first to the last frame, if they travel.
//! - A key names its track and the time since the key before in 16 bits together, so the player knows
//!   which key is next without a search.
//! - Keys are stored as differences (exclusive or) from what they replace, so the stream is played
//!   backwards as well.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | rate | last frame | bones | tracks: offset, count | .. |       84 bytes
//! tracks        | channel, bone | ranges: 3 | base: 3 | ..                       12 bytes a track
//! drifts        | channel, bone | x | y | z | ..                                 8 bytes each
//! constants     | channel, bone | .. and | x | y | z | w | ..                    18 bytes each
//! headers       | track, time | ..                                               2 bytes a key
//! values        | x, y, z in 16, 32 or 48 bits | ..                              2, 4 or 6 bytes a key
//! jump frames   | frame, header, value | .. and their states                     14, 22 or 30 bytes a track
//! events        | frame | name | bone | ..                                       12 bytes each
//! ```

mod event;
mod header;
mod key;
mod track;
mod walk;

pub use event::ClipEvent;
#[cfg(feature = "compile")]
pub(crate) use event::OF_NO_BONE;
pub(crate) use header::{Header, HeaderBits};
pub(crate) use key::{Key, KeyBits, SCALE, level};
pub use track::Channel;
pub(crate) use track::{Track, number_of, place_of};
#[cfg(feature = "compile")]
pub(crate) use track::{base_of, range_code, turn_of, upper_half};

use core::fmt;

use loligo_containers::{Blob, BlobArray, blob_struct};

use crate::error::AnimationError;
use crate::lanes::LANES;
use crate::skeleton::BONES_MAX;

/// The type of clips.
pub const CLIP_TYPE: &str = "clip";

/// The version of clips that is compiled and read here.
pub const CLIP_VERSION: u32 = 1;

/// The most frames after the first one.
pub const FRAMES_MAX: u32 = u16::MAX as u32 - 1;

/// The most groups of eight lanes: three channels of all bones.
pub(crate) const GROUPS_MAX: usize = 3 * BONES_MAX / LANES;

/// The words of a track.
pub(crate) const TRACK_WORDS: usize = 6;

/// The keys of each track that the stream begins with, and a player needs before the first frame.
pub(crate) const FIRST_KEYS: usize = 3;

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
        /// Track and time of each key, in the order of need.
        pub headers: BlobArray<u16>,
        /// The values of the keys in the same order.
        pub values: BlobArray<u16>,
        /// Frame, header and value at which each jump frame continues.
        pub jumps: BlobArray<[u32; 3]>,
        /// The active keys of each jump frame.
        pub jump_words: BlobArray<u16>,
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
/// The bytes are borrowed and used in place. The object is nine slices and five numbers.
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
///    one to three words. Drifts ascend as well, each that of a position with a track.
/// 2. Each header names a track; the words of all keys are those of `values`.
/// 3. Each jump frame continues at a header and at that header's value, and has a state for each track.
/// 4. Constants are finite, and those of rotations have length 1.
/// 5. Events ascend by frame, from the first to the last one, and are of bones that there are, or of none.
#[derive(Clone, Copy)]
pub struct Clip<'b> {
    pub(crate) rate: f32,
    pub(crate) last_frame: u32,
    pub(crate) bones: u32,
    pub(crate) bits: HeaderBits,
    pub(crate) tracks: &'b [[u16; TRACK_WORDS]],
    pub(crate) drifts: &'b [[u16; 4]],
    pub(crate) constant_places: &'b [u16],
    pub(crate) constants: &'b [[f32; 4]],
    pub(crate) headers: &'b [u16],
    pub(crate) values: &'b [u16],
    pub(crate) jumps: &'b [[u32; 3]],
    pub(crate) jump_words: &'b [u16],
    events: &'b [ClipEvent],
    bytes: usize,
}

impl<'b> Clip<'b> {
    /// Opens the payload of a resource of type `clip`. It must be at a multiple of 16, as that of a
    /// loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`AnimationError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, AnimationError> {
        let blob = Blob::<ClipImage>::open_structure(payload)
            .map_err(|error| AnimationError::blob(CLIP_TYPE, error))?;
        let image = blob.root();
        let tracks = blob.array(&image.tracks);
        let clip = Self {
            rate: image.rate,
            last_frame: image.last_frame,
            bones: image.bones,
            bits: HeaderBits::of_groups(Track::group_count(tracks)),
            tracks,
            drifts: blob.array(&image.drifts),
            constant_places: blob.array(&image.constant_places),
            constants: blob.array(&image.constants),
            headers: blob.array(&image.headers),
            values: blob.array(&image.values),
            jumps: blob.array(&image.jumps),
            jump_words: blob.array(&image.jump_words),
            events: blob.array(&image.events),
            bytes: payload.len(),
        };
        clip.verify()?;
        Ok(clip)
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`AnimationError`] says what is wrong.
    pub fn verify(&self) -> Result<(), AnimationError> {
        walk::verify(self)
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
        self.headers.len()
    }

    /// Returns how many jump frames there are.
    #[must_use]
    pub const fn jump_count(&self) -> usize {
        self.jumps.len()
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
        2 * (self.headers.len() + self.values.len())
    }

    /// Returns the bytes of all jump frames.
    #[must_use]
    pub const fn jump_bytes(&self) -> usize {
        12 * self.jumps.len() + 2 * self.jump_words.len()
    }
}

impl fmt::Debug for Clip<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clip")
            .field("bones", &self.bones)
            .field("last_frame", &self.last_frame)
            .field("rate", &self.rate)
            .field("tracks", &self.tracks.len())
            .field("keys", &self.headers.len())
            .finish_non_exhaustive()
    }
}
