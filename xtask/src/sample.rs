//! The sample game, drawn: the path that a player's machine takes, on a machine without a graphics card.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

/// Where drivers of Vulkan are listed.
const DRIVERS: &str = "/usr/share/vulkan/icd.d";

/// So many frames are drawn: the guard of the global heap is armed from the tenth on.
const FRAMES: &str = "12";

/// Runs the sample and looks whether a picture was drawn. Where no driver is to be had, the same frames are run as text.
pub(crate) fn check() -> Outcome {
    let folder = workspace::target().join("xtask/sample");
    // What an earlier run left must not pass for what this one drew.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| Failure::io("cannot make a folder", &error))?;
    let picture = folder.join("courtyard.png");
    let data = folder.join("data");
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["run", "--quiet", "--release", "--", "run", "samples/10-courtyard"]);
    cargo.args(["--frames", FRAMES, "--out"]).arg(&data);
    if !(is_listed() || install()) {
        println!("no driver of Vulkan is to be had: the sample is run as text");
        return command::run(cargo.args(["--backend", "text"]));
    }
    command::run(cargo.args(["--backend", "gpu", "--screenshot"]).arg(&picture))?;
    holds_a_picture(&picture)
}

/// Asserts that a file is a PNG of more than one color: a single one is packed into a few kilobytes.
fn holds_a_picture(path: &Path) -> Outcome {
    let bytes = fs::read(path)
        .map_err(|error| Failure::Found(format!("no {} was drawn: {error}", path.display())))?;
    if bytes.starts_with(b"\x89PNG") && bytes.len() > 50_000 {
        return Ok(());
    }
    let what = format!("{} has {} bytes and is no picture", path.display(), bytes.len());
    Err(Failure::Found(what))
}

fn is_listed() -> bool {
    fs::read_dir(DRIVERS).is_ok_and(|mut drivers| drivers.next().is_some())
}

/// Installs a driver that computes pictures, where this may be done without asking; tells whether it is there now.
fn install() -> bool {
    println!("no driver of Vulkan is here; trying apt-get install mesa-vulkan-drivers");
    let steps: [&[&str]; 2] =
        [&["update"], &["install", "--yes", "--no-install-recommends", "mesa-vulkan-drivers"]];
    let done = steps.iter().all(|arguments| {
        let mut command = Command::new("apt-get");
        command.args(*arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        let tried = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    });
    done && is_listed()
}

#[cfg(test)]
mod tests;
