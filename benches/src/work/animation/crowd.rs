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

/// A crowd that plays the clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowd {
    pub(crate) is_dense: bool,
    /// How many samples a character goes on by in each frame.
    pub(crate) step: f32,
    /// The frames from one restart point to the next; 0 where there are none.
    pub(crate) every: u32,
}

impl Crowd {
    /// Characters that go on.
    pub(crate) const FORWARD: Self = Self { is_dense: false, step: STEP, every: 0 };

    /// Characters that go back.
    pub(crate) const BACKWARD: Self = Self { step: -STEP, ..Self::FORWARD };

    /// Characters that leap: to a part of the clip that has no common measure with it, so that all of it is
    /// reached.
    pub(crate) const LEAPS: Self = Self { step: 91.37, ..Self::FORWARD };

    /// The same with a clip that has a key in each frame.
    pub(crate) const fn dense(self) -> Self {
        Self { is_dense: true, ..self }
    }

    /// The same with restart points.
    pub(crate) const fn with_restart_points(self) -> Self {
        Self { every: 4, ..self }
    }

    /// Returns the time of a bone.
    pub(crate) fn bones(self) -> Contender {
        self.contender(FEW, 100, FEW * BONES)
    }

    fn contender(self, characters: usize, frames: u64, operations: usize) -> Contender {
        let table = played(self.is_dense).table(self.every);
        assert_eq!(table.clip().is_dense(), self.is_dense, "as the row says");
        let mut players = Players::try_new(characters, &table, &HEAP).expect("there is memory");
        let mut poses = Poses::try_new(characters, BONES, &HEAP).expect("there is memory");
        let mut times: Vec<f32> = (0..characters).map(|at| (at * 7 % 200) as f32).collect();
        Contender::new("loligo", move || {
            let ns = clock::time(|| {
                for _ in 0..frames {
                    players.sample_all(&table, &times, &mut poses);
                    black_box(&poses);
                    times.iter_mut().for_each(|time| *time = later(*time, self.step));
                }
            });
            Pass { ns, operations: frames * operations as u64 }
        })
    }
}

/// Returns the time of a frame of 1 000 characters.
pub(crate) fn our_crowd<const IS_DENSE: bool>() -> Contender {
    Crowd { is_dense: IS_DENSE, ..Crowd::FORWARD }.contender(1000, 20, 1)
}

/// Returns a time that is later, from the beginning again past the end, or the other way about.
pub(super) fn later(time: f32, step: f32) -> f32 {
    let (time, end) = (time + step, (FRAMES - 1) as f32);
    match time < 0.0 {
        true => time + end,
        false if time > end => time - end,
        false => time,
    }
}

/// Returns the time of a bone of a pose that is mixed into another.
pub(crate) fn blending() -> Contender {
    const TIMES: u64 = 10_000;
    let table = played(false).table(0);
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
