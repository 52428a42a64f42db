//! Measures designs of streams on motion capture without building them: how many bytes the values of moving
//! tracks would have, with a key in each frame, quantised as the compressor has found to be exact enough.
//!
//! A: as they are. B: over the range of each 16 keys. C: as numbers with the width of the largest of each
//! 16 keys. D to H: the same for differences of the first to the fifth order. There are no jump frames in any.
//!
//! And what is stored in a file: the clip as it is in memory, that by deflate (level 10 of `miniz_oxide`), and
//! packed.
//!
//! ```text
//! cargo run --release -p loligo-animation --example designs [bound in cm]
//! ```

#[path = "../tests/it/bvh.rs"]
mod bvh;

use core::error::Error;

use bvh::read_bvh;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_animation::compile::{
    ClipAnatomy, ClipKeys, CompressOptions, RawClip, TrackAnatomy, compress,
};
use loligo_animation::{Channel, Clip};
use loligo_containers::BlobBytes;
use loligo_entities::Pose;

/// Keys in a segment that has a width or a range for itself.
const SEGMENT: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let bound = std::env::args().nth(1).map_or(Ok(0.01), |text| text.parse::<f32>())? / 100.0;
    println!(
        "clip, raw bytes: curves | A dense | B ranges of segments | C to H differences of order 0 to 5 | stored"
    );
    for (name, metres, strides) in [
        ("01_01", 0.0254 / 0.45, &[4, 2, 1][..]),
        ("jumping_jacks", 0.0254 / 0.45, &[1]),
        ("jesse_dance", 0.01, &[4, 2, 1]),
        ("zombie", 0.01, &[1]),
        ("jumping", 0.01, &[4, 2, 1]),
    ] {
        let path = format!("{}/../../benches/data/mocap/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path)?;
        for stride in strides {
            let (body, raw) = read_bvh(&text, metres, *stride);
            let keys = ClipKeys::Curves;
            let options = CompressOptions { bound, keys, ..CompressOptions::default() };
            let found = compress(&body, &raw, &options)?;
            let pages = PageAllocator::new("pages");
            let heap = HeapAllocator::new("animation", &pages);
            let bytes = BlobBytes::try_copy(&found.bytes, &heap)?;
            let clip = Clip::open(&bytes)?;
            let anatomy = ClipAnatomy::of(&clip);
            // What is not keys: the head, tracks, constants.
            let rest = clip.bytes() - clip.stream_bytes() - clip.jump_bytes();
            let mut bits = [0_usize; 8];
            for track in &anatomy.tracks {
                add(&values(&raw, body.len(), track), track.key_bytes, &mut bits);
            }
            let ratio = |bits: usize| raw.raw_bytes() as f32 / (rest + bits / 8) as f32;
            print!(
                "{name} at {}, {}: {:.1} |",
                raw.rate,
                raw.raw_bytes(),
                found.statistics.ratio()
            );
            bits.iter().for_each(|bits| print!(" {:.1}", ratio(*bits)));
            let stored =
                compress(&body, &raw, &CompressOptions { keys: ClipKeys::Smallest, ..options })?;
            let sizes = &stored.statistics;
            let deflated = miniz_oxide::deflate::compress_to_vec(&stored.bytes, 10).len();
            println!(
                " | in memory {:.1}, by deflate {:.1}, packed {:.1}",
                sizes.ratio(),
                raw.raw_bytes() as f32 / deflated as f32,
                sizes.stored_ratio()
            );
        }
    }
    Ok(())
}

/// Returns the three numbers of a track in each frame.
fn values(raw: &RawClip, bones: usize, track: &TrackAnatomy) -> Vec<[f32; 3]> {
    let poses = raw.samples.iter().skip(track.bone).step_by(bones);
    let first = raw.samples[track.bone].rotation;
    let value = |pose: &Pose| match track.channel {
        Channel::Position => pose.position.to_array(),
        Channel::Scale => pose.scale.to_array(),
        Channel::Rotation => {
            let turn = first.conjugate() * pose.rotation;
            let turn = if turn.w < 0.0 { -turn } else { turn };
            (turn.xyz() / (1.0 + turn.w)).to_array()
        }
    };
    poses.map(value).collect()
}

/// Adds the bits of a track in each design. Steps are those of the keys that the track has now.
fn add(samples: &[[f32; 3]], key_bytes: usize, bits: &mut [usize; 8]) {
    let range = |axis: usize, part: &[[f32; 3]]| {
        let values = part.iter().map(|sample| sample[axis]);
        let low = values.clone().fold(f32::MAX, f32::min);
        let high = values.fold(f32::MIN, f32::max);
        (low, high - low)
    };
    // As the format deals them: each bit to the axis with the longest step.
    let whole = [0, 1, 2].map(|axis| range(axis, samples));
    let mut widths = [0_u32; 3];
    for _ in 0..8 * key_bytes {
        let step = |axis: usize| whole[axis].1 / (1 << widths[axis]) as f32;
        let widest =
            (0..3).filter(|axis| widths[*axis] < 16).max_by(|a, b| step(*a).total_cmp(&step(*b)));
        if let Some(axis) = widest {
            widths[axis] += 1;
        }
    }
    bits[0] += 8 * key_bytes * samples.len();
    for axis in 0..3 {
        let step = (whole[axis].1 / (1_u32 << widths[axis]) as f32).max(1.0e-12);
        let (low, _) = whole[axis];
        let keys: Vec<i64> =
            samples.iter().map(|sample| ((sample[axis] - low) / step).round() as i64).collect();
        for part in samples.chunks(SEGMENT) {
            let levels = (range(axis, part).1 / step).ceil() as u64 + 1;
            // A range of 16 bits and a width of 4.
            bits[1] += 20 + part.len() * (64 - levels.leading_zeros()) as usize;
        }
        let mut differences = keys;
        for design in 0..6 {
            for part in differences.chunks(SEGMENT) {
                let largest = part.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
                let width = if largest == 0 { 0 } else { 65 - largest.leading_zeros() as usize };
                bits[2 + design] += 4 + part.len() * width;
            }
            let mut next = differences.clone();
            for at in 1..differences.len() {
                next[at] = differences[at] - differences[at - 1];
            }
            differences = next;
        }
    }
}
