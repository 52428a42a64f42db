//! `loligo sound` from the outside.

use std::fs;
use std::io::Cursor;

use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use loligo_compiler::{Compilers, Project, Threads};

use crate::support::Place;

/// Returns a WAV of a sine at a quarter of full scale.
pub(crate) fn tone(channels: u16, rate: u32, hertz: f32, frames: u32) -> Vec<u8> {
    let sample_format = SampleFormat::Int;
    let spec = WavSpec { channels, sample_rate: rate, bits_per_sample: 16, sample_format };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, spec).expect("it may be written");
    for at in 0..frames {
        let angle = core::f32::consts::TAU * hertz * at as f32 / rate as f32;
        for _ in 0..channels {
            writer.write_sample((angle.sin() * 8192.0) as i16).expect("it may be written");
        }
    }
    writer.finalize().expect("it may be written");
    bytes.into_inner()
}

pub(crate) fn samples(place: &Place, name: &str) -> (WavSpec, Vec<i32>) {
    let bytes = fs::read(place.path(name)).expect("it is there");
    let reader = WavReader::new(Cursor::new(bytes)).expect("it is a WAV");
    let spec = reader.spec();
    (spec, reader.into_samples().map(|sample| sample.expect("right")).collect())
}

#[test]
fn a_recording_is_rendered_as_it_is() {
    let place = Place::new();
    place.file("tone.wav", tone(2, 48_000, 440.0, 48_000));
    let (code, stdout, stderr) = place.run(&["sound", "render", "tone.wav", "-o", "out.wav"]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(
        stdout.starts_with("tone.wav: 1.00 s, 48000 frames a second, parts played: 1; -"),
        "{stdout}"
    );
    let (spec, out) = samples(&place, "out.wav");
    let (_, tone) = samples(&place, "tone.wav");
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (2, 48_000, 16));
    assert_eq!(out[..tone.len()], tone[..], "no sample is changed");
}

#[test]
fn a_recording_is_rendered_faster_and_for_a_time() {
    let place = Place::new();
    place.file("tone.wav", tone(1, 44_100, 440.0, 88_200));
    let arguments = ["sound", "render", "tone.wav", "--speed", "2", "--seconds", "1.5", "--float"];
    let (code, _, stderr) = place.run(&[&arguments[..], &["-o", "out.wav"]].concat());
    assert_eq!((code, &*stderr), (0, ""));
    let bytes = fs::read(place.path("out.wav")).expect("it is there");
    let reader = WavReader::new(Cursor::new(bytes)).expect("it is a WAV");
    assert_eq!((reader.spec().sample_format, reader.duration()), (SampleFormat::Float, 72_000));
    let out: Vec<f32> = reader.into_samples().map(|sample| sample.expect("right")).collect();
    let left: Vec<f32> = out.chunks(2).map(|frame| frame[0]).collect();
    let crossings = left[..48_000].windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0);
    assert!((878..=882).contains(&crossings.count()), "440 Hz at twice the speed");
    assert!(left[48_100..].iter().all(|sample| *sample == 0.0), "then silence");
}

#[test]
fn a_page_about_a_sound_needs_nothing_outside_itself() {
    let place = Place::new();
    place.file("a <b>.wav", tone(1, 48_000, 440.0, 24_000));
    let (code, stdout, stderr) = place.run(&["sound", "report", "a <b>.wav", "-o", "page.html"]);
    assert_eq!((code, &*stdout, &*stderr), (0, "", ""));
    let page = fs::read_to_string(place.path("page.html")).expect("it is there");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "it is whole");
    for part in ["Waveform", "Spectrogram", "Loudness", "Memory", "48000 bytes of waves", "LUFS"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("a &lt;b&gt;") && !page.contains("a <b>"), "names are texts");
    assert!(page.contains("src=\"data:image/png;base64,"), "the picture is in it");
    for outside in ["<link", "src=\"http", "@import", "url(", "https://", "fetch(", "import("] {
        assert!(!page.contains(outside), "the page has `{outside}`");
    }
}

#[test]
fn compiled_waves_are_found_by_name() {
    let place = Place::new();
    fs::create_dir_all(place.path("game/steps")).expect("a folder");
    place.file("game/steps/gravel.wave", "file = \"steps/gravel.wav\" loop = [ 0 4800 ]");
    place.file("game/steps/gravel.wav", tone(1, 48_000, 200.0, 4800));
    place.file("game/song.wave", "file = \"song.wav\" streamed = true");
    place.file("game/song.wav", tone(1, 48_000, 200.0, 96_000));
    let mut compilers = Compilers::built_in();
    loligo_sound::compile::register(&mut compilers);
    let (sources, data) = (place.path("game"), place.path("data"));
    let report = Project::new(&sources, &data, &compilers).compile(&Threads::default());
    assert!(report.expect("the folders are there").errors.is_empty(), "it is right");
    let render = |name: &str, more: &[&str]| {
        let arguments = ["sound", "render", name, "--data", "data", "-o", "out.wav"];
        place.run(&[&arguments[..], more].concat())
    };
    let (code, stdout, stderr) = render("steps/gravel", &[]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.starts_with("steps/gravel: 0.1"), "once: {stdout}");
    let (code, stdout, _) = render("steps/gravel", &["--seconds", "2"]);
    assert!(code == 0 && stdout.starts_with("steps/gravel: 2.00 s"), "in its loop: {stdout}");
    let (_, out) = samples(&place, "out.wav");
    let late = out[160_000..].iter().map(|sample| sample.abs()).max();
    assert!(late > Some(8000), "and it is heard until the end");
    let (code, stdout, stderr) = render("song", &[]);
    assert_eq!((code, &*stderr), (0, ""), "what is streamed in a game is read whole here");
    assert!(stdout.starts_with("song: 2.0"), "{stdout}");
    let (_, out) = samples(&place, "out.wav");
    let late = out[150_000..190_000].iter().map(|sample| sample.abs()).max();
    assert!(late > Some(8000), "and it is heard until the end");
    let report = ["sound", "report", "song", "--data", "data", "-o", "song.html"];
    assert_eq!(place.run(&report).0, 0);
    let page = fs::read_to_string(place.path("song.html")).expect("it is there");
    let bytes = page.split(" bytes of waves").next().and_then(|text| text.rsplit('>').next());
    let bytes: usize = bytes.and_then(|text| text.parse().ok()).expect("a number");
    assert!((16_512..17_500).contains(&bytes), "a game has its first piece in memory: {bytes}");
    let (code, _, stderr) = render("steps/sand", &[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("no sound or wave `steps/sand`; there are "), "{stderr}");
}

#[test]
fn what_is_wrong_is_said() {
    let place = Place::new();
    place.file("notes.txt", "no sound");
    place.file("cut.wav", &tone(1, 48_000, 440.0, 480)[..60]);
    place.file("tone.wav", tone(1, 48_000, 440.0, 480));
    for (arguments, code, expected) in [
        (&["render", "none.wav", "-o", "a.wav"][..], 2, "none.wav: cannot read"),
        (
            &["render", "notes.txt", "-o", "a.wav"],
            1,
            "notes.txt: it is no WAV, FLAC, Ogg Vorbis or Opus",
        ),
        (&["render", "cut.wav", "-o", "a.wav"], 1, "cut.wav: "),
        (
            &["render", "a", "--data", "none", "-o", "a.wav"],
            2,
            "name a folder that `loligo compile`",
        ),
        (&["render", "tone.wav", "-o", "none/a.wav"], 2, "name a file in a folder that may be"),
        (&["render", "tone.wav", "-o", "a.wav", "--speed", "9"], 2, "from 0.01 to 8"),
        (&["render", "tone.wav", "-o", "a.wav", "--set", "speed"], 2, "it is not NAME=VALUE"),
        (&["report", "tone.wav", "-o", "a.html", "--set", "a=1..b"], 2, "is not two numbers"),
    ] {
        let (found, _, stderr) = place.run(&[&["sound"][..], arguments].concat());
        assert_eq!(found, code, "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
        assert!(!place.path("a.wav").exists(), "nothing is written");
    }
    let (code, stdout, _) = place.run(&["sound", "render", "--help"]);
    assert!(code == 0 && stdout.contains("--set speed=0.7 --seconds 5 -o out.wav"), "{stdout}");
}
