//! Recordings: what is written is read, and what is damaged is refused.

use std::io::Cursor;

use hound::{SampleFormat, WavSpec, WavWriter};
use loligo_formats::Recording;
use proptest::prelude::*;

/// Returns a WAV of samples.
fn wav(channels: u16, bits: u16, samples: &[i32]) -> Vec<u8> {
    let spec = WavSpec {
        channels,
        sample_rate: 44_100,
        bits_per_sample: bits,
        sample_format: SampleFormat::Int,
    };
    let mut bytes = Vec::new();
    let mut writer = WavWriter::new(Cursor::new(&mut bytes), spec).expect("it may be written");
    for sample in samples {
        writer.write_sample(*sample).expect("it may be written");
    }
    writer.finalize().expect("it may be written");
    bytes
}

/// A FLAC of a constant: its header, and one frame of 4096 samples for which it has one, with its checksums.
fn flac() -> Vec<u8> {
    let mut bytes = b"fLaC\x80\x00\x00\x22\x10\x00\x10\x00\x00\x00\x00\x00\x00\x00".to_vec();
    // 44 100 frames a second, one channel, 16 bits, 4096 frames; no hash.
    bytes.extend([0x0a, 0xc4, 0x40, 0xf0, 0x00, 0x00, 0x10, 0x00]);
    bytes.extend([0; 16]);
    let mut frame = vec![0xff, 0xf8, 0xc9, 0x08, 0x00];
    frame.push(check(&frame, 0x07, 8) as u8);
    frame.extend([0x00, 0x20, 0x00]);
    let sum = check(&frame, 0x8005, 16);
    frame.extend([(sum >> 8) as u8, sum as u8]);
    bytes.extend(frame);
    bytes
}

/// A cyclic checksum with a polynomial of some bits.
fn check(bytes: &[u8], polynomial: u32, bits: u32) -> u32 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << (bits - 8), |sum, _| {
            let shifted = sum << 1 & ((1 << bits) - 1);
            if sum >> (bits - 1) == 1 { shifted ^ polynomial } else { shifted }
        })
    })
}

#[test]
fn waves_of_all_widths_are_read() {
    for (bits, most) in [(8, 1 << 7), (16, 1 << 15), (24, 1 << 23), (32, 1_i64 << 31)] {
        let samples = [0, -most, most / 2, -most / 4].map(|sample: i64| sample as i32);
        let recording = Recording::read(&wav(2, bits, &samples), 100).expect("it is right");
        assert_eq!((recording.rate, recording.channels, recording.frames()), (44_100, 2, 2));
        assert_eq!(recording.samples, [0.0, -1.0, 0.5, -0.25], "{bits} bits");
    }
}

#[test]
fn a_flac_is_read() {
    let recording = Recording::read(&flac(), 5000).expect("it is right");
    assert_eq!((recording.rate, recording.channels), (44_100, 1));
    assert_eq!(recording.samples, [0.25; 4096], "0x2000 of 0x8000");
    let error = Recording::read(&flac(), 4095).expect_err("it is too long").to_string();
    assert!(error.contains("more than 4095 frames; cut it into pieces"), "{error}");
}

#[test]
fn what_is_no_recording_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "it is no WAV, FLAC, Ogg Vorbis or Opus"),
        (b"MThd", "it is no WAV, FLAC, Ogg Vorbis or Opus; save the recording again as"),
        (b"RIFF", "the WAV is damaged: "),
        (b"fLaC", "the FLAC is damaged: "),
        (b"OggS", "the Ogg Vorbis is damaged: "),
        (&OPUS[..300], "the Opus is damaged: "),
        (&with_channels(6), "the Opus has 6 channels; save it with 1 or 2, or as FLAC"),
        (&wav(1, 16, &[]), "there is no sample in it"),
        (&wav(9, 16, &[0; 9]), "the WAV has 9 channels; save it with 1 to 8 channels"),
    ] {
        let error = Recording::read(bytes, 100).expect_err("it is wrong").to_string();
        assert!(error.contains(expected), "{error}\nnot: {expected}");
    }
    let whole = wav(2, 16, &[1; 40]);
    let error = Recording::read(&whole[..whole.len() - 3], 100).expect_err("it is cut").to_string();
    assert!(error.contains("the WAV is damaged: "), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn damaged_recordings_do_no_harm(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        kind in 0..4_u32,
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = match kind {
            0 => wav(2, 24, &[1000; 64]),
            1 => flac(),
            2 => TONE.to_vec(),
            _ => OPUS.to_vec(),
        };
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(1 + cut.index(bytes.len()));
        // Without right sums a page is refused before anything in it is looked at.
        sum_pages(&mut bytes);
        if let Ok(recording) = Recording::read(&bytes, 10_000) {
            prop_assert!(recording.samples.iter().all(|sample| sample.is_finite()));
            prop_assert!(recording.frames() <= 10_000);
        }
    }
}

/// A sine of 441 hertz at half of full scale, for a fifth of a second at 22 050 frames a second; our own, by
/// oggenc of vorbis-tools 1.4.2 at quality 3.
const TONE: &[u8] = include_bytes!("recordings/tone.ogg");

#[test]
fn a_vorbis_is_read() {
    let recording = Recording::read(TONE, 5000).expect("it is right");
    assert_eq!((recording.rate, recording.channels, recording.frames()), (22_050, 1, 4410));
    // A lossy sine: within a twentieth of the right one, away from its ends.
    for (at, sample) in recording.samples.iter().enumerate().take(4000).skip(400) {
        let expected = 0.5 * (core::f32::consts::TAU * 441.0 * at as f32 / 22_050.0).sin();
        assert!((sample - expected).abs() < 0.05, "frame {at}: {sample}, not {expected}");
    }
    let error = Recording::read(&TONE[..3000], 5000);
    assert!(error.is_err() || error.is_ok_and(|cut| cut.frames() < 4410), "it is cut");
}

/// The same at 48 000 frames a second, by opusenc of opus-tools 0.2 at 48 kbit/s.
const OPUS: &[u8] = include_bytes!("recordings/tone.opus");

#[test]
fn an_opus_is_read() {
    let recording = Recording::read(OPUS, 10_000).expect("it is right");
    assert_eq!((recording.rate, recording.channels, recording.frames()), (48_000, 1, 9600));
    for (at, sample) in recording.samples.iter().enumerate().take(9200).skip(400) {
        let expected = 0.5 * (core::f32::consts::TAU * 441.0 * at as f32 / 48_000.0).sin();
        assert!((sample - expected).abs() < 0.05, "frame {at}: {sample}, not {expected}");
    }
    let error = Recording::read(OPUS, 9599).expect_err("it is too long").to_string();
    assert!(error.contains("more than 9599 frames; cut it into pieces"), "{error}");
}

/// An Opus that says it has some channels.
fn with_channels(channels: u8) -> Vec<u8> {
    let mut bytes = OPUS.to_vec();
    let head = bytes.windows(8).position(|word| word == b"OpusHead").expect("it has a head");
    bytes[head + 9] = channels;
    // The mapping of more than two: a stream for each.
    if channels > 2 {
        bytes[head + 18] = 255;
        let mapping: Vec<u8> = [channels, 0].into_iter().chain(0..channels).collect();
        bytes[27] += mapping.len() as u8;
        bytes.splice(head + 19..head + 19, mapping);
    }
    sum_pages(&mut bytes);
    bytes
}

/// Writes the checksums of the pages of an Ogg, as far as it is one.
fn sum_pages(bytes: &mut [u8]) {
    let mut at = 0;
    while bytes[at..].starts_with(b"OggS") && at + 27 <= bytes.len() {
        let segments = usize::from(bytes[at + 26]);
        let Some(table) = bytes.get(at + 27..at + 27 + segments) else { return };
        let end = at + 27 + segments + table.iter().map(|part| usize::from(*part)).sum::<usize>();
        if end > bytes.len() {
            return;
        }
        bytes[at + 22..at + 26].fill(0);
        let sum = bytes[at..end].iter().fold(0_u32, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| {
                sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 }
            })
        });
        bytes[at + 22..at + 26].copy_from_slice(&sum.to_le_bytes());
        at = end;
    }
}
