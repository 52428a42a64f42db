//! A run of the sample that a newcomer sees first: drawn by a Vulkan driver, and as text.

use std::fs;
use std::path::Path;

use crate::command;
use crate::debian;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const SAMPLE: &str = "samples/10-courtyard";

/// Where drivers of Vulkan say that they are there.
const DRIVERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// What draws in software, so that no machine needs a graphics card.
const PACKAGE: &str = "mesa-vulkan-drivers";

/// A picture of one color is far smaller than this many bytes.
const PICTURE_MIN: usize = 50_000;

/// Runs the sample twice and looks at what it leaves.
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
        let bytes = read(&picture)?;
        if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") || bytes.len() < PICTURE_MIN {
            let what = format!("{} is no picture of a courtyard", picture.display());
            return Err(Failure::Found(what));
        }
    } else {
        println!("skipped: no Vulkan driver, so nothing is drawn; `{PACKAGE}` has one");
    }
    let text = folder.join("frame.txt");
    run(&folder, &["--frames", "20", "--backend", "text", "--text"], &text)?;
    if !String::from_utf8_lossy(&read(&text)?).contains("layer") {
        return Err(Failure::Found(format!("{} tells of no layer", text.display())));
    }
    Ok(())
}

/// Runs the sample with these arguments and a file at their end.
fn run(folder: &Path, arguments: &[&str], file: &Path) -> Outcome {
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["run", "--quiet", "--release", "--", "run", SAMPLE, "--out"]);
    command::run(cargo.arg(folder.join("data")).args(arguments).arg(file))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path)
        .map_err(|error| Failure::Found(format!("the run wrote no {}: {error}", path.display())))
}

/// Tells whether a driver of Vulkan is installed.
fn has_driver() -> bool {
    DRIVERS.iter().any(|folder| {
        fs::read_dir(folder).is_ok_and(|files| files.flatten().any(|file| is_json(&file.path())))
    })
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}
