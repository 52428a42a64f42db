//! Two sections of a tune, of two bars each and as long as each other: their ends lead to their begins.

use core::f32::consts::TAU;

/// The beats a minute: a bar of four lasts two and a half seconds.
const TEMPO: f32 = 96.0;

/// The beats of a section.
const BEATS: f32 = 8.0;

/// A note: on which beat it begins, how many it lasts, and which half-tone above the A of 110 hertz it is.
type Note = (f32, f32, i32);

/// A reed, quietly, with a few plucked strings over it.
pub(crate) fn calm(rate: u32) -> Vec<f32> {
    const REEDS: [Note; 6] = [
        (0.0, 4.0, 12),
        (0.0, 4.0, 15),
        (0.0, 4.0, 19),
        (4.0, 4.0, 8),
        (4.0, 4.0, 12),
        (4.0, 4.0, 15),
    ];
    const STRINGS: [Note; 8] = [
        (0.0, 1.0, 24),
        (1.0, 1.0, 31),
        (2.0, 1.0, 27),
        (3.0, 1.0, 24),
        (4.0, 1.0, 20),
        (5.0, 1.0, 27),
        (6.0, 1.0, 31),
        (7.0, 1.0, 29),
    ];
    let mut section = Section::new(rate);
    REEDS.iter().for_each(|note| section.reed(*note, 0.22));
    STRINGS.iter().for_each(|note| section.string(*note, 0.5));
    section.samples
}

/// A dance: a bass on each beat, chords between them, and a tune.
pub(crate) fn lively(rate: u32) -> Vec<f32> {
    const TUNE: [Note; 14] = [
        (0.0, 0.5, 31),
        (0.5, 0.5, 29),
        (1.0, 0.5, 27),
        (1.5, 0.5, 29),
        (2.0, 0.5, 31),
        (2.5, 0.5, 34),
        (3.0, 1.0, 36),
        (4.0, 0.5, 34),
        (4.5, 0.5, 32),
        (5.0, 0.5, 31),
        (5.5, 0.5, 32),
        (6.0, 0.5, 34),
        (6.5, 0.5, 31),
        (7.0, 1.0, 29),
    ];
    const BASS: [i32; 8] = [0, 7, 0, 7, -4, 3, -2, 5];
    const CHORDS: [[i32; 3]; 8] = [
        [12, 15, 19],
        [12, 15, 19],
        [12, 15, 19],
        [12, 15, 19],
        [8, 12, 15],
        [8, 12, 15],
        [10, 14, 17],
        [10, 14, 17],
    ];
    let mut section = Section::new(rate);
    TUNE.iter().for_each(|note| section.reed(*note, 0.3));
    for (beat, (bass, chord)) in BASS.into_iter().zip(CHORDS).enumerate() {
        section.string((beat as f32, 1.0, bass), 0.8);
        chord.iter().for_each(|tone| section.string((beat as f32 + 0.5, 0.5, *tone), 0.3));
    }
    section.samples
}

/// What is played in a circle: what sounds longer than the section sounds on in its begin.
struct Section {
    rate: u32,
    samples: Vec<f32>,
}

impl Section {
    fn new(rate: u32) -> Self {
        let frames = (BEATS * 60.0 / TEMPO * rate as f32) as usize;
        Self { rate, samples: vec![0.0; frames] }
    }

    /// A free reed: it swells, stays, and ends soon.
    fn reed(&mut self, (beat, beats, tone): Note, loud: f32) {
        let seconds = beats * 60.0 / TEMPO;
        self.add(beat, seconds + 0.12, |time| {
            let tremble = 1.0 + 0.12 * (TAU * 5.2 * time).sin();
            let shape = (time * 22.0).min(1.0) * ((seconds + 0.12 - time) * 9.0).clamp(0.0, 1.0);
            let tones: f32 = (1..=7).map(|of| wave(time, tone, of) / (of as f32).powf(1.3)).sum();
            loud * tones * shape * tremble
        });
    }

    /// A string that is plucked: the higher a harmonic, the sooner it is gone.
    fn string(&mut self, (beat, beats, tone): Note, loud: f32) {
        self.add(beat, beats * 60.0 / TEMPO + 1.2, |time| {
            let harmonic = |of: u8| {
                let of_it = f32::from(of);
                wave(time, tone, of) / of_it * (-time * (2.2 + 1.1 * of_it)).exp()
            };
            let tones: f32 = (1..=8).map(harmonic).sum();
            loud * tones * (time * 300.0).min(1.0)
        });
    }

    /// Adds what sounds from a beat on.
    fn add(&mut self, beat: f32, seconds: f32, sample: impl Fn(f32) -> f32) {
        let start = (beat * 60.0 / TEMPO * self.rate as f32) as usize;
        let frames = self.samples.len();
        for at in 0..(seconds * self.rate as f32) as usize {
            self.samples[(start + at) % frames] += sample(at as f32 / self.rate as f32);
        }
    }
}

/// A harmonic of a half-tone.
fn wave(time: f32, tone: i32, harmonic: u8) -> f32 {
    let hertz = 110.0 * (tone as f32 / 12.0).exp2() * f32::from(harmonic);
    (TAU * hertz * time).sin()
}
