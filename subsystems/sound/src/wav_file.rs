//! What a mixer plays, as a WAV file.

use core::error::Error;
use core::fmt;
use std::io::{Seek, Write};
use std::string::{String, ToString};

use hound::{SampleFormat, WavSpec, WavWriter};

use crate::block::BLOCK;
use crate::mixer::Mixer;

/// How samples are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WavSamples {
    /// Whole numbers of 16 bits; what is above full scale is cut.
    #[default]
    Whole16,
    /// Floats of 32 bits: what the mixer computed, to the bit.
    Float32,
}

/// Writes what a mixer plays into a file, in place of a device.
///
/// The same frames are the same bytes on all machines, whatever pieces they are rendered in.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_sound::{Mixer, MixerSettings, Play, Wave, WavFile, WavSamples};
/// use std::io::Cursor;
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("sound", &pages);
/// let mut mixer = Mixer::try_new(&MixerSettings::default(), &heap)?;
/// let wave = mixer.add_wave(Wave::try_new(&[8_192; 480], 1, 48_000, &heap)?)?;
/// mixer.play(&Play::new(wave))?;
///
/// let mut bytes = Cursor::new(Vec::new());
/// let mut file = WavFile::<_, 2>::create(&mut bytes, mixer.rate(), WavSamples::Whole16)?;
/// file.render(&mut mixer, 4800)?;
/// file.finish()?;
/// assert_eq!(bytes.into_inner().len(), 44 + 4 * 4800);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WavFile<W: Write + Seek, const CHANNELS: usize> {
    writer: WavWriter<W>,
    samples: WavSamples,
    frames: u64,
}

/// A WAV file could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WavFileError {
    reason: String,
}

impl<W: Write + Seek, const CHANNELS: usize> WavFile<W, CHANNELS> {
    /// Begins a file with two channels, or the six of 5.1.
    ///
    /// # Errors
    ///
    /// [`WavFileError`] if its head cannot be written.
    pub fn create(writer: W, rate: u32, samples: WavSamples) -> Result<Self, WavFileError> {
        let (bits_per_sample, sample_format) = match samples {
            WavSamples::Whole16 => (16, SampleFormat::Int),
            WavSamples::Float32 => (32, SampleFormat::Float),
        };
        let channels = CHANNELS as u16;
        let spec = WavSpec { channels, sample_rate: rate, bits_per_sample, sample_format };
        let writer = WavWriter::new(writer, spec)?;
        Ok(Self { writer, samples, frames: 0 })
    }

    /// The frames that were written.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Writes frames.
    ///
    /// # Errors
    ///
    /// [`WavFileError`] if they cannot be written, or the file would be longer than 4 GiB.
    pub fn write(&mut self, frames: &[[f32; CHANNELS]]) -> Result<(), WavFileError> {
        for sample in frames.as_flattened() {
            match self.samples {
                WavSamples::Whole16 => {
                    let whole = libm::roundf(sample * 32_768.0).clamp(-32_768.0, 32_767.0);
                    self.writer.write_sample(whole as i16)?;
                }
                WavSamples::Float32 => self.writer.write_sample(*sample)?,
            }
        }
        self.frames += frames.len() as u64;
        Ok(())
    }

    /// Renders frames of a mixer, and writes them.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn render<A: loligo_allocators::Allocator + ?Sized>(
        &mut self,
        mixer: &mut Mixer<'_, A>,
        frames: u64,
    ) -> Result<(), WavFileError> {
        let mut left = frames;
        let mut piece = [[0.0; CHANNELS]; BLOCK];
        while left > 0 {
            let piece = &mut piece[..left.min(BLOCK as u64) as usize];
            mixer.render(piece);
            self.write(piece)?;
            left -= piece.len() as u64;
        }
        Ok(())
    }

    /// Writes how long the file is, without which players refuse it.
    ///
    /// # Errors
    ///
    /// [`WavFileError`] if it cannot be written.
    pub fn finish(self) -> Result<(), WavFileError> {
        Ok(self.writer.finalize()?)
    }
}

impl fmt::Display for WavFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the WAV file cannot be written: {}; free some room, or render less", self.reason)
    }
}

impl Error for WavFileError {}

impl From<hound::Error> for WavFileError {
    fn from(error: hound::Error) -> Self {
        Self { reason: error.to_string() }
    }
}

impl<W: Write + Seek, const CHANNELS: usize> fmt::Debug for WavFile<W, CHANNELS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WavFile").field("frames", &self.frames).finish_non_exhaustive()
    }
}
