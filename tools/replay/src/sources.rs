//! Where the sources of `loligo-allocators` are.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns where the sources of `loligo-allocators` were as this was compiled.
#[must_use]
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../allocators")
}

/// Returns the line of a `Cargo.toml` that depends on them: by their path where they are still
/// there, since no registry has them.
pub(crate) fn dependency() -> String {
    let place = match fs::canonicalize(sources()) {
        Ok(path) => format!("path = {:?}", path.display().to_string()),
        Err(_) => "git = \"https://github.com/loligo-engine/loligo\"".to_owned(),
    };
    format!("loligo-allocators = {{ {place}, features = [\"std\"] }}")
}
