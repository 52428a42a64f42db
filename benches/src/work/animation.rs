//! Animation: crowds that play a clip, poses that are mixed, state machines, and sizes of clips.

mod crowd;
mod curves;
mod machine;
mod sizes;

// What these two make is what the crate's own tests use.
#[path = "../../../subsystems/animation/tests/it/bvh.rs"]
mod bvh;
#[path = "../../../subsystems/animation/tests/it/mocap.rs"]
mod mocap;

pub(crate) use crowd::{Crowd, blending, our_crowd};
pub(crate) use curves::their_bones;
pub(crate) use machine::machines;
pub(crate) use sizes::{CAPTURES, Place, generated_ratio, ratio_of};

use std::sync::OnceLock;

use glam::Vec3;
use loligo_animation::compile::{ClipKeys, CompressOptions, RawClip, compress};
use loligo_animation::{Clip, ClipTable, Skeleton};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;

use crate::memory::HEAP;
use mocap::{MocapTerms, body, clip};

/// Bones of a character of the crowd.
const BONES: usize = 90;

/// Frames of its clip.
const FRAMES: usize = 240;

/// What the crowd plays, made once.
struct Played {
    samples: RawClip,
    skeleton: &'static [u8],
    clip: &'static [u8],
}

/// Returns what the crowd plays: the clip as curves, or dense.
fn played(is_dense: bool) -> &'static Played {
    static PLAYED: [OnceLock<Played>; 2] = [OnceLock::new(), OnceLock::new()];
    PLAYED[usize::from(is_dense)].get_or_init(|| {
        let keys = if is_dense { ClipKeys::Dense } else { ClipKeys::Curves };
        let mut body = body(true);
        while body.len() < BONES {
            let above = body.len() - 1;
            body.add("more", Some(above), Pose::at(Vec3::new(0.0, 0.05, 0.0)));
        }
        // By its names the generator knows what stays still.
        for (number, name) in body.names.iter_mut().enumerate().skip(1) {
            *name = format!("bone {number}");
        }
        let terms = MocapTerms { seed: 1, frames: FRAMES, rate: 30.0, noise: 0.02, speed: 1.0 };
        let samples = clip(&body, terms);
        let options =
            CompressOptions { bound: 1.0e-3, rounds: 3, keys, ..CompressOptions::default() };
        let compressed = compress(&body, &samples, &options).expect("it keeps the bound");
        let skeleton = kept(&body.build(Endian::NATIVE).expect("its bones are in order"));
        Played { samples, skeleton, clip: kept(&compressed.bytes) }
    })
}

/// Copies bytes to where they are aligned and stay.
fn kept(bytes: &[u8]) -> &'static [u8] {
    let copy = BlobBytes::try_copy_in(bytes, &HEAP).expect("there is memory");
    Box::leak(Box::new(copy))
}

impl Played {
    fn skeleton(&self) -> Skeleton<'static> {
        Skeleton::open(self.skeleton).expect("it was built")
    }

    /// Returns its table, with a restart point at every few frames; none if that is 0.
    fn table(&self, every: u32) -> ClipTable<'static, 'static> {
        let clip = Clip::open(self.clip).expect("it was compressed");
        let table = ClipTable::try_new(clip, &self.skeleton(), &HEAP);
        let mut table = table.expect("there is memory");
        if every > 0 {
            table.try_add_restart_points(every).expect("there is memory");
        }
        table
    }
}
