//! Waves from recordings: brought to a rate and a loudness, and refused by name.

use std::io::Cursor;

use hound::{SampleFormat, WavSpec, WavWriter};
use loligo_containers::BlobBytes;
use loligo_sound::{PackedWave, Stream, Wave};
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::project::TestProject;
use crate::tones::{distance_from_sine, sine};

/// Returns a WAV with the same samples in each channel.
pub(crate) fn wav(channels: u16, rate: u32, samples: &[i16]) -> Vec<u8> {
    let spec = WavSpec {
        channels,
        sample_rate: rate,
        bits_per_sample: 16,
        sample_format: SampleFormat::Int,
    };
    let mut bytes = Vec::new();
    let mut writer = WavWriter::new(Cursor::new(&mut bytes), spec).expect("it may be written");
    for sample in samples {
        for _ in 0..channels {
            writer.write_sample(*sample).expect("it may be written");
        }
    }
    writer.finalize().expect("it may be written");
    bytes
}

/// Compiles a wave, and returns its payload or what is wrong.
fn compile(source: &str, recording: &[u8]) -> Result<Vec<u8>, String> {
    let files = [("tone.wave", source.as_bytes()), ("tone.wav", recording)];
    let project = TestProject::new(&files);
    project.compile()?;
    Ok(project.payload("wave", "tone"))
}

/// What is looked at of a wave.
struct Looked {
    rate: u32,
    channels: u32,
    frames: u32,
    range: Option<[u32; 2]>,
    samples: Vec<f32>,
}

fn look(payload: &[u8]) -> Looked {
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(payload, memory).expect("there is memory");
        let wave = Wave::open_in(&bytes, memory).expect("it is right");
        let (rate, channels, frames) = (wave.rate(), wave.channels(), wave.frames());
        let range = wave.loop_range();
        let mut mixer = crate::tones::mixer(memory);
        let id = mixer.add_wave(wave).expect("there is memory");
        let play = loligo_sound::Play::new(id).with_speed(48_000.0 / rate as f32);
        mixer.play(&play).expect("it plays");
        let heard = crate::tones::render(&mut mixer, frames as usize);
        Looked { rate, channels, frames, range, samples: crate::tones::left(&heard) }
    })
}

#[test]
fn a_recording_is_a_wave_as_it_is() {
    let samples = sine(48.0, 4800);
    let looked = look(&compile("file = \"tone.wav\"", &wav(1, 48_000, &samples)).expect("right"));
    assert_eq!((looked.rate, looked.channels, looked.frames), (48_000, 1, 4800));
    let expected: Vec<f32> = samples.iter().map(|at| f32::from(*at) / 32_768.0).collect();
    assert_eq!(looked.samples, expected, "no sample is changed");
}

#[test]
fn a_recording_is_brought_to_a_rate() {
    let recording = wav(2, 44_100, &sine(44.1, 44_100));
    let source = "file = \"tone.wav\" rate = 22050 loop = [ 4410 8820 ]";
    let looked = look(&compile(source, &recording).expect("it is right"));
    assert_eq!((looked.rate, looked.channels, looked.frames), (22_050, 2, 22_050));
    assert_eq!(looked.range, Some([2205, 4410]));
    let found = distance_from_sine(&looked.samples[1000..20_000], 1000.0 / 22_050.0);
    assert!(found > 70.0, "1 kHz is a sine as before: {found:.1} dB");
    let source = "file = \"tone.wav\" rate = 48000 channels = 1";
    let looked = look(&compile(source, &recording).expect("it is right"));
    assert_eq!((looked.rate, looked.channels, looked.frames), (48_000, 1, 48_000));
    let found = distance_from_sine(&looked.samples[1000..40_000], 1.0 / 48.0);
    assert!(found > 70.0, "upwards as well: {found:.1} dB");
}

#[test]
fn a_recording_is_as_loud_as_is_asked() {
    // EBU Tech 3341, case 1: a sine of 1 kHz on both sides at -23 dB is -23 LUFS.
    let level = 10.0_f64.powf(-23.0 / 20.0);
    let samples: Vec<i16> =
        sine(48.0, 48_000 * 2).iter().map(|at| (f64::from(*at) * 2.0 * level) as i16).collect();
    let recording = wav(2, 48_000, &samples);
    for (source, expected) in
        [("", -23.0), ("loudness = -18", -18.0), ("loudness = -18 volume = -6", -24.0)]
    {
        let source = format!("file = \"tone.wav\" {source}");
        let looked = look(&compile(&source, &recording).expect("it is right"));
        let peak = looked.samples.iter().fold(0.0_f32, |peak, at| peak.max(at.abs()));
        let found = 20.0 * libm::log10f(peak);
        assert!((found - expected).abs() < 0.15, "{source}: {found:.2} dB");
    }
}

#[test]
fn a_packed_wave_is_a_quarter_and_is_streamed_as_it_is_unpacked() {
    let recording = wav(2, 48_000, &sine(48.0, 10_000));
    let source = "file = \"tone.wav\" loop = [ 100 9000 ] packed = true";
    let packed = compile(source, &recording).expect("it is right");
    let plain = compile("file = \"tone.wav\"", &recording).expect("it is right");
    assert!(packed.len() * 3 < plain.len(), "{} of {} bytes", packed.len(), plain.len());
    let looked = look(&packed);
    assert_eq!((looked.channels, looked.frames, looked.range), (2, 10_000, Some([100, 9000])));
    let found = distance_from_sine(&looked.samples[2000..10_000], 1.0 / 48.0);
    assert!(found > 36.0, "{found:.1} dB");
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&packed, memory).expect("there is memory");
        let music = PackedWave::open(&bytes).expect("it is packed");
        let mut stream = Stream::try_new(16_384, 2, memory).expect("there is memory");
        let (mut input, output) = stream.split();
        let mut feeder = music.feeder(true, 0);
        let mut mixer = crate::tones::mixer(memory);
        let wave = Wave::streamed(output, music.rate()).expect("it is right");
        let id = mixer.add_wave(wave).expect("there is memory");
        mixer.play(&loligo_sound::Play::new(id)).expect("it plays");
        let mut heard = Vec::new();
        for _ in 0..20 {
            assert!(feeder.feed(&mut input, |block, out| music.read(block, out)), "a loop");
            heard.extend(crate::tones::left(&crate::tones::render(&mut mixer, 1000)));
        }
        assert_eq!(heard[..9000], looked.samples[..9000], "to the bit");
        assert_eq!(heard[9000..17_900], looked.samples[100..9000], "and in its loop");
    });
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&plain, memory).expect("there is memory");
        let error = PackedWave::open(&bytes).expect_err("it is not packed").to_string();
        assert!(error.contains("`packed_frames` must be those of a packed wave"), "{error}");
    });
}

#[test]
fn wrong_waves_are_refused_by_name() {
    let recording = wav(1, 48_000, &sine(48.0, 4800));
    for (source, expected) in [
        ("", "add `file = "),
        ("file = \"other.wav\"", "other.wav"),
        ("file = \"tone.wav\" lop = [ 0 1 ]", "lop"),
        (
            "file = \"tone.wav\" loop = [ 0 4801 ]",
            "the loop from 0 to 4801 is not within 4800 frames",
        ),
        ("file = \"tone.wav\" rate = 96000", "from 8000 to 48000"),
        ("file = \"tone.wav\" volume = 12", "decibels above full scale; lower its volume by 6.0"),
        ("file = \"tone.wave\"", "tone.wave: it is no WAV, FLAC, Ogg Vorbis or Opus"),
    ] {
        let error = compile(source, &recording).expect_err("it is wrong");
        assert!(
            error.contains("tone.wave") && error.contains(expected),
            "{error}\nnot: {expected}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn damaged_waves_are_refused_or_harmless(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        is_packed in any::<bool>(),
    ) {
        static PAYLOAD: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
            let source = "file = \"tone.wav\" loop = [ 10 90 ]";
            compile(source, &wav(2, 48_000, &sine(48.0, 100))).expect("it is right")
        });
        static PACKED: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
            let source = "file = \"tone.wav\" loop = [ 10 1090 ] packed = true";
            compile(source, &wav(1, 48_000, &sine(48.0, 1100))).expect("it is right")
        });
        let mut payload = if is_packed { PACKED.clone() } else { PAYLOAD.clone() };
        for (place, byte) in places {
            let at = place.index(payload.len());
            payload[at] = byte;
        }
        with_memory(|memory| {
            let bytes = BlobBytes::try_copy(&payload, memory).expect("there is memory");
            let Ok(wave) = Wave::open_in(&bytes, memory) else { return };
            let mut mixer = crate::tones::mixer(memory);
            let id = mixer.add_wave(wave).expect("there is memory");
            mixer.play(&loligo_sound::Play::new(id).with_speed(1.3).looped()).expect("it plays");
            let heard = crate::tones::render(&mut mixer, 512);
            assert!(heard.as_flattened().iter().all(|sample| sample.is_finite()));
        });
    }
}
