//! Samples that come while they are played.

mod feeder;
#[cfg(all(test, loom))]
mod loom;
mod out;
mod shared;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

pub use feeder::{BlockRead, Feeder};
pub use out::StreamOut;
pub(crate) use out::Supply;
use shared::{Counts, Parts, Shared};

use crate::pipe::sync::{AtomicU32, Ordering, handed_on};

/// The fewest and most frames of a ring.
const FRAMES: [u32; 2] = [4096, 1 << 20];

/// The frames of a stream that has not ended.
const ENDLESS: u32 = i32::MAX as u32;

/// A ring of frames from a thread that reads or decodes a long sound to the mixer that plays it.
///
/// One end goes into a [`Wave`](crate::Wave), the other is fed in pieces of any length. Neither end waits: where
/// frames are late, the voice fades out over the last block that is there, is silent, and fades in again
/// when there are enough for a while; that is counted.
///
/// # Memory
///
/// Four bytes a frame, of one channel as well as of two: each frame is an atomic that is written and read
/// without any order, and a count hands frames on, as in a [`Pipe`](crate::Pipe). There are at least 4 096, of which
/// the mixer needs up to 1 400 at a time.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_sound::{Mixer, MixerSettings, Play, Stream, Wave};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("sound", &pages);
/// let mut stream = Stream::try_new(8192, 1, &heap)?;
/// let (mut music, out) = stream.split();
/// let mut mixer = Mixer::try_new(&MixerSettings::default(), &heap)?;
/// let wave = mixer.add_wave(Wave::streamed(out, 48_000)?)?;
/// mixer.play(&Play::new(wave))?;
///
/// assert_eq!(music.push(&[8192; 3000]), 3000, "there is room for all of them");
/// let mut heard = [[0.0; 2]; 256];
/// mixer.render(&mut heard);
/// assert_eq!(heard[200], [0.25; 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stream<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    frames: Array<'a, AtomicU32, A>,
    channels: u32,
    counts: Counts,
}

/// The end of a [`Stream`] into which frames are put.
pub struct StreamIn<'p> {
    shared: Shared<'p>,
    pushed: u32,
}

impl<'a> Stream<'a> {
    /// Returns a ring of a number of frames, a power of two from 4 096 to 1 048 576, with one channel or two.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(
        frames: u32,
        channels: u32,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_new_in(frames, channels, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Stream<'a, A> {
    /// As [`try_new`](Stream::try_new), over any allocator.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new_in(frames: u32, channels: u32, memory: &'a A) -> Result<Self, GrowError> {
        Self::of_length(length_of(frames), channels.clamp(1, 2), memory)
    }

    fn of_length(len: u32, channels: u32, memory: &'a A) -> Result<Self, GrowError> {
        let mut frames = Array::new_in(memory);
        frames.try_extend_with(len as usize, |_| AtomicU32::new(0))?;
        Ok(Self { frames, channels, counts: Counts::default() })
    }

    /// Returns both ends, each for one thread, of a stream that begins.
    pub fn split(&mut self) -> (StreamIn<'_>, StreamOut<'_>) {
        let parts = Parts { frames: &self.frames, channels: self.channels, counts: &self.counts };
        parts.rewind();
        let shared = Shared::Lent(parts);
        (StreamIn { shared: shared.clone(), pushed: 0 }, StreamOut::new(shared))
    }
}

#[cfg(feature = "std")]
impl<'a> StreamIn<'a> {
    /// Returns what feeds streams one after the other, each of which is played by another end. The ring is
    /// theirs: it goes with the last of the ends. It has no memory for frames until the first [begins](Self::begin);
    /// what counts its ends is on the global heap.
    #[must_use]
    pub fn shared(memory: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self { shared: Shared::Own(shared::Ring::new(memory)), pushed: 0 }
    }

    /// Begins a stream, in a ring of a number of frames as [`Stream::try_new`] makes it, and returns the end that
    /// is played. Returns `None` as long as that of the stream before is there, or where the ring belongs to a `Stream`.
    ///
    /// # Complexity
    ///
    /// O(1), but for the first time and where the ring becomes larger: then it is allocated.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn begin(
        &mut self,
        frames: u32,
        channels: u32,
    ) -> Result<Option<StreamOut<'a>>, GrowError> {
        let is_begun = self.shared.begin(length_of(frames), channels.clamp(1, 2))?;
        Ok(is_begun.then(|| {
            self.pushed = 0;
            StreamOut::new(self.shared.clone())
        }))
    }
}

impl StreamIn<'_> {
    /// How many frames there is room for.
    #[must_use]
    pub fn room(&self) -> usize {
        let parts = self.shared.parts();
        let released = parts.counts.released.frames.load(Ordering::Acquire);
        let left = ENDLESS - 1 - self.pushed;
        (parts.frames.len() as u32 - (self.pushed - released)).min(left) as usize
    }

    /// The frames that were put in and are not played yet.
    #[must_use]
    pub fn waiting(&self) -> u32 {
        self.pushed - self.shared.parts().counts.released.frames.load(Ordering::Acquire)
    }

    /// The number of channels.
    #[must_use]
    pub fn channels(&self) -> u32 {
        self.shared.parts().channels
    }

    /// Puts frames in, the channels of each next to each other. Returns how many there was room for.
    ///
    /// # Complexity
    ///
    /// O(frames). Allocates nothing.
    pub fn push(&mut self, samples: &[i16]) -> usize {
        let count = self.room();
        let parts = self.shared.parts();
        let channels = parts.channels as usize;
        let count = (samples.len() / channels).min(count);
        let mask = parts.frames.len().wrapping_sub(1);
        for (frame, at) in samples.chunks_exact(channels).take(count).zip(self.pushed as usize..) {
            let word = u32::from(frame[0].cast_unsigned())
                | u32::from(frame[channels - 1].cast_unsigned()) << 16;
            parts.frames[at & mask].store(word, Ordering::Relaxed);
        }
        self.pushed += count as u32;
        // Pairs with the acquiring load in `StreamOut`: a thread that sees the count sees the frames.
        parts.counts.pushed.frames.store(self.pushed, handed_on());
        count
    }

    /// Notes that there are no more frames: the voice ends after the last one.
    pub fn finish(&mut self) {
        self.shared.parts().counts.pushed.noted.store(1, Ordering::Release);
    }

    /// How often frames were late.
    #[must_use]
    pub fn underruns(&self) -> u32 {
        self.shared.parts().counts.released.noted.load(Ordering::Relaxed)
    }

    /// Has the stream begin again, to be played once more: with its other end, which a wave gives
    /// back. Returns `false` if that is of another stream.
    pub fn rewind(&mut self, other: &mut StreamOut<'_>) -> bool {
        let is_other_end = other.is_of(&self.shared);
        if is_other_end {
            self.shared.parts().rewind();
            self.pushed = 0;
            other.rewind();
        }
        is_other_end
    }
}

/// Returns how many frames a ring has that is to have a number of them.
fn length_of(frames: u32) -> u32 {
    frames.clamp(FRAMES[0], FRAMES[1]).next_power_of_two()
}

impl<A: Allocator + ?Sized> fmt::Debug for Stream<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("room", &self.frames.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for StreamIn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamIn").field("pushed", &self.pushed).finish_non_exhaustive()
    }
}
