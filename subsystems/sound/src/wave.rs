//! The samples of a sound.

mod image;
mod packed_wave;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Blob};
use loligo_resources::DataError;

pub use image::WaveImage;
pub use packed_wave::PackedWave;

use crate::error::WaveError;
use crate::stream::StreamOut;
pub(crate) use crate::stream::Supply;

/// The type of waves.
pub const WAVE_TYPE: &str = "wave";

/// The version of waves that is compiled and read here.
pub const WAVE_VERSION: u32 = 3;

/// Samples of 16 bits, of one or two channels, with a rate and perhaps a loop.
///
/// # Memory
///
/// Two bytes a sample and channel, the channels of a frame next to each other, as in files.
pub struct Wave<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    samples: Samples<'a, A>,
    rate: u32,
    channels: u32,
    begin: u32,
    /// The frame after the loop's last; 0: there is none.
    end: u32,
}

/// Where the samples of a wave are.
enum Samples<'a, A: Allocator + ?Sized> {
    Memory(Array<'a, i16, A>),
    Stream(StreamOut<'a>),
}

impl<'a> Wave<'a> {
    /// Returns a wave with a copy of `samples`.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if they are not samples of that many channels, or there is no memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_sound::Wave;
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("sound", &pages);
    /// let wave = Wave::try_new(&[0, 100, 200, 100], 2, 48_000, &heap)?;
    /// assert_eq!(wave.frames(), 2);
    /// let error = Wave::try_new(&[0; 3], 2, 48_000, &heap).expect_err("half a frame");
    /// assert!(error.to_string().starts_with("3 samples do not make a wave of 2 channels"));
    /// # Ok::<(), loligo_sound::WaveError>(())
    /// ```
    pub fn try_new(
        samples: &[i16],
        channels: u32,
        rate: u32,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, WaveError> {
        Self::try_new_in(samples, channels, rate, memory)
    }

    /// Returns a wave whose samples come while it is played, once. It has no loop: what loops is put into the
    /// stream again. It plays until the stream [ends](crate::StreamIn::finish), and for 2^31 frames at most.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if the rate is out of its range.
    pub fn streamed(stream: StreamOut<'a>, rate: u32) -> Result<Self, WaveError> {
        Self::streamed_in(stream, rate)
    }
}

impl<'a, A: Allocator + ?Sized> Wave<'a, A> {
    /// As [`try_new`](Wave::try_new), over any allocator.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if they are not samples of that many channels, or there is no memory.
    pub fn try_new_in(
        samples: &[i16],
        channels: u32,
        rate: u32,
        memory: &'a A,
    ) -> Result<Self, WaveError> {
        let samples = Array::try_from_slice_in(samples, memory)?;
        Self::of_samples(samples, channels, rate)
    }

    /// Returns a wave of samples that are its own.
    fn of_samples(samples: Array<'a, i16, A>, channels: u32, rate: u32) -> Result<Self, WaveError> {
        if !(1..=2).contains(&channels) {
            return Err(WaveError::Channels(channels));
        }
        if !(1000..=768_000).contains(&rate) {
            return Err(WaveError::Rate(rate));
        }
        let len = samples.len();
        let frames = len / channels as usize;
        if frames == 0 || frames * channels as usize != len || frames > i32::MAX as usize {
            return Err(WaveError::Samples { samples: len, channels });
        }
        Ok(Self { samples: Samples::Memory(samples), rate, channels, begin: 0, end: 0 })
    }

    /// As [`streamed`](Wave::streamed), for a mixer over any allocator.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if the rate is out of its range.
    pub fn streamed_in(stream: StreamOut<'a>, rate: u32) -> Result<Self, WaveError> {
        if !(1000..=768_000).contains(&rate) {
            return Err(WaveError::Rate(rate));
        }
        let channels = stream.channels();
        Ok(Self { samples: Samples::Stream(stream), rate, channels, begin: 0, end: 0 })
    }

    /// Returns the stream of a wave that is streamed, to be [rewound](crate::StreamIn::rewind).
    #[must_use]
    pub fn into_stream(self) -> Option<StreamOut<'a>> {
        match self.samples {
            Samples::Memory(_) => None,
            Samples::Stream(stream) => Some(stream),
        }
    }

    /// Returns whether its samples come while it is played.
    #[must_use]
    pub const fn is_streamed(&self) -> bool {
        matches!(self.samples, Samples::Stream(_))
    }

    /// Returns the wave that the payload of a resource of type `wave` is, copied, and unpacked if it is packed.
    /// The payload must be at a multiple of 16, as that of a loaded resource is.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if it is damaged or to be streamed, or there is no memory.
    pub fn open_in(payload: &[u8], memory: &'a A) -> Result<Self, WaveError> {
        Self::open_whole_in(payload, &[], memory)
    }

    /// As [`open_in`](Self::open_in), of a wave that is to be streamed as well: `tail` is what follows the payload in
    /// its file.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if it is damaged, or there is no memory.
    pub fn open_whole_in(payload: &[u8], tail: &[u8], memory: &'a A) -> Result<Self, WaveError> {
        let blob = Blob::<WaveImage>::open_structure(payload)
            .map_err(|error| WaveError::Data(DataError::blob(WAVE_TYPE, error)))?;
        let image = blob.root();
        let wave = if image.packed_frames == 0 {
            Self::try_new_in(blob.array(&image.samples), image.channels, image.rate, memory)?
        } else {
            PackedWave::open(payload)?.with_tail(tail)?.unpacked(memory)?
        };
        match image.range {
            [0, 0] => Ok(wave),
            [begin, end] => wave.with_loop(begin, end),
        }
    }

    /// Returns the wave with a loop: after frame `end - 1` comes frame `begin`.
    ///
    /// # Errors
    ///
    /// [`WaveError`] if the loop is empty or not within the wave.
    pub fn with_loop(mut self, begin: u32, end: u32) -> Result<Self, WaveError> {
        let frames = self.frames();
        if begin >= end || end > frames {
            return Err(WaveError::Loop { begin, end, frames });
        }
        (self.begin, self.end) = (begin, end);
        Ok(self)
    }

    /// The number of frames: samples of each channel. Of a stream that has not ended, 2^31 - 1.
    #[must_use]
    pub fn frames(&self) -> u32 {
        match &self.samples {
            Samples::Memory(samples) => (samples.len() / self.channels as usize) as u32,
            Samples::Stream(stream) => stream.frames(),
        }
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

    /// The first frame of the loop and the one after its last; `None` if there is no loop.
    #[must_use]
    pub fn loop_range(&self) -> Option<[u32; 2]> {
        (self.end > 0).then_some([self.begin, self.end])
    }

    /// Writes the samples of a channel from frame `from` on as floats. What is before the wave or after it
    /// is silence; with `looped`, what is after the loop is the loop again, and with `wrapped` what is
    /// before it is its end.
    pub(crate) fn read(&self, channel: u32, from: i64, reading: Reading, out: &mut [f32]) {
        let samples = match &self.samples {
            Samples::Memory(samples) => &samples[..],
            Samples::Stream(stream) => return stream.read(channel, from, out),
        };
        let range = self.loop_range().filter(|_| reading.is_looped);
        let (mut at, mut rest) = (from, out);
        while !rest.is_empty() {
            let (frame, until) = self.piece(at, range, reading.is_wrapped);
            let count = usize::try_from(until).map_or(rest.len(), |count| count.min(rest.len()));
            let (now, later) = rest.split_at_mut(count);
            match frame {
                Some(frame) => copy(samples, [self.channels, channel], frame, now),
                None => now.fill(0.0),
            }
            at += count as i64;
            rest = later;
        }
    }

    /// Returns the frame that is heard at a time, and for how many frames the next ones follow it.
    fn piece(&self, at: i64, range: Option<[u32; 2]>, is_wrapped: bool) -> (Option<u32>, i64) {
        let frames = i64::from(self.frames());
        match range.map(|range| range.map(i64::from)) {
            Some([begin, end]) if at >= end || (is_wrapped && at < begin) => {
                let frame = begin + (at - begin).rem_euclid(end - begin);
                (Some(frame as u32), end - frame)
            }
            _ if at < 0 => (None, -at),
            Some([_, end]) => (Some(at as u32), end - at),
            None if at < frames => (Some(at as u32), frames - at),
            None => (None, i64::MAX),
        }
    }

    /// Returns whether the frames up to one are there, and as many more.
    pub(crate) fn supply(&self, until: u64, more: u64) -> Supply {
        match &self.samples {
            Samples::Memory(_) => Supply::Enough,
            Samples::Stream(stream) => stream.supply(until, more),
        }
    }

    /// Notes that frames before one are not read again.
    pub(crate) fn release(&self, frame: u64) {
        if let Samples::Stream(stream) = &self.samples {
            stream.release(frame);
        }
    }

    /// Counts that its stream was late.
    pub(crate) fn note_underrun(&self) {
        if let Samples::Stream(stream) = &self.samples {
            stream.note_underrun();
        }
    }

    /// Notes that it is played, if it can be only once.
    pub(crate) fn claim(&self) {
        if let Samples::Stream(stream) = &self.samples {
            stream.claim();
        }
    }

    /// Returns whether it cannot be played again.
    pub(crate) fn is_claimed(&self) -> bool {
        match &self.samples {
            Samples::Memory(_) => false,
            Samples::Stream(stream) => stream.is_claimed(),
        }
    }
}

/// Copies samples of a channel that are all there.
fn copy(samples: &[i16], [channels, channel]: [u32; 2], frame: u32, out: &mut [f32]) {
    const SCALE: f32 = 1.0 / 32_768.0;
    let samples = &samples[frame as usize * channels as usize..];
    if channels == 1 {
        for (out, sample) in out.iter_mut().zip(samples) {
            *out = f32::from(*sample) * SCALE;
        }
    } else {
        for (out, pair) in out.iter_mut().zip(samples.as_chunks::<2>().0) {
            *out = f32::from(pair[channel as usize]) * SCALE;
        }
    }
}

/// How a wave is read around its loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The loop is followed.
    pub(crate) is_looped: bool,
    /// It was followed already.
    pub(crate) is_wrapped: bool,
}

impl<A: Allocator + ?Sized> fmt::Debug for Wave<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wave")
            .field("frames", &self.frames())
            .field("channels", &self.channels)
            .field("rate", &self.rate)
            .field("loop_range", &self.loop_range())
            .finish()
    }
}
