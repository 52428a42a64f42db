//! A workspace of ours in a folder, a crate for each thing that is built.

use core::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

const PROFILE: &str = "
[profile.release]
codegen-units = 1
lto = \"fat\"
panic = \"abort\"
";

/// Writes all but the crates, which are called `NAME_0` and so on.
pub(super) fn begin(folder: &Path, sources: &Path, name: &str, crates: usize) -> io::Result<()> {
    let mut manifest = String::from("[workspace]\nresolver = \"3\"\nmembers = [");
    for number in 0..crates {
        // Writing to a string cannot fail.
        let _ = write!(manifest, "\"{name}_{number}\", ");
    }
    manifest.push_str("]\n");
    manifest.push_str(PROFILE);
    fs::create_dir_all(folder)?;
    put(&folder.join("Cargo.toml"), &manifest)?;
    // The versions that this command was built with: they are on this machine.
    if let Ok(lock) = fs::read_to_string(sources.join("../Cargo.lock")) {
        put(&folder.join("Cargo.lock"), &lock)?;
    }
    Ok(())
}

/// Builds it.
pub(super) fn build(folder: &Path) -> Result<(), String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet", "--offline", "--target-dir", "target"]);
    cargo.current_dir(folder).env_remove("RUSTFLAGS");
    let built = cargo.output().map_err(|error| format!("`cargo`: {error}"))?;
    let said = || String::from_utf8_lossy(&built.stderr).into_owned();
    if built.status.success() { Ok(()) } else { Err(said()) }
}

/// Writes a file, unless it has that text: what did not change is not built again.
pub(super) fn put(path: &Path, text: &str) -> io::Result<()> {
    match fs::read_to_string(path) {
        Ok(before) if before == text => Ok(()),
        _ => fs::write(path, text),
    }
}
