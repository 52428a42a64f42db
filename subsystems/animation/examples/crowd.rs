//! Plays a crowd of 90 bones each, for tools that count instructions and cache misses.
//!
//! ```text
//! cargo build --release -p loligo-animation --example crowd
//! valgrind --tool=cachegrind --cache-sim=yes target/release/examples/crowd 100 60
//! ```
//!
//! Further arguments: how many poses are mixed at the end; how many samples a character goes on by in each
//! frame (0.5; 91.37 is a leap, -0.5 is backwards); `curves`, `dense` or `smallest`; and the frames between
//! restart points (0: none).
//!
//! Counts of a run with twice as many frames, less those of a run, are those of the frames alone.

#[path = "../tests/it/mocap.rs"]
mod mocap;

use core::error::Error;

use glam::Vec3;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_animation::compile::{ClipKeys, CompressOptions, RawSkeleton, compress};
use loligo_animation::{Clip, ClipTable, Players, Poses, Skeleton, blend_into, bone};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;
use mocap::{MocapTerms, body, clip};

/// Makes a body of 90 bones that all swing a little.
fn everything_moves() -> RawSkeleton {
    let mut all = body(true);
    while all.len() < 90 {
        let above = all.len() - 1;
        all.add("more", Some(above), Pose::at(Vec3::new(0.0, 0.05, 0.0)));
    }
    for (number, name) in all.names.iter_mut().enumerate().skip(1) {
        *name = format!("bone {number}");
    }
    all
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().map_or(Ok(default), |text| text.parse::<usize>());
    let (characters, frames, blends) = (number(100)?, number(60)?, number(0)?);
    let step = arguments.next().map_or(Ok(0.5), |text| text.parse::<f32>())?;
    let keys = match arguments.next().as_deref() {
        Some("curves") => ClipKeys::Curves,
        Some("dense") => ClipKeys::Dense,
        _ => ClipKeys::default(),
    };
    let every = arguments.next().map_or(Ok(0), |text| text.parse::<u32>())?;
    let body = everything_moves();
    let terms = MocapTerms { seed: 1, frames: 240, rate: 30.0, noise: 0.02, speed: 1.0 };
    let options = CompressOptions { bound: 1.0e-3, rounds: 3, keys, ..CompressOptions::default() };
    let compressed = compress(&body, &clip(&body, terms), &options)?;
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("animation", &pages);
    let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE)?, &heap)?;
    let bytes = BlobBytes::try_copy(&compressed.bytes, &heap)?;
    let skeleton = Skeleton::open(&skeleton)?;
    let mut table = ClipTable::try_new(Clip::open(&bytes)?, &skeleton, &heap)?;
    if every > 0 {
        table.try_add_restart_points(every)?;
    }
    let mut players = Players::try_new(characters, &table, &heap)?;
    let mut poses = Poses::try_new(characters, skeleton.len(), &heap)?;
    let mut times: Vec<f32> = (0..characters).map(|at| (at * 7 % 100) as f32).collect();
    for _ in 0..frames {
        players.sample_all(&table, &times, &mut poses);
        times.iter_mut().for_each(|time| *time = (*time + step).rem_euclid(239.0));
    }
    let mut blended = Poses::try_new(1, skeleton.len(), &heap)?;
    for at in 0..blends {
        blend_into(blended.pose_mut(0), poses.pose(at % characters.max(1)), 0.5, None);
    }
    println!("{}", compressed.statistics);
    println!("the table has {} bytes, jump frames {}", table.bytes(), table.clip().jump_bytes());
    println!("{characters} characters, {frames} frames; {:?}", bone(poses.pose(0), 7).rotation);
    Ok(())
}
