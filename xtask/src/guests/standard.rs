//! The tests of the standard library's `alloc`, which Debian's compiler brings.
//!
//! They are the fullest use of an allocator there is in Rust: every collection, at every size, with
//! panics in between. They need the unstable compiler of the very version.

use std::path::Path;

use super::heap::Heap;
use super::{print_tests, remove};
use crate::command;
use crate::debian_rust::DebianRust;
use crate::outcome::{Failure, Outcome};
use crate::packages;
use crate::registry;

pub(super) const NAME: &str = "alloctests";

/// What is copied: the tests, the sources that they include by their path, and the versions.
const COPIED: [&str; 3] = ["alloctests", "alloc/src", "Cargo.lock"];

/// Runs the tests; they are left out where the compiler or a crate cannot be had.
///
/// # Errors
///
/// [`Failure::Found`] if a test fails, or if a program did not run over the heap.
pub(super) fn check(heap: &Heap, folder: &Path) -> Outcome {
    let leave_out = |reason: &str| {
        println!("left out: {NAME}: {reason}");
        Ok(())
    };
    let compiler = match DebianRust::find()? {
        Ok(compiler) => compiler,
        Err(reason) => return leave_out(&reason),
    };
    let Some((version, library)) = compiler.library_sources() else {
        return leave_out("Debian's rust-web-src has no sources");
    };
    let copy = folder.join("standard");
    remove(&copy)?;
    for part in COPIED {
        copy_part(&library.join(part), &copy.join(part))?;
    }
    let tests = copy.join(NAME);
    // The library's versions, which the tests' authors use. Cargo leaves out what is not needed.
    copy_part(&library.join("Cargo.lock"), &tests.join("Cargo.lock"))?;
    let manifest = tests.join("Cargo.toml");
    let published = std::fs::read_to_string(&manifest)
        .map_err(|error| Failure::io("cannot read a manifest", &error))?;
    packages::write(&manifest, format!("{published}\n[workspace]\n").as_bytes())?;
    if !registry::fetch(&tests)? {
        return leave_out("`cargo fetch` cannot bring what its tests use");
    }
    let mut cargo = command::cargo(&tests);
    compiler.compiles_here(&mut cargo);
    // There are no examples, and the compiler comes without what would compile them.
    cargo.args(["test", "--lib", "--tests"]);
    print_tests(heap, &format!("{NAME} {version}"), &mut cargo)
}

/// Copies a file or a folder.
fn copy_part(from: &Path, to: &Path) -> Outcome {
    if from.is_dir() {
        return packages::copy(from, to, &|text| text);
    }
    let bytes = std::fs::read(from)
        .map_err(|error| Failure::io(&format!("cannot read {}", from.display()), &error))?;
    packages::write(to, &bytes)
}
