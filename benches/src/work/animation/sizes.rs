//! How small clips become.

use loligo_animation::compile::{CompressOptions, RawClip, RawSkeleton, compress};

use super::bvh::read_bvh;
use super::mocap::{MocapTerms, body, clip};
use crate::outcome::Reading;

/// Real motion capture.
pub(crate) struct Capture {
    /// What the row calls it.
    pub(crate) name: &'static str,
    text: &'static str,
    /// Its unit of length in metres.
    metres: f32,
}

/// CMU's lengths are in inches, divided by 0.45.
const CMU: f32 = 0.0254 / 0.45;

/// The clips of `benches/data/mocap`.
pub(crate) const CAPTURES: [Capture; 5] = [
    Capture { name: "cmu", text: include_str!("../../../data/mocap/01_01.bvh"), metres: CMU },
    Capture {
        name: "jacks",
        text: include_str!("../../../data/mocap/jumping_jacks.bvh"),
        metres: CMU,
    },
    Capture {
        name: "dance",
        text: include_str!("../../../data/mocap/jesse_dance.bvh"),
        metres: 0.01,
    },
    Capture { name: "zombie", text: include_str!("../../../data/mocap/zombie.bvh"), metres: 0.01 },
    Capture { name: "jump", text: include_str!("../../../data/mocap/jumping.bvh"), metres: 0.01 },
];

/// Where the bytes of a clip are counted.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// As it is played from.
    Memory,
    /// As it is loaded, where dense clips are packed.
    File,
}

/// Returns how many times smaller a clip is than its samples.
pub(crate) fn ratio_of(capture: &Capture, place: Place) -> Reading {
    let (body, raw) = read_bvh(capture.text, capture.metres, 1);
    ratio(&body, &raw, place)
}

/// The same of a generated clip.
pub(crate) fn generated_ratio() -> Reading {
    let body = body(true);
    let terms = MocapTerms { seed: 1, frames: 240, rate: 30.0, noise: 0.02, speed: 1.0 };
    ratio(&body, &clip(&body, terms), Place::Memory)
}

fn ratio(body: &RawSkeleton, raw: &RawClip, place: Place) -> Reading {
    let options = CompressOptions { bound: 1.0e-4, ..CompressOptions::default() };
    let found = match compress(body, raw, &options) {
        Ok(found) => found.statistics,
        Err(error) => return Reading::Unmeasured(error.to_string()),
    };
    let uniform = found.raw_bytes as f64 / found.uniform_bytes.max(1) as f64;
    let ratio = match place {
        Place::Memory => found.ratio(),
        Place::File => found.stored_ratio(),
    };
    let note = format!("{} bones; {uniform:.1} with a value in each sample", found.bones);
    Reading::Alone { figures: vec![f64::from(ratio)], note: Some(note) }
}
