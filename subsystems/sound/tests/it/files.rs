//! What is heard, as a file.

use std::io::{Cursor, Error, Seek, SeekFrom, Write};

use hound::WavReader;
use loligo_sound::{Mixer, MixerSettings, Play, WavFile, WavSamples, Wave};

use crate::memory::with_memory;
use crate::tones::{mixer, render, sine, wave};

#[test]
fn a_file_has_what_is_heard() {
    with_memory(|memory| {
        let play = || {
            let mut mixer = mixer(memory);
            let id = mixer.add_wave(wave(&sine(37.3, 3000), memory)).expect("there is memory");
            mixer.play(&Play::new(id).with_speed(0.9)).expect("it plays");
            mixer
        };
        let expected = render(&mut play(), 4000);
        let mut bytes = Cursor::new(Vec::new());
        let mut file =
            WavFile::<_, 2>::create(&mut bytes, 48_000, WavSamples::Float32).expect("ok");
        let mut mixer = play();
        file.render(&mut mixer, 77).expect("it can be written");
        file.render(&mut mixer, 4000 - 77).expect("it can be written");
        assert_eq!(file.frames(), 4000);
        file.finish().expect("it can be written");
        let reader = WavReader::new(Cursor::new(bytes.into_inner())).expect("it is a WAV");
        assert_eq!(reader.spec().sample_rate, 48_000);
        let found: Vec<f32> = reader.into_samples().map(|sample| sample.expect("right")).collect();
        assert_eq!(found, expected.as_flattened(), "to the bit");
    });
}

#[test]
fn whole_numbers_are_rounded_and_cut() {
    let mut bytes = Cursor::new(Vec::new());
    let mut file = WavFile::<_, 6>::create(&mut bytes, 44_100, WavSamples::Whole16).expect("ok");
    let frame = [0.25, -0.25, 1.5, -1.5, 1.4 / 32_768.0, f32::NAN];
    file.write(&[frame]).expect("it can be written");
    file.finish().expect("it can be written");
    let reader = WavReader::new(Cursor::new(bytes.into_inner())).expect("it is a WAV");
    assert_eq!(reader.spec().channels, 6);
    let found: Vec<i16> = reader.into_samples().map(|sample| sample.expect("right")).collect();
    assert_eq!(found, [8192, -8192, 32_767, -32_768, 1, 0]);
}

/// A disk with room for a number of bytes.
struct Disk(Cursor<Vec<u8>>, usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        if self.0.position() as usize + bytes.len() > self.1 {
            return Err(Error::other("no room on the disk"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, Error> {
        self.0.seek(to)
    }
}

#[test]
fn a_full_disk_is_an_error() {
    with_memory(|memory| {
        let settings = MixerSettings { channels: 6, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
        let wave = Wave::try_new(&[100; 9000], 1, 48_000, memory).expect("it is right");
        mixer.add_wave(wave).expect("there is memory");
        for room in [0, 20, 100, 5000] {
            let mut disk = Disk(Cursor::new(Vec::new()), room);
            let done = WavFile::<_, 6>::create(&mut disk, 48_000, WavSamples::Whole16)
                .and_then(|mut file| file.render(&mut mixer, 9000).and_then(|()| file.finish()));
            let error = done.expect_err("there is no room").to_string();
            assert!(error.contains("no room on the disk; free some room"), "{error}");
        }
    });
}
