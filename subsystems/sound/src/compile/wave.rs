//! The compiler of waves.

use std::format;
use std::vec::Vec;

use ebur128::{EbuR128, Mode};
use loligo_compiler::{CompileError, Compiler, Context, Property, build_blob};
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_formats::Recording;
use loligo_ids::murmur2_64a;

use super::resampled::resampled;
use crate::level::gain_of;
use crate::packed::{PACKED_FRAMES, PIECE_BLOCKS, Packer, packed_bytes};
use crate::signal::SPEED_MAX;
use crate::wave::{WAVE_VERSION, WaveImage};

/// The most frames of a wave: an hour at 48 000 a second.
const FRAMES_MAX: usize = 48_000 * 3600;

/// Compiles waves: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `file` | | path of a WAV, FLAC, Ogg Vorbis or Opus in the project |
/// | `rate` | as it is | frames a second, from 8000 to 48000; fewer take less memory and have nothing high |
/// | `channels` | as it is | 1 or 2; more are mixed down to 2, and 2 to 1 |
/// | `loop` | none | the first frame of a loop and the one after its last, in frames of the file |
/// | `loudness` | as it is | how loud it is to be by EBU R128, in LUFS, from -60 to 0 |
/// | `volume` | 0 | decibels that are added, from -60 to 24 |
/// | `packed` | false | a quarter of the bytes, with some noise |
/// | `streamed` | false | packed, and but for its first two thirds of a second read from its file while it plays: for music and other long ones |
#[derive(Clone, Copy, Debug, Default)]
pub struct WaveCompiler;

impl Compiler for WaveCompiler {
    fn version(&self) -> u32 {
        WAVE_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        source.allow(&[
            "file", "rate", "channels", "loop", "loudness", "volume", "packed", "streamed",
        ])?;
        let file = source.need("file", "add `file = \"steps/gravel.wav\"`")?;
        let path = file.string()?;
        let bytes = context.read(path)?;
        let recording = Recording::read(&bytes, FRAMES_MAX).map_err(|error| error.in_file(path))?;
        let draft = draft(&source, recording)?;
        let (mut payload, tail) = build(&draft, context.endian())?;
        context.set_tail(tail.len() as u64);
        payload.extend_from_slice(&tail);
        Ok(payload)
    }
}

/// A wave before it is written.
struct Draft {
    rate: u32,
    channels: Vec<Vec<f32>>,
    range: [u32; 2],
    loudness: f32,
    packing: Packing,
}

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Plain,
    Packed,
    /// Packed, all but the first piece in the tail.
    Streamed,
}

/// Makes of a recording what its source asks for.
fn draft(source: &Property, recording: Recording) -> Result<Draft, CompileError> {
    let range = match source.get("loop") {
        Some(range) => loop_of(range, recording.frames())?,
        None => [0; 2],
    };
    let wanted = source.number_or("channels", 1.0..=2.0, recording.channels.min(2) as f32)?;
    let mut channels = mixed(&recording, wanted as usize);
    let rate =
        source.number_or("rate", 8000.0..=48_000.0, recording.rate.clamp(8000, 48_000) as f32)?;
    let (from, rate) = (recording.rate, rate as u32);
    if from != rate {
        if from as f32 > SPEED_MAX * rate as f32 {
            let reason = format!("{from} frames a second are more than {SPEED_MAX} times {rate}");
            return Err(source.error(reason, "save the recording with fewer, or raise `rate`"));
        }
        for channel in &mut channels {
            *channel = resampled(channel, from, rate)?;
        }
    }
    let scaled = |frame: u32| {
        let frame = u64::from(frame) * u64::from(rate);
        ((frame + u64::from(from) / 2) / u64::from(from)) as u32
    };
    let is_heard = loudness(&channels, rate)?;
    let mut decibels = source.number_or("volume", -60.0..=24.0, 0.0)?;
    if let Some(wanted) = source.get("loudness") {
        decibels += wanted.number(-60.0..=0.0)? - is_heard;
    }
    let gain = gain_of(decibels);
    channels.iter_mut().flatten().for_each(|sample| *sample *= gain);
    let peak = peak(&channels);
    if peak > 1.0 {
        let over = 20.0 * libm::log10f(peak);
        let reason = format!("its highest sample is {over:.1} decibels above full scale");
        return Err(source.error(reason, format!("lower its volume by {:.1}", over + 0.05)));
    }
    let loudness = (is_heard + decibels).max(-144.0);
    let packing = packing(source)?;
    Ok(Draft { rate, channels, range: range.map(scaled), loudness, packing })
}

/// Reads how samples are to be stored.
fn packing(source: &Property) -> Result<Packing, CompileError> {
    let is_streamed = source.bool_or("streamed", false)?;
    let is_packed = source.bool_or("packed", is_streamed)?;
    match (is_packed, is_streamed) {
        (false, false) => Ok(Packing::Plain),
        (true, false) => Ok(Packing::Packed),
        (true, true) => Ok(Packing::Streamed),
        (false, true) => {
            let reason = "what is streamed is packed, and `packed` is false";
            Err(source.error(reason, "remove `packed`, or `streamed`"))
        }
    }
}

/// Reads a loop, which must be within the file.
fn loop_of(range: &Property, frames: usize) -> Result<[u32; 2], CompileError> {
    let [begin, end] = range.numbers::<2>(0.0..=FRAMES_MAX as f32)?.map(|frame| frame as u32);
    if begin >= end || end as usize > frames {
        let reason = format!("the loop from {begin} to {end} is not within {frames} frames");
        return Err(range.error(reason, "correct its ends"));
    }
    Ok([begin, end])
}

/// Returns one or two channels of a recording: those on the left are every other one.
fn mixed(recording: &Recording, channels: usize) -> Vec<Vec<f32>> {
    let all = recording.channels as usize;
    let side = |side: usize| {
        let own: Vec<usize> = (side.min(all - 1)..all).step_by(channels).collect();
        let share = 1.0 / own.len() as f32;
        let frames = recording.samples.chunks_exact(all);
        frames.map(|frame| own.iter().map(|at| frame[*at]).sum::<f32>() * share).collect()
    };
    (0..channels).map(side).collect()
}

/// Returns how loud it is, in LUFS; -144 if it is silent or too short to say.
fn loudness(channels: &[Vec<f32>], rate: u32) -> Result<f32, CompileError> {
    let failed = |error: ebur128::Error| {
        CompileError::new(format!("its loudness: {error}"), "save the recording again")
    };
    let mut meter = EbuR128::new(channels.len() as u32, rate, Mode::I).map_err(failed)?;
    let slices: Vec<&[f32]> = channels.iter().map(Vec::as_slice).collect();
    meter.add_frames_planar_f32(&slices).map_err(failed)?;
    let loudness = meter.loudness_global().map_err(failed)?;
    Ok(if loudness.is_finite() { loudness as f32 } else { -144.0 })
}

fn peak(channels: &[Vec<f32>]) -> f32 {
    channels.iter().flatten().fold(0.0, |peak, sample| peak.max(sample.abs()))
}

/// Writes a wave. Returns its payload and its tail.
fn build(draft: &Draft, endian: Endian) -> Result<(Vec<u8>, Vec<u8>), CompileError> {
    let frames = draft.channels.first().map_or(0, Vec::len);
    let sample = |at: usize| {
        let sample = draft.channels[at % draft.channels.len()][at / draft.channels.len()];
        // Full scale is 32 768, which is one more than there is.
        libm::roundf((sample * 32_768.0).clamp(-32_768.0, 32_767.0)) as i16
    };
    let samples: Vec<i16> = (0..frames * draft.channels.len()).map(sample).collect();
    let channels = draft.channels.len() as u32;
    let mut packed = match draft.packing {
        Packing::Plain => Vec::new(),
        Packing::Packed | Packing::Streamed => packed(&samples, channels),
    };
    let piece = PIECE_BLOCKS as usize * packed_bytes(channels);
    let tail = match draft.packing {
        Packing::Streamed => packed.split_off(piece.min(packed.len())),
        Packing::Plain | Packing::Packed => Vec::new(),
    };
    let sums: Vec<u64> = tail.chunks(piece).map(|piece| murmur2_64a(piece, 0)).collect();
    let payload = build_blob(|memory| {
        let mut builder = BlobBuilder::<WaveImage>::try_new(endian, memory)?;
        let root = builder.root();
        builder.set(root.at(blob_field!(WaveImage, rate)), draft.rate);
        builder.set(root.at(blob_field!(WaveImage, channels)), channels);
        builder.set(root.at(blob_field!(WaveImage, range)), draft.range);
        builder.set(root.at(blob_field!(WaveImage, loudness)), draft.loudness);
        builder.set(root.at(blob_field!(WaveImage, peak)), peak(&draft.channels));
        if draft.packing == Packing::Plain {
            builder.numbers(root.at(blob_field!(WaveImage, samples)), &samples)?;
        } else {
            builder.set(root.at(blob_field!(WaveImage, packed_frames)), frames as u32);
            builder.numbers(root.at(blob_field!(WaveImage, packed)), &packed)?;
            builder.numbers(root.at(blob_field!(WaveImage, sums)), &sums)?;
        }
        Ok(builder.finish())
    })?;
    Ok((payload, tail))
}

/// Packs all blocks of a wave.
fn packed(samples: &[i16], channels: u32) -> Vec<u8> {
    let mut packer = Packer::default();
    let mut all = Vec::new();
    for block in samples.chunks(PACKED_FRAMES * channels as usize) {
        let first = all.len();
        all.resize(first + packed_bytes(channels), 0);
        packer.pack(block, channels, &mut all[first..]);
    }
    all
}
