//! Packed waves in place.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Blob};
use loligo_resources::DataError;

use super::{WAVE_TYPE, Wave, WaveImage};
use crate::error::WaveError;
use crate::packed::{PACKED_FRAMES, packed_bytes, unpack};
use crate::stream::Feeder;

/// A packed wave that was opened: a view of the bytes of a resource, to be streamed from there.
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
        let blocks = blob.array(&image.packed);
        let bytes = (frames as usize).div_ceil(PACKED_FRAMES) * packed_bytes(channels);
        if blocks.len() != bytes {
            return wrong("packed", "the blocks of all frames", blocks.len() as u32);
        }
        let [begin, end] = image.range;
        if (begin, end) != (0, 0) && (begin >= end || end > frames) {
            return Err(WaveError::Loop { begin, end, frames });
        }
        let range = (end > 0).then_some([begin, end]);
        Ok(Self { blocks, rate, channels, frames, range })
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

    /// Returns what feeds a stream with it, from a frame on, and in its loop if it has one and is to.
    #[must_use]
    pub fn feeder(&self, is_looped: bool, from: u32) -> Feeder {
        Feeder::new(self.channels, self.frames, self.range.filter(|_| is_looped), from)
    }

    /// Copies a packed block. Returns `false` if there is none of this number.
    #[must_use]
    pub fn read(&self, block: u32, out: &mut [u8]) -> bool {
        let bytes = packed_bytes(self.channels);
        let found = self.blocks.chunks_exact(bytes).nth(block as usize);
        match found.filter(|_| out.len() == bytes) {
            Some(found) => {
                out.copy_from_slice(found);
                true
            }
            None => false,
        }
    }

    /// Returns it unpacked, without its loop.
    pub(super) fn unpacked<'a, A: Allocator + ?Sized>(
        &self,
        memory: &'a A,
    ) -> Result<Wave<'a, A>, WaveError> {
        let channels = self.channels as usize;
        let mut samples = Array::new_in(memory);
        let whole = self.blocks.len() / packed_bytes(self.channels) * PACKED_FRAMES * channels;
        samples.try_resize(whole, 0_i16)?;
        let blocks = self.blocks.chunks_exact(packed_bytes(self.channels));
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
