//! Prints how large generated clips become, by bound, noise and length.
//!
//! ```text
//! cargo run --release -p loligo-animation --example sizes [bound in cm] [tracks]
//! ```

#[path = "../tests/it/mocap.rs"]
mod mocap;

use core::error::Error;

use loligo_animation::compile::{CompressOptions, compress};
use mocap::{MocapTerms, body, clip};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let bound = arguments.next().map_or(Ok(0.01), |text| text.parse::<f32>())? / 100.0;
    let shows_tracks = arguments.next().is_some();
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
        let options = CompressOptions { bound, ..CompressOptions::default() };
        match compress(&body, &clip(&body, terms), &options) {
            Ok(found) => {
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
            Err(error) => println!("{what}\n{error}\n"),
        }
    }
    Ok(())
}
