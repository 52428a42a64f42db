//! A designer decides how a sound fades with distance: the program reads the line, says what is
//! wrong with it, and prints the curve.
//!
//! ```sh
//! cargo run -p loligo-expressions --example sound_falloff
//! cargo run -p loligo-expressions --example sound_falloff -- "1 - smoothstep(near, far, distance)"
//! ```
#![forbid(unsafe_code)]

use std::process::ExitCode;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_expressions::{Expression, Symbols};

const SYMBOLS: Symbols<'static> = Symbols {
    variables: &["distance", "occlusion"],
    constants: &[("near", 2.0), ("far", 40.0)],
    functions: &[],
};

/// As of a real point in air, cut at both ends, and damped behind walls.
const USUAL: &str = "distance > far ? 0 : near / max(distance, near) * (1 - 0.7 * occlusion)";

fn main() -> ExitCode {
    let source = std::env::args().nth(1).unwrap_or_else(|| USUAL.to_owned());
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("sound", &pages);
    let volume = match Expression::try_compile(&source, &SYMBOLS, &heap) {
        Ok(volume) => volume,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(volume) = volume.as_constant() {
        println!("the volume is {volume} everywhere: nothing is run");
        return ExitCode::SUCCESS;
    }
    println!("{source}\n\n{}\n", volume.bytecode());
    for step in 0..12 {
        let distance = step as f32 * 4.0;
        let [free, behind] = [0.0, 1.0].map(|occlusion| volume.run(&[distance, occlusion]));
        let bar = "#".repeat((free.clamp(0.0, 1.0) * 40.0) as usize);
        println!("{distance:4} m  {free:5.3}, behind a wall {behind:5.3}  {bar}");
    }
    ExitCode::SUCCESS
}
