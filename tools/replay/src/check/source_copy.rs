//! A copy of a workspace's sources that builds where it is.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

/// Copies the workspace `root`, without what was built, without `.git`, and without the folder `out`
/// that this writes to. Links are left out: they may lead anywhere. The manifests of the copy name
/// crates outside of the workspace by their full paths.
pub(super) fn make(root: &Path, to: &Path, out: &Path) -> io::Result<()> {
    copy(&fs::canonicalize(root)?, root, to, out)
}

fn copy(root: &Path, from: &Path, to: &Path, out: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type()?;
        let is_built = name == OsStr::new("target") || name == OsStr::new(".git");
        if kind.is_dir() && !is_built && !out.starts_with(&path) {
            copy(root, &path, &to.join(name), out)?;
        } else if kind.is_file() && name == OsStr::new("Cargo.toml") {
            let manifest = fs::read_to_string(&path)?;
            fs::write(to.join(name), with_full_paths(&manifest, from, root))?;
        } else if kind.is_file() {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// Returns the manifest of the folder `from` with full paths in place of those that lead out of the
/// workspace.
fn with_full_paths(manifest: &str, from: &Path, root: &Path) -> String {
    const UP: &str = "\"..";
    let mut pieces = manifest.split(UP);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let key = text.trim_end().strip_suffix('=').map(str::trim_end);
        let is_path = key.is_some_and(|key| key.ends_with("path"));
        let (up, rest) = piece.split_once('"').unwrap_or((piece, ""));
        let place = fs::canonicalize(from.join(format!("..{up}"))).ok();
        match place.filter(|place| is_path && !place.starts_with(root)) {
            // The escapes of Rust are those of TOML, but for those of letters that no path has.
            Some(place) => text += &format!("{:?}{rest}", place.display().to_string()),
            None => text.extend([UP, piece]),
        }
    }
    text
}

/// Replaces each file in a folder, and in those below it, whose name ends in `ending` by `text` of it;
/// returns whether any differs.
pub(super) fn replace_in(
    folder: &Path,
    ending: &str,
    text: &dyn Fn(&str) -> String,
) -> io::Result<bool> {
    let mut differs = false;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            differs |= replace_in(&path, ending, text)?;
        } else if path.extension() == Some(OsStr::new(ending)) {
            // What is not text is no module.
            let Ok(old) = fs::read_to_string(&path) else { continue };
            let new = text(&old);
            if new != old {
                fs::write(&path, new)?;
                differs = true;
            }
        }
    }
    Ok(differs)
}
