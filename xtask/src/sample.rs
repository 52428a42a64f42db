//! A run of the sample that a newcomer sees first: drawn by a Vulkan driver, in a window, and as
//! text. A walk through the sample that sounds, into a file.

use core::time::Duration;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::command;
use crate::debian;
use crate::display::Display;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const SAMPLE: &str = "samples/10-courtyard";

/// A game, and what a player did in it.
const PLAYED: &str = "samples/20-first-game";
const RECORDING: &str = "samples/20-first-game/played.recording";

/// A game that sounds, and a walk through it.
const HEARD: &str = "samples/50-harbour";
const WALK: &str = "samples/50-harbour/played.recording";

/// The sound of a walk is longer than this many bytes: 20 seconds of two channels of 16 bits.
const SOUND_MIN: usize = 20 * 48_000 * 4;

/// Where drivers of Vulkan say that they are there.
const DRIVERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// What draws in software, so that no machine needs a graphics card.
const PACKAGE: &str = "mesa-vulkan-drivers";

/// A picture of one color is far smaller than this many bytes.
const PICTURE_MIN: usize = 50_000;

/// How long the run in a window is looked at between two glances at the display.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs the samples and looks at what it leaves and shows.
///
/// # Errors
///
/// [`Failure::Found`] if it fails, or if it draws nothing.
pub(crate) fn check() -> Outcome {
    let folder = workspace::target().join("xtask/sample");
    // What an earlier run left must not pass for what this one wrote.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| Failure::io("cannot make a folder", &error))?;
    if has_driver() || (debian::installed(PACKAGE) && has_driver()) {
        let picture = folder.join("courtyard.png");
        run(&folder, &["--frames", "60", "--backend", "gpu", "--screenshot"], &picture)?;
        is_picture(&picture)?;
        windowed(&folder)?;
        played(&folder)?;
    } else {
        println!("skipped: no Vulkan driver, so nothing is drawn; `{PACKAGE}` has one");
    }
    let text = folder.join("frame.txt");
    run(&folder, &["--frames", "20", "--backend", "text", "--text"], &text)?;
    if !String::from_utf8_lossy(&read(&text)?).contains("layer") {
        return Err(Failure::Found(format!("{} reports no layer", text.display())));
    }
    heard(&folder)
}

/// Runs the sample in a window of a display that nobody sees, where one can be had, and looks at
/// the display.
fn windowed(folder: &Path) -> Outcome {
    let display = match Display::start(folder)? {
        Ok(display) => display,
        Err(why) => {
            println!("skipped: no display for a window: {why}");
            return Ok(());
        }
    };
    let picture = folder.join("window.png");
    let arguments = ["--frames", "60", "--window", "--screenshot"];
    let mut cargo = sample(folder, &arguments, &picture);
    cargo.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    let shown = command::shown(&cargo);
    println!("$ DISPLAY={} {shown}", display.name);
    let failed = |error| Failure::io(&format!("cannot run `{shown}`"), &error);
    let mut program = cargo.spawn().map_err(failed)?;
    let mut is_seen = false;
    let status = loop {
        is_seen = is_seen || display.shows_something();
        if let Some(status) = program.try_wait().map_err(failed)? {
            break status;
        }
        thread::sleep(GLANCE);
    };
    if !status.success() {
        return Err(Failure::Found(format!("`{shown}` ended with {status}")));
    }
    if !is_seen {
        return Err(Failure::Found(format!("`{shown}` ran, and nothing was seen on the display")));
    }
    is_picture(&picture)
}

/// Plays the first game by what a player did in its first level, and looks at a picture of it.
fn played(folder: &Path) -> Outcome {
    let picture = folder.join("played.png");
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["run", "--", "run", PLAYED, "--replay", RECORDING, "--frames", "60"]);
    cargo.args(["--backend", "gpu", "--out"]).arg(folder.join("played"));
    cargo.arg("--screenshot").arg(&picture);
    command::build(&mut cargo, "and playing the first game")?;
    is_picture(&picture)
}

/// Walks through the harbour, and looks at what was heard.
fn heard(folder: &Path) -> Outcome {
    let sound = folder.join("harbour.wav");
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["run", "--", "run", HEARD, "--replay", WALK, "--backend", "text"]);
    cargo.arg("--out").arg(folder.join("heard")).arg("--sound").arg(&sound);
    command::build(&mut cargo, "and walking through the harbour")?;
    let bytes = read(&sound)?;
    // Silence is zeros, and one file is as long as the other.
    let is_silent = bytes.iter().skip(44).all(|byte| *byte == 0);
    if bytes.starts_with(b"RIFF") && bytes.len() > SOUND_MIN && !is_silent {
        return Ok(());
    }
    Err(Failure::Found(format!("{} is no sound of a walk", sound.display())))
}

/// Runs the sample with these arguments and a file at their end.
fn run(folder: &Path, arguments: &[&str], file: &Path) -> Outcome {
    command::build(&mut sample(folder, arguments, file), "and running the sample")
}

fn sample(folder: &Path, arguments: &[&str], file: &Path) -> Command {
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["run", "--", "run", SAMPLE, "--out"]);
    cargo.arg(folder.join("data")).args(arguments).arg(file);
    cargo
}

/// Looks at a picture that the sample wrote.
fn is_picture(path: &Path) -> Outcome {
    let bytes = read(path)?;
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() >= PICTURE_MIN {
        return Ok(());
    }
    Err(Failure::Found(format!("{} is no picture of a game", path.display())))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path)
        .map_err(|error| Failure::Found(format!("the run wrote no {}: {error}", path.display())))
}

/// Returns `true` if a driver of Vulkan is installed.
fn has_driver() -> bool {
    DRIVERS.iter().any(|folder| {
        fs::read_dir(folder).is_ok_and(|files| files.flatten().any(|file| is_json(&file.path())))
    })
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}
