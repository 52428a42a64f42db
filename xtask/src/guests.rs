//! `cargo xtask guests`: the test suites of others' crates and of the standard library, over our
//! heap for threads.
//!
//! Their authors know nothing of our allocators, so these programs use the heap in ways that nobody
//! here thought of. No line of theirs is changed: `tools/preload` takes the place of `malloc` in
//! the test programs, and only there; Cargo and the compiler run over the system's.

mod canary;
mod counters;
mod heap;
mod project;
mod standard;
mod suite;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::planted;
use crate::registry::{self, Sources};
use crate::workspace;

use heap::Heap;
use suite::SUITES;

const USAGE: &str = "\
Runs the test suites of serde_json, rayon, rayon-core, crossbeam-channel and regex, those of tokio's
runtime with threads, and those of the standard library's `alloc`, over our heap for threads: `tools/preload` takes the place of `malloc`
in each test program. First a program of ours frees a block twice, which must be reported. Each
program must have appended its counters when it ended, which proves that it ran over the heap.

The crates are those of crates.io, each in one version, copied to target/xtask/guests. The tests of
`alloc` come with Debian's `rustc-web`, unpacked into target/xtask/debian, and are left out without
it. Needs Linux on x86-64 and the crates; is skipped without. Takes some minutes.

Usage: cargo xtask guests [SUITE...]

With SUITE only those: serde_json, rayon, rayon-core, crossbeam-channel, regex, tokio,
alloctests.

Example:
  cargo xtask guests rayon-core
";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a test fails, if the planted fault goes unnoticed or if a program did not
/// run over the heap; [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).chain([standard::NAME]).collect();
    if let Some(other) = arguments.iter().find(|name| !known.contains(&name.as_str())) {
        let known = known.join(", ");
        return Err(Failure::Unable(format!("there is no suite `{other}`; those are {known}")));
    }
    check(&|name| arguments.is_empty() || arguments.iter().any(|argument| argument == name))
}

fn check(is_wanted: &dyn Fn(&str) -> bool) -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: the suites are set up for Linux on x86-64 alone");
        return Ok(());
    }
    let folder = workspace::target().join("xtask/guests");
    let Some(sources) = Sources::fetch(&folder.join("sources"), &suite::crates())? else {
        println!("skipped: `cargo fetch` cannot bring the crates");
        return Ok(());
    };
    let heap = Heap::build(&folder)?;
    canary::check(&heap, &folder.join("canary"))?;
    for suite in SUITES.iter().filter(|suite| is_wanted(suite.name)) {
        let copy = folder.join(suite.name);
        project::copy(&sources, suite, &copy)?;
        if !registry::fetch(&copy)? {
            println!("skipped: `cargo fetch` cannot bring what the tests of {} use", suite.name);
            return Ok(());
        }
        suite.left_out.iter().for_each(|(test, reason)| {
            println!("left out: {}: tests/{test}.rs: {reason}", suite.name);
        });
        let title = format!("{} {}", suite.name, suite.version);
        let mut cargo = command::cargo(&copy);
        cargo.arg("test").args(suite.arguments).arg("--");
        planted::leave_out(&mut cargo, suite.skipped);
        print_tests(&heap, &title, &mut cargo)?;
    }
    if is_wanted(standard::NAME) { standard::check(&heap, &folder) } else { Ok(()) }
}

/// Runs a suite and prints its figures in a line.
fn print_tests(heap: &Heap, title: &str, cargo: &mut Command) -> Outcome {
    println!("-- {title}");
    let figures = heap.test(cargo)?;
    println!("guests: {title}: {figures}");
    Ok(())
}

/// Removes a folder with all that is in it, if it exists.
pub(crate) fn remove(folder: &Path) -> Outcome {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder)
        .map_err(|error| Failure::io(&format!("cannot remove {}", folder.display()), &error))
}
