//! Samples that come while they are played.

mod feeder;
#[cfg(all(test, loom))]
mod loom;
mod out;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

pub use feeder::Feeder;
pub use out::StreamOut;
pub(crate) use out::Supply;

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

/// What both ends count.
#[derive(Default)]
struct Counts {
    pushed: Count,
    released: Count,
}

/// Counts that one thread writes, in their own cache line.
#[derive(Default)]
#[repr(align(64))]
struct Count {
    frames: AtomicU32,
    /// Of the end that pushes: 1 if there are no more to come. Of the other: the times that frames were late.
    noted: AtomicU32,
}

/// The end of a [`Stream`] into which frames are put.
pub struct StreamIn<'p> {
    shared: Shared<'p>,
    pushed: u32,
}

#[derive(Clone, Copy)]
struct Shared<'p> {
    frames: &'p [AtomicU32],
    channels: u32,
    counts: &'p Counts,
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
        let len = frames.clamp(FRAMES[0], FRAMES[1]).next_power_of_two();
        Self::of_length(len, channels.clamp(1, 2), memory)
    }

    fn of_length(len: u32, channels: u32, memory: &'a A) -> Result<Self, GrowError> {
        let mut frames = Array::new_in(memory);
        frames.try_extend_with(len as usize, |_| AtomicU32::new(0))?;
        Ok(Self { frames, channels, counts: Counts::default() })
    }

    /// Returns both ends, each for one thread, of a stream that begins.
    pub fn split(&mut self) -> (StreamIn<'_>, StreamOut<'_>) {
        let shared = Shared { frames: &self.frames, channels: self.channels, counts: &self.counts };
        shared.rewind();
        (StreamIn { shared, pushed: 0 }, StreamOut::new(shared))
    }
}

impl Shared<'_> {
    /// Has the stream begin again. There is no other thread that uses it now.
    fn rewind(&self) {
        for count in [&self.counts.pushed, &self.counts.released] {
            count.frames.store(0, Ordering::Relaxed);
            count.noted.store(0, Ordering::Relaxed);
        }
    }
}

impl StreamIn<'_> {
    /// How many frames there is room for.
    #[must_use]
    pub fn room(&self) -> usize {
        let released = self.shared.counts.released.frames.load(Ordering::Acquire);
        let left = ENDLESS - 1 - self.pushed;
        (self.shared.frames.len() as u32 - (self.pushed - released)).min(left) as usize
    }

    /// The number of channels.
    #[must_use]
    pub const fn channels(&self) -> u32 {
        self.shared.channels
    }

    /// Puts frames in, the channels of each next to each other. Returns how many there was room for.
    ///
    /// # Complexity
    ///
    /// O(frames). Allocates nothing.
    pub fn push(&mut self, samples: &[i16]) -> usize {
        let channels = self.shared.channels as usize;
        let count = (samples.len() / channels).min(self.room());
        let mask = self.shared.frames.len() - 1;
        for (frame, at) in samples.chunks_exact(channels).take(count).zip(self.pushed as usize..) {
            let word = u32::from(frame[0].cast_unsigned())
                | u32::from(frame[channels - 1].cast_unsigned()) << 16;
            self.shared.frames[at & mask].store(word, Ordering::Relaxed);
        }
        self.pushed += count as u32;
        // Pairs with the acquiring load in `StreamOut`: a thread that sees the count sees the frames.
        self.shared.counts.pushed.frames.store(self.pushed, handed_on());
        count
    }

    /// Notes that there are no more frames: the voice ends after the last one.
    pub fn finish(&mut self) {
        self.shared.counts.pushed.noted.store(1, Ordering::Release);
    }

    /// How often frames were late.
    #[must_use]
    pub fn underruns(&self) -> u32 {
        self.shared.counts.released.noted.load(Ordering::Relaxed)
    }

    /// Has the stream begin again, to be played once more: with its other end, which a wave gives
    /// back. Returns `false` if that is of another stream.
    pub fn rewind(&mut self, other: &mut StreamOut<'_>) -> bool {
        let is_other_end = other.is_of(&self.shared);
        if is_other_end {
            self.shared.rewind();
            self.pushed = 0;
            other.rewind();
        }
        is_other_end
    }
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
