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
    for (what, frames, noise, speed) in [
        ("a smooth gait on the spot", 240, 0.0, 0.0),
        ("a smooth gait", 240, 0.0, 1.3),
        ("with noise of 0.02 degrees", 240, 0.02, 1.3),
        ("with noise of 0.2 degrees", 240, 0.2, 1.3),
        ("short, with noise of 0.02 degrees", 40, 0.02, 1.3),
        ("long, with noise of 0.02 degrees", 1200, 0.02, 0.2),
    ] {
        let terms = MocapTerms { seed: 1, frames, rate: 30.0, noise, speed };
        let options = CompressOptions { bound, ..CompressOptions::default() };
        match compress(&body, &clip(&body, terms), &options) {
            Ok(found) => {
                println!("{what}\n{}", found.statistics);
                let tracks = &found.statistics.tracks;
                let of = |bits| tracks.iter().filter(|track| track.key_bits == bits).count();
                println!("keys of 16, 32, 48 bits in {}, {}, {} tracks\n", of(16), of(32), of(48));
                for track in tracks.iter().filter(|_| shows_tracks) {
                    println!(
                        "  {:<24} {:?}: {} keys, {} bytes, {} bits a key, tolerance {:.5} cm",
                        track.bone,
                        track.channel,
                        track.keys,
                        track.bytes,
                        track.key_bits,
                        track.tolerance * 100.0
                    );
                }
            }
            Err(error) => println!("{what}\n{error}\n"),
        }
    }
    Ok(())
}
