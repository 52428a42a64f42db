//! Characters that play a clip, and poses that are mixed.

use core::hint::black_box;

use loligo_animation::{Players, Poses, blend_into};

use super::{BONES, FRAMES, played};
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;

/// Characters whose bones are compared with others'.
const FEW: usize = 100;

/// How much further a character is in each frame, in samples: a game has 60 frames a second.
const STEP: f32 = 0.5;

/// Returns the time of a frame of 1 000 characters.
pub(crate) fn our_crowd() -> Contender {
    crowd("loligo", 1000, 20, 1, STEP)
}

/// Returns the time of a bone of characters that go on.
pub(crate) fn our_bones() -> Contender {
    crowd("loligo", FEW, 100, FEW * BONES, STEP)
}

/// Returns the time of a bone of characters that leap: to a part of the clip that has no common
/// measure with it, so that all of it is reached.
pub(crate) fn our_leaps() -> Contender {
    crowd("loligo", FEW, 100, FEW * BONES, 91.37)
}

fn crowd(
    name: &'static str,
    characters: usize,
    frames: u64,
    operations: usize,
    step: f32,
) -> Contender {
    let played = played();
    let table = played.table();
    let mut players = Players::try_new(characters, &table, &HEAP).expect("there is memory");
    let mut poses = Poses::try_new(characters, BONES, &HEAP).expect("there is memory");
    let mut times: Vec<f32> = (0..characters).map(|at| (at * 7 % 200) as f32).collect();
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..frames {
                players.sample_all(&table, &times, &mut poses);
                black_box(&poses);
                times.iter_mut().for_each(|time| *time = later(*time, step));
            }
        });
        Pass { ns, operations: frames * operations as u64 }
    })
}

/// Returns a time that is later, from the beginning again past the end.
pub(super) fn later(time: f32, step: f32) -> f32 {
    let (time, end) = (time + step, (FRAMES - 1) as f32);
    if time > end { time - end } else { time }
}

/// Returns the time of a bone of a pose that is mixed into another.
pub(crate) fn blending() -> Contender {
    const TIMES: u64 = 10_000;
    let played = played();
    let table = played.table();
    let mut players = Players::try_new(2, &table, &HEAP).expect("there is memory");
    let mut poses = Poses::try_new(2, BONES, &HEAP).expect("there is memory");
    players.sample_all(&table, &[3.0, 90.0], &mut poses);
    let mut mixed = Poses::try_new(1, BONES, &HEAP).expect("there is memory");
    Contender::new("loligo", move || {
        let ns = clock::time(|| {
            for at in 0..TIMES {
                let pose = poses.pose((at % 2) as usize);
                blend_into(mixed.pose_mut(0), black_box(pose), 0.5, None);
            }
        });
        black_box(&mixed);
        Pass { ns, operations: TIMES * BONES as u64 }
    })
}
