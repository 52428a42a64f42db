//! Recordings in WAV, FLAC, Ogg Vorbis and Opus.

use std::io::Cursor;

use loligo_compiler::CompileError;
use opus_pure::{MAX_PACKET_SAMPLES, OggOpusReader, Trim};

/// The most channels of a recording.
const CHANNELS_MAX: u32 = 8;

/// The frames a second of Opus, whatever it was made from.
const OPUS_RATE: u32 = 48_000;

/// In which bytes of an Ogg its first page says what is in it.
const FIRST_PAGE: usize = 64;

/// A recording: samples from -1 to 1, the channels of a frame next to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Frames a second.
    pub rate: u32,
    /// Samples of a frame.
    pub channels: u32,
    /// The samples; a whole number of frames.
    pub samples: Vec<f32>,
}

impl Recording {
    /// Reads a WAV (whole numbers of 8 to 32 bits, or floats), a FLAC, an Ogg Vorbis or an Opus of one or two
    /// channels, which the bytes themselves say, of `frames_max` frames at the most.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the file is damaged, of none of these kinds, or too long. It names no file, which
    /// the caller knows.
    pub fn read(bytes: &[u8], frames_max: usize) -> Result<Self, CompileError> {
        let recording = match bytes {
            [b'R', b'I', b'F', b'F', ..] => Self::read_wav(bytes, frames_max),
            [b'f', b'L', b'a', b'C', ..] => Self::read_flac(bytes, frames_max),
            [b'O', b'g', b'g', b'S', ..] if is_opus(bytes) => Self::read_opus(bytes, frames_max),
            [b'O', b'g', b'g', b'S', ..] => Self::read_vorbis(bytes, frames_max),
            _ => Err(CompileError::new("it is no WAV, FLAC, Ogg Vorbis or Opus", REMEDY)),
        }?;
        if recording.samples.is_empty() {
            return Err(CompileError::new("there is no sample in it", REMEDY));
        }
        Ok(recording)
    }

    /// The number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.samples.len() / self.channels as usize
    }

    fn read_wav(bytes: &[u8], frames_max: usize) -> Result<Self, CompileError> {
        let damaged = |error: hound::Error| damaged("WAV", &error.to_string());
        let mut reader = hound::WavReader::new(Cursor::new(bytes)).map_err(damaged)?;
        let spec = reader.spec();
        let mut recording = Self::begun("WAV", spec.sample_rate, u32::from(spec.channels))?;
        match spec.sample_format {
            hound::SampleFormat::Float => {
                for sample in reader.samples::<f32>() {
                    recording.push(sample.map_err(damaged)?, frames_max)?;
                }
            }
            hound::SampleFormat::Int => {
                let bits = u32::from(spec.bits_per_sample).clamp(1, 32);
                for sample in reader.samples::<i32>() {
                    recording.push(whole(sample.map_err(damaged)?, bits), frames_max)?;
                }
            }
        }
        recording.finished("WAV")
    }

    fn read_flac(bytes: &[u8], frames_max: usize) -> Result<Self, CompileError> {
        let damaged = |error: claxon::Error| damaged("FLAC", &error.to_string());
        let mut reader = claxon::FlacReader::new(Cursor::new(bytes)).map_err(damaged)?;
        let info = reader.streaminfo();
        let mut recording = Self::begun("FLAC", info.sample_rate, info.channels)?;
        for sample in reader.samples() {
            let sample = whole(sample.map_err(damaged)?, info.bits_per_sample.clamp(1, 32));
            recording.push(sample, frames_max)?;
        }
        recording.finished("FLAC")
    }

    fn read_vorbis(bytes: &[u8], frames_max: usize) -> Result<Self, CompileError> {
        let damaged = |error: lewton::VorbisError| damaged("Ogg Vorbis", &error.to_string());
        let mut reader =
            lewton::inside_ogg::OggStreamReader::new(Cursor::new(bytes)).map_err(damaged)?;
        let header = &reader.ident_hdr;
        let channels = u32::from(header.audio_channels);
        let mut recording = Self::begun("Ogg Vorbis", header.audio_sample_rate, channels)?;
        while let Some(packet) = reader
            .read_dec_packet_generic::<lewton::samples::InterleavedSamples<f32>>()
            .map_err(damaged)?
        {
            for sample in packet.samples {
                recording.push(sample, frames_max)?;
            }
        }
        // Packets are whole; where the recording ends within the last one is said apart.
        if let Some(frames) = reader.get_last_absgp().and_then(|at| usize::try_from(at).ok()) {
            recording.samples.truncate(frames.saturating_mul(channels as usize));
        }
        recording.finished("Ogg Vorbis")
    }

    fn read_opus(bytes: &[u8], frames_max: usize) -> Result<Self, CompileError> {
        let damaged = |error: opus_pure::Error| damaged("Opus", &error.to_string());
        let mut reader = OggOpusReader::new(Cursor::new(bytes)).map_err(damaged)?;
        let channels = usize::from(reader.head().channel_count);
        if !(1..=2).contains(&channels) {
            let reason = format!("the Opus has {channels} channels");
            return Err(CompileError::new(reason, "save it with 1 or 2, or as FLAC"));
        }
        let mut recording = Self::begun("Opus", OPUS_RATE, channels as u32)?;
        let rate = OPUS_RATE as i32;
        let mut decoder = reader.head().decoder(rate).map_err(damaged)?;
        // What the coder needs to begin, and what fills the last packet, are no part of the recording.
        let mut trim = Trim::new(reader.head(), rate, channels).map_err(damaged)?;
        let mut decoded = vec![0.0; MAX_PACKET_SAMPLES * channels];
        for packet in reader.packets() {
            let packet = packet.map_err(damaged)?;
            let frames =
                decoder.decode(&packet.data, MAX_PACKET_SAMPLES, &mut decoded).map_err(damaged)?;
            for sample in trim.keep(&packet, &decoded[..frames * channels]) {
                recording.push(*sample, frames_max)?;
            }
        }
        recording.finished("Opus")
    }

    /// Returns a recording without samples.
    fn begun(kind: &str, rate: u32, channels: u32) -> Result<Self, CompileError> {
        if !(1..=CHANNELS_MAX).contains(&channels) {
            let reason = format!("the {kind} has {channels} channels");
            return Err(CompileError::new(reason, "save it with 1 to 8 channels"));
        }
        if !(1000..=768_000).contains(&rate) {
            let reason = format!("the {kind} has {rate} frames a second");
            return Err(CompileError::new(reason, "save it with 1000 to 768000"));
        }
        Ok(Self { rate, channels, samples: Vec::new() })
    }

    fn push(&mut self, sample: f32, frames_max: usize) -> Result<(), CompileError> {
        // Few bytes may say that there is silence for hours.
        if self.samples.len() >= frames_max.saturating_mul(self.channels as usize) {
            let reason = format!("the recording has more than {frames_max} frames");
            return Err(CompileError::new(reason, "cut it into pieces"));
        }
        self.samples.push(if sample.is_finite() { sample } else { 0.0 });
        Ok(())
    }

    fn finished(self, kind: &str) -> Result<Self, CompileError> {
        match self.samples.len() % self.channels as usize {
            0 => Ok(self),
            _ => Err(damaged(kind, "it ends within a frame")),
        }
    }
}

const REMEDY: &str = "save the recording again as WAV, FLAC, Ogg Vorbis or Opus";

/// Returns `true` if what is in an Ogg is Opus.
fn is_opus(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(FIRST_PAGE)].windows(8).any(|word| word == b"OpusHead")
}

/// Returns a sample that was stored as a whole number of some bits.
fn whole(sample: i32, bits: u32) -> f32 {
    (f64::from(sample) / f64::from(1_u32 << (bits - 1))) as f32
}

fn damaged(kind: &str, why: &str) -> CompileError {
    CompileError::new(format!("the {kind} is damaged: {why}"), REMEDY)
}
