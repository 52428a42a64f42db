//! Packed waves in place.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Blob};
use loligo_ids::murmur2_64a;
use loligo_resources::DataError;

use super::{WAVE_TYPE, Wave, WaveImage};
use crate::error::WaveError;
use crate::packed::{PACKED_FRAMES, PIECE_BLOCKS, packed_bytes, unpack};
use crate::stream::{BlockRead, Feeder};

/// A packed wave that was opened: a view of the bytes of a resource, to be streamed from there.
///
/// Of one that is to be streamed from its file only the first piece is in the payload. The other pieces are the
/// tail of the file, and have sums here.
///
/// # Examples
///
/// ```no_run
/// # fn feed(payload: &[u8], stream: &mut loligo_sound::StreamIn<'_>) -> Result<(), loligo_sound::WaveError> {
/// use loligo_sound::PackedWave;
///
/// let music = PackedWave::open(payload)?;
/// let mut feeder = music.feeder(true, 0);
/// // On a task, again and again:
/// feeder.feed(stream, |block, out| music.read(block, out));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct PackedWave<'b> {
    blocks: &'b [u8],
    tail: &'b [u8],
    sums: &'b [u64],
    rate: u32,
    channels: u32,
    frames: u32,
    range: Option<[u32; 2]>,
}

impl<'b> PackedWave<'b> {
    /// Opens the payload of a resource of type `wave`. It must be at a multiple of 16, as that of a loaded
    /// resource is.
    ///
    /// # Complexity
    ///
    /// O(1): blocks are checked as they are unpacked.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if it is damaged or not packed.
    pub fn open(payload: &'b [u8]) -> Result<Self, WaveError> {
        let wrong = |field, must, found: u32| {
            Err(WaveError::Data(DataError::part(WAVE_TYPE, field, must, u64::from(found))))
        };
        let blob = Blob::<WaveImage>::open_structure(payload)
            .map_err(|error| WaveError::Data(DataError::blob(WAVE_TYPE, error)))?;
        let image = blob.root();
        let (channels, rate, frames) = (image.channels, image.rate, image.packed_frames);
        if !(1..=2).contains(&channels) {
            return Err(WaveError::Channels(channels));
        }
        if !(1000..=768_000).contains(&rate) {
            return Err(WaveError::Rate(rate));
        }
        if frames == 0 || frames > i32::MAX as u32 {
            return wrong("packed_frames", "those of a packed wave", frames);
        }
        let (blocks, sums) = (blob.array(&image.packed), blob.array(&image.sums));
        let all = frames.div_ceil(PACKED_FRAMES as u32);
        let here = if sums.is_empty() { all } else { PIECE_BLOCKS };
        if blocks.len() != here as usize * packed_bytes(channels) {
            return wrong("packed", "the blocks of all frames", blocks.len() as u32);
        }
        let pieces = all.saturating_sub(here).div_ceil(PIECE_BLOCKS);
        if sums.len() != pieces as usize {
            return wrong("sums", "one for each piece of the tail", sums.len() as u32);
        }
        let [begin, end] = image.range;
        if (begin, end) != (0, 0) && (begin >= end || end > frames) {
            return Err(WaveError::Loop { begin, end, frames });
        }
        let range = (end > 0).then_some([begin, end]);
        Ok(Self { blocks, tail: &[], sums, rate, channels, frames, range })
    }

    /// Returns it with the tail of its file, so that all of it can be read.
    ///
    /// # Complexity
    ///
    /// O(bytes): their sums are computed.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if they are not those of this wave.
    pub fn with_tail(mut self, tail: &'b [u8]) -> Result<Self, WaveError> {
        let wrong =
            |must, found| Err(WaveError::Data(DataError::part(WAVE_TYPE, "tail", must, found)));
        if tail.len() as u64 != self.tail_bytes() {
            return wrong("the bytes of all pieces after the first", tail.len() as u64);
        }
        let pieces = tail.chunks(PIECE_BLOCKS as usize * packed_bytes(self.channels));
        for (number, piece) in (1..).zip(pieces) {
            if !self.is_right(number, piece) {
                return wrong("pieces with their sums", number.into());
            }
        }
        self.tail = tail;
        Ok(self)
    }

    /// The frames a second.
    #[must_use]
    pub const fn rate(&self) -> u32 {
        self.rate
    }

    /// The number of channels: one or two.
    #[must_use]
    pub const fn channels(&self) -> u32 {
        self.channels
    }

    /// The number of frames.
    #[must_use]
    pub const fn frames(&self) -> u32 {
        self.frames
    }

    /// The first frame of the loop and the one after its last; `None` if there is no loop.
    #[must_use]
    pub const fn loop_range(&self) -> Option<[u32; 2]> {
        self.range
    }

    /// Returns whether all but its first piece is the tail of its file.
    #[must_use]
    pub const fn is_streamed(&self) -> bool {
        !self.sums.is_empty()
    }

    /// Returns where a piece of the tail is: how many bytes before the end of the file, and how many they are;
    /// `None` if there is none of this number.
    #[must_use]
    pub fn tail_piece(&self, piece: u32) -> Option<(u64, u32)> {
        let at = piece.checked_sub(1).filter(|at| (*at as usize) < self.sums.len())?;
        let bytes = PIECE_BLOCKS as usize * packed_bytes(self.channels);
        let from_end = self.tail_bytes() - u64::from(at) * bytes as u64;
        Some((from_end, from_end.min(bytes as u64) as u32))
    }

    /// Returns whether bytes are those of a piece of the tail.
    ///
    /// # Complexity
    ///
    /// O(bytes): their sum is computed.
    #[must_use]
    pub fn is_right(&self, piece: u32, bytes: &[u8]) -> bool {
        let sum = piece.checked_sub(1).and_then(|at| self.sums.get(at as usize));
        sum == Some(&murmur2_64a(bytes, 0))
    }

    /// Returns what feeds a stream with it, from a frame on, and in its loop if it has one and is to.
    #[must_use]
    pub fn feeder(&self, is_looped: bool, from: u32) -> Feeder {
        Feeder::new(self.channels, self.frames, self.range.filter(|_| is_looped), from)
    }

    /// Copies a packed block, if there is one of this number.
    #[must_use]
    pub fn read(&self, block: u32, out: &mut [u8]) -> BlockRead {
        let bytes = packed_bytes(self.channels);
        let here = (self.blocks.len() / bytes) as u32;
        let (blocks, at) = match block.checked_sub(here) {
            Some(at) => (self.tail, at),
            None => (self.blocks, block),
        };
        let found = blocks.chunks_exact(bytes).nth(at as usize);
        match found.filter(|_| out.len() == bytes) {
            Some(found) => {
                out.copy_from_slice(found);
                BlockRead::Done
            }
            None => BlockRead::Failed,
        }
    }

    /// Returns it unpacked, without its loop.
    pub(super) fn unpacked<'a, A: Allocator + ?Sized>(
        &self,
        memory: &'a A,
    ) -> Result<Wave<'a, A>, WaveError> {
        let channels = self.channels as usize;
        let bytes = packed_bytes(self.channels);
        let mut samples = Array::new_in(memory);
        let blocks = (self.blocks.len() + self.tail.len()) / bytes;
        samples.try_resize(blocks * PACKED_FRAMES * channels, 0_i16)?;
        let blocks = self.blocks.chunks_exact(bytes).chain(self.tail.chunks_exact(bytes));
        for ((block, out), number) in
            blocks.zip(samples.chunks_exact_mut(PACKED_FRAMES * channels)).zip(0..)
        {
            if !unpack(block, self.channels, out) {
                let error = DataError::part(WAVE_TYPE, "packed", "whole blocks", number);
                return Err(WaveError::Data(error));
            }
        }
        samples.truncate(self.frames as usize * channels);
        Wave::of_samples(samples, self.channels, self.rate)
    }

    fn tail_bytes(&self) -> u64 {
        let blocks = self.frames.div_ceil(PACKED_FRAMES as u32) as u64;
        blocks * packed_bytes(self.channels) as u64 - self.blocks.len() as u64
    }
}

impl fmt::Debug for PackedWave<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedWave")
            .field("frames", &self.frames)
            .field("channels", &self.channels)
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}
