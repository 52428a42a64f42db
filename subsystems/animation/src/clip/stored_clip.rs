//! A clip in memory, from bytes that come whole or in parts.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, BlobBytes};

use super::packed::{Expander, NextBlock, PACKED_HEADER, PackedHeader};
use super::stored_clip_error::{StoredClipError, wrong};
use super::{Clip, dense_check, walk};

/// A clip in memory of an allocator: a copy of the payload of a resource of type `clip`, expanded if it is
/// packed.
///
/// A packed clip can be played before it is whole: [`clip`](Self::clip) is what is there, and
/// [`Clip::last_ready`] the last frame of it. One that is not packed comes as a whole.
///
/// # Complexity
///
/// O(bytes). To expand 32 frames is about 400 operations for each of the three numbers of a track and frame.
///
/// # Memory
///
/// The bytes of the clip; while it is expanded 12 KiB, 800 bytes a track and the largest block besides.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_animation::StoredClip;
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("clips");
/// let error = StoredClip::try_new(&[0; 16], &HEAP).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled clip: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. `blob` was verified: a clip if nothing is packed, else a head.
pub struct StoredClip<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    blob: Option<BlobBytes<'a, A>>,
    packed: Option<Packed<'a, A>>,
    /// What has come and was not read yet.
    bytes: Array<'a, u8, A>,
    stage: Stage,
}

/// The part of a clip that is packed.
struct Packed<'a, A: Allocator + ?Sized> {
    expander: Expander<'a, A>,
    /// The bytes of blocks that are still to come.
    left: u64,
}

/// What is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Header,
    Head(PackedHeader),
    Blocks,
    /// It is whole.
    Done,
    /// It was refused.
    Refused,
}

impl<'a> StoredClip<'a> {
    /// Copies or expands a whole payload.
    ///
    /// # Errors
    ///
    /// [`StoredClipError`]: it is damaged, or there is no memory.
    pub fn try_new(
        payload: &[u8],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, StoredClipError> {
        Self::try_new_in(payload, memory)
    }

    /// Begins with nothing: the payload comes in parts.
    #[must_use]
    pub fn empty(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::empty_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> StoredClip<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(payload: &[u8], memory: &'a A) -> Result<Self, StoredClipError> {
        let mut stored = Self::empty_in(memory);
        if !payload.is_empty() && PackedHeader::may_begin(payload) {
            stored.try_feed(payload)?;
            stored.try_end()?;
        } else {
            stored.take_ready(payload)?;
        }
        Ok(stored)
    }

    /// As [`empty`](Self::empty), and keeps the type of the allocator.
    #[must_use]
    pub fn empty_in(memory: &'a A) -> Self {
        Self { blob: None, packed: None, bytes: Array::new_in(memory), stage: Stage::Header }
    }

    /// Takes the next bytes of the payload, and expands what is whole.
    ///
    /// # Errors
    ///
    /// [`StoredClipError`]: they are damaged, or there is no memory. What was there before stays; no
    /// more is taken.
    pub fn try_feed(&mut self, bytes: &[u8]) -> Result<(), StoredClipError> {
        let taken = self.take(bytes);
        if taken.is_err() {
            self.refuse();
        }
        taken
    }

    /// Says that the payload has ended.
    ///
    /// # Errors
    ///
    /// [`StoredClipError`] if it is not whole or damaged, or there is no memory.
    pub fn try_end(&mut self) -> Result<(), StoredClipError> {
        let ended = match self.stage {
            Stage::Done if self.bytes.is_empty() => Ok(()),
            Stage::Header if !PackedHeader::may_begin(&self.bytes) || self.bytes.is_empty() => {
                let nothing = Array::new_in(self.bytes.memory());
                let bytes = core::mem::replace(&mut self.bytes, nothing);
                self.take_ready(&bytes)
            }
            _ => {
                let missing = self.packed.as_ref().map_or(0, |packed| packed.left);
                Err(wrong("packed", "whole, and as long as it says", missing))
            }
        };
        if ended.is_err() {
            self.refuse();
        }
        ended
    }

    /// Returns `true` if all of it is there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.stage == Stage::Done
    }

    /// Returns what is there, if the first frames are.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn clip(&self) -> Option<Clip<'_>> {
        let mut clip = self.head()?;
        if let Some(Packed { expander, .. }) = &self.packed {
            clip.ready = expander.last_ready(&clip)?;
            clip.keys = clip.tracks.len() * (clip.last_frame as usize + 1);
            expander.fill(&mut clip);
            clip.bytes += clip.stream_bytes() + clip.jump_bytes() - 3 * clip.states.len();
        }
        Some(clip)
    }

    /// Returns what is known of the clip before its first frame: its length, its bones, its events.
    pub(crate) fn head(&self) -> Option<Clip<'_>> {
        Clip::read(self.blob.as_ref()?).ok()
    }

    /// Takes a payload that is not packed.
    fn take_ready(&mut self, payload: &[u8]) -> Result<(), StoredClipError> {
        let blob = BlobBytes::try_copy_in(payload, self.bytes.memory())?;
        Clip::open(&blob)?;
        (self.blob, self.stage) = (Some(blob), Stage::Done);
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), StoredClipError> {
        if self.stage == Stage::Refused {
            return Err(wrong("packed", "fed no more after an error", bytes.len() as u64));
        }
        self.bytes.try_extend_from_slice(bytes)?;
        if self.stage == Stage::Header {
            match self.bytes.first_chunk::<PACKED_HEADER>() {
                Some(header) if PackedHeader::may_begin(header) => {
                    let Some(header) = PackedHeader::read(header) else {
                        return Err(wrong("packed", "a header of this version", 0));
                    };
                    self.stage = Stage::Head(header);
                }
                _ => return Ok(()),
            }
        }
        if let Stage::Head(header) = self.stage {
            let end = PACKED_HEADER as u64 + u64::from(header.head_bytes);
            if (self.bytes.len() as u64) < end {
                return Ok(());
            }
            self.take_head(header)?;
            self.stage = Stage::Blocks;
        }
        self.take_blocks()
    }

    fn take_head(&mut self, header: PackedHeader) -> Result<(), StoredClipError> {
        let PackedHeader { head_bytes, block_bytes, jump_ratio } = header;
        let memory = self.bytes.memory();
        let end = PACKED_HEADER + head_bytes as usize;
        let blob = BlobBytes::try_copy_in(&self.bytes[PACKED_HEADER..end], memory)?;
        let head = Clip::read(&blob)?;
        walk::verify_head(&head)?;
        dense_check::head(&head)?;
        let of_blocks = head.values.len() + head.codes.len() + head.jumps.len();
        if of_blocks + head.jump_states.len() != 0 {
            return Err(wrong("packed", "the only columns", of_blocks as u64));
        }
        let expander = Expander::try_new_in(&head, jump_ratio, block_bytes, memory)?;
        self.packed = Some(Packed { expander, left: block_bytes.into() });
        self.blob = Some(blob);
        self.drop_front(end);
        Ok(())
    }

    fn take_blocks(&mut self) -> Result<(), StoredClipError> {
        let Self { blob: Some(blob), packed: Some(packed), bytes, .. } = self else {
            return Ok(());
        };
        let head = Clip::read(blob)?;
        let mut at = 0;
        while packed.left > 0 && at < bytes.len() {
            match NextBlock::at(&bytes[at..]) {
                NextBlock::Missing => break,
                NextBlock::Damaged => {
                    return Err(wrong("packed", "blocks with the right hashes", at as u64));
                }
                NextBlock::Whole(coded, length) => {
                    let Some(left) = packed.left.checked_sub(length as u64) else {
                        return Err(wrong("packed", "as long as it says", length as u64));
                    };
                    packed.expander.try_block(&head, coded)?;
                    packed.left = left;
                    at += length;
                }
            }
        }
        let is_done = packed.left == 0;
        if is_done && !packed.expander.is_whole() {
            return Err(wrong("packed", "a block for each 32 frames", 0));
        }
        if is_done && at < bytes.len() {
            return Err(wrong("packed", "as long as it says", (bytes.len() - at) as u64));
        }
        self.drop_front(at);
        if is_done {
            self.bytes = Array::new_in(self.bytes.memory());
            self.stage = Stage::Done;
        }
        Ok(())
    }

    /// Forgets bytes that were read.
    fn drop_front(&mut self, count: usize) {
        let left = self.bytes.len() - count;
        self.bytes.copy_within(count.., 0);
        self.bytes.truncate(left);
    }

    fn refuse(&mut self) {
        self.stage = Stage::Refused;
        self.bytes = Array::new_in(self.bytes.memory());
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for StoredClip<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredClip").field("stage", &self.stage).finish_non_exhaustive()
    }
}
