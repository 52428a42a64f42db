//! A frame that must not use the global heap, and a `Vec` hidden in it that does: the guard stops
//! the program and shows where.
//!
//! Run it with `cargo run -p loligo-allocators --example hidden_vec`.

use std::alloc::System;
use std::env;
use std::io;
use std::process::Command;

use loligo_allocators::{Arming, GlobalGuard};

/// It forwards everything to the system's allocator, and costs one load while no thread is armed.
#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);

const HEIGHTS: [f32; 8] = [3.0, 9.0, 1.0, 7.0, 2.0, 8.0, 5.0, 4.0];

/// A frame's work. It does not look as if it allocated.
#[inline(never)]
fn frame(heights: &[f32]) -> f32 {
    median(heights)
}

/// But this copies its argument, to sort it.
#[inline(never)]
fn median(numbers: &[f32]) -> f32 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    sorted[sorted.len() / 2]
}

fn main() -> io::Result<()> {
    if env::args().nth(1).as_deref() == Some("armed") {
        let median = GUARD.armed(|| frame(&HEIGHTS));
        println!("nobody noticed, the median is {median}");
        return Ok(());
    }

    println!("unarmed, the frame runs: the median is {}", frame(&HEIGHTS));

    // A test may want a number instead of an end.
    GUARD.armed_with(Arming::new().count_only(), || frame(&HEIGHTS));
    let found = GUARD.violations();
    println!(
        "counted: {} allocation of {} bytes, {} free",
        found.allocations, found.bytes, found.frees
    );

    // Armed without counting, it ends the program, so a separate process has to show it.
    let ended = Command::new(env::current_exe()?).arg("armed").output()?;
    assert!(!ended.status.success(), "the guard stops it");
    println!("\narmed, the program ends ({}):", ended.status);
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let mut function = "";
    for line in stderr.lines().map(str::trim) {
        if line.starts_with("loligo:") {
            println!("  {line}");
        } else if let Some(place) = line.strip_prefix("at ") {
            // Of the stack, only the frames in this file.
            if let Some(at) = place.find("hidden_vec.rs") {
                println!("    {function} at {}", &place[at..]);
            }
        } else {
            function = line;
        }
    }
    assert!(stderr.contains("median"), "the stack names the function that allocates");
    Ok(())
}
