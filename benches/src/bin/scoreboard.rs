//! `cargo xtask scoreboard`: our rows beside their peers.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    loligo_benches::scoreboard::run(&arguments)
}
