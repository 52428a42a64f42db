//! Prints how large clips become: motion capture, and generated ones by noise and length.
//!
//! ```text
//! cargo run --release -p loligo-animation --example sizes [bound in cm] [tracks]
//! ```

#[path = "../tests/it/bvh.rs"]
mod bvh;
#[path = "../tests/it/mocap.rs"]
mod mocap;

use core::error::Error;

use bvh::read_bvh;
use loligo_animation::compile::{CompressOptions, RawClip, RawSkeleton, compress};
use mocap::{MocapTerms, body, clip};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let bound = arguments.next().map_or(Ok(0.01), |text| text.parse::<f32>())? / 100.0;
    let shows_tracks = arguments.next().is_some();
    // CMU's lengths are in inches, divided by 0.45.
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
            show(&format!("{name} at {}", raw.rate), &body, &raw, bound, shows_tracks);
        }
    }
    let body = body(true);
    for (what, frames, rate, noise) in [
        ("a smooth gait at 30 frames a second", 240, 30.0, 0.0),
        ("at 60", 480, 60.0, 0.0),
        ("at 120", 960, 120.0, 0.0),
        ("at 30 with noise of 0.02 degrees", 240, 30.0, 0.02),
        ("at 120 with noise of 0.02 degrees", 960, 120.0, 0.02),
        ("at 30 with noise of 0.2 degrees", 240, 30.0, 0.2),
        ("short, at 30 with noise of 0.02 degrees", 40, 30.0, 0.02),
        ("long, at 30 with noise of 0.02 degrees", 1200, 30.0, 0.02),
    ] {
        let terms = MocapTerms { seed: 1, frames, rate, noise, speed: 1.0 };
        show(what, &body, &clip(&body, terms), bound, shows_tracks);
    }
    Ok(())
}

/// Compresses a clip, and prints what it became.
fn show(what: &str, body: &RawSkeleton, raw: &RawClip, bound: f32, shows_tracks: bool) {
    let options = CompressOptions { bound, ..CompressOptions::default() };
    let found = match compress(body, raw, &options) {
        Ok(found) => found,
        Err(error) => return println!("{what}\n{error}\n"),
    };
    println!("{what}\n{}", found.statistics);
    let tracks = &found.statistics.tracks;
    let of = |bytes| tracks.iter().filter(|track| track.key_bytes == bytes).count();
    println!("tracks with keys of 1 to 6 bytes: {:?}\n", [1, 2, 3, 4, 5, 6].map(of));
    for track in tracks.iter().filter(|_| shows_tracks) {
        println!(
            "  {:<24} {:?}: {} keys, {} bytes, {} bytes a key, tolerance {:.5} cm",
            track.bone,
            track.channel,
            track.keys,
            track.bytes,
            track.key_bytes,
            track.tolerance * 100.0
        );
    }
}
