//! The programs of the crate `loligo-benches`, built as their records are made.

use std::process::Command;

use crate::command;
use crate::outcome::Failure;
use crate::workspace;

/// Returns the command that builds and runs a program, to which its arguments are added; says so if
/// peers are missing.
///
/// # Errors
///
/// [`Failure::Unable`] if the current folder cannot be found.
pub(crate) fn program(name: &str) -> Result<Command, Failure> {
    // A path on the command line is relative to the current folder of the user.
    let here = std::env::current_dir()
        .map_err(|error| Failure::io("cannot find the current folder", &error))?;
    let manifest = workspace::root().join("Cargo.toml");
    let mut cargo = command::cargo(&here);
    // The release profile with optimisation over all crates.
    cargo.args(["run", "--profile", "measured", "--manifest-path"]).arg(manifest);
    cargo.args(["--package", "loligo-benches", "--bin", name]);
    if command::answers("make") && command::answers("c++") {
        cargo.args(["--features", "peers-all"]);
    } else {
        println!("without jemalloc and snmalloc, which need make and a C++ compiler");
    }
    cargo.arg("--");
    command::announce("building the benches and all peers: minutes the first time, seconds later");
    command::quiet_unless_watched(&mut cargo);
    Ok(cargo)
}
