//! The inputs that are committed: of all that were found, the fewest that reach the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::{Failure, Outcome};
use crate::workspace;

use super::run;

/// The most bytes that a target's committed inputs may have; all together stay below 8 MB.
const BYTES_MAX: u64 = 200_000;

/// What became of the inputs of a target.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) target: String,
    /// How many are committed, and their bytes.
    pub(super) inputs: usize,
    pub(super) bytes: u64,
    /// How many were left out, as all together were too long.
    pub(super) left_out: usize,
}

/// Puts the fewest inputs that reach what those in `found` and the committed ones do into the
/// folder of the committed ones. Inputs with a name, which are seeds and those of findings, stay.
///
/// # Errors
///
/// [`Failure::Unable`] if libFuzzer does not merge, or the disk does not allow it.
pub(super) fn keep(target: &str, programs: &Path, found: &Path) -> Result<Kept, Failure> {
    let kept = workspace::root().join("fuzz/corpus").join(target);
    let old = found.with_file_name(format!("{target}.old"));
    for folder in [&kept, &old] {
        fs::create_dir_all(folder).map_err(|error| Failure::io("cannot make a folder", &error))?;
    }
    for path in inputs(&kept)?.into_iter().filter(|path| is_found(path)) {
        let to = old.join(path.file_name().unwrap_or_default());
        rename(&path, &to)?;
    }
    let mut merge = Command::new(programs.join(target));
    merge.args(["-merge=1", "-set_cover_merge=1", "-timeout=20"]);
    merge.arg(format!("-max_len={}", run::INPUT_MAX)).arg(&kept).arg(&old);
    if found.is_dir() {
        merge.arg(found);
    }
    let output =
        merge.output().map_err(|error| Failure::io(&format!("cannot run {target}"), &error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Unable(format!("`{target}` could not merge its inputs:\n{said}")));
    }
    fs::remove_dir_all(&old).map_err(|error| Failure::io("cannot remove a folder", &error))?;
    shorten(target, &kept)
}

/// Removes the longest found inputs of a folder until the rest is short enough.
fn shorten(target: &str, kept: &Path) -> Result<Kept, Failure> {
    let mut sized = Vec::new();
    for path in inputs(kept)? {
        let file =
            fs::metadata(&path).map_err(|error| Failure::io("cannot read a file", &error))?;
        sized.push((file.len(), path));
    }
    sized.sort();
    let mut result = Kept { target: target.to_owned(), inputs: sized.len(), bytes: 0, left_out: 0 };
    result.bytes = sized.iter().map(|(bytes, _)| bytes).sum();
    for (bytes, path) in sized.iter().rev().filter(|(_, path)| is_found(path)) {
        if result.bytes <= BYTES_MAX {
            break;
        }
        fs::remove_file(path).map_err(|error| Failure::io("cannot remove a file", &error))?;
        result.bytes -= bytes;
        result.inputs -= 1;
        result.left_out += 1;
    }
    Ok(result)
}

/// Returns the files of a folder.
fn inputs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unable =
        |error: &std::io::Error| Failure::io(&format!("cannot list {}", folder.display()), error);
    let entries = fs::read_dir(folder).map_err(|error| unable(&error))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(|error| unable(&error))).collect()
}

/// Returns `true` for the name that libFuzzer gives an input: a hash of 40 digits.
pub(super) fn is_found(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Moves a file, also to another disk.
fn rename(from: &Path, to: &Path) -> Outcome {
    let moved = fs::copy(from, to).and_then(|_| fs::remove_file(from));
    moved.map_err(|error| Failure::io(&format!("cannot move {}", from.display()), &error))
}
