//! The sources of others' crates: fetched by Cargo in one version each, and found where it keeps
//! them.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::command;
use crate::outcome::Failure;
use crate::packages;

/// The machine that dependencies are fetched for.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A crate by its name and its version.
pub(crate) type Crate = (&'static str, &'static str);

/// Where Cargo keeps the sources, as it says it.
pub(crate) struct Sources {
    metadata: Value,
}

impl Sources {
    /// Fetches crates by a project in `folder`; `None` if they cannot be fetched.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the disk does not allow it, or if Cargo does not answer.
    pub(crate) fn fetch(folder: &Path, crates: &[Crate]) -> Result<Option<Self>, Failure> {
        packages::write(&folder.join("Cargo.toml"), dependent(crates).as_bytes())?;
        packages::write(&folder.join("src/lib.rs"), b"")?;
        if !fetch(folder)? {
            return Ok(None);
        }
        let mut cargo = command::cargo(folder);
        let said = command::output(cargo.args(["metadata", "--format-version", "1"]))?;
        let metadata = serde_json::from_str(&said);
        let metadata = metadata.map_err(|error| {
            Failure::Unable(format!("`cargo metadata` writes no JSON: {error}"))
        })?;
        Ok(Some(Self { metadata }))
    }

    /// Returns the folder of a crate.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the crate is not one of those that were fetched.
    pub(crate) fn folder(&self, name: &str, version: &str) -> Result<PathBuf, Failure> {
        let manifest = manifest_path(&self.metadata, name, version);
        let folder = manifest.as_deref().and_then(Path::parent).map(Path::to_owned);
        folder.ok_or_else(|| {
            Failure::Unable(format!("`cargo metadata` does not name {name} {version}"))
        })
    }
}

/// Fetches what a project depends on, and returns whether that went well.
///
/// # Errors
///
/// [`Failure::Unable`] if Cargo cannot be started.
pub(crate) fn fetch(folder: &Path) -> Result<bool, Failure> {
    // What Cargo has fetched before is enough, or the registry is asked.
    for offline in ["true", "false"] {
        let mut cargo = command::cargo(folder);
        cargo.args(["fetch", "--quiet", "--target", TARGET]);
        cargo.env("CARGO_NET_OFFLINE", offline).stderr(Stdio::null());
        let status = cargo.status().map_err(|error| Failure::io("cannot run cargo", &error))?;
        if status.success() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns where the manifest of a crate is, according to `cargo metadata`.
fn manifest_path(metadata: &Value, name: &str, version: &str) -> Option<PathBuf> {
    let mut packages = metadata.get("packages")?.as_array()?.iter();
    let is = |package: &Value, key, value| package.get(key).and_then(Value::as_str) == Some(value);
    let package =
        packages.find(|package| is(package, "name", name) && is(package, "version", version))?;
    package.get("manifest_path")?.as_str().map(PathBuf::from)
}

/// Returns the manifest of a project that depends on these crates, and on no other version.
fn dependent(crates: &[Crate]) -> String {
    let dependencies = crates.iter().map(|(name, version)| format!("{name} = \"={version}\"\n"));
    let dependencies: String = dependencies.collect();
    format!("{}\n[dependencies]\n{dependencies}", package("sources"))
}

/// Returns the manifest of a package that depends on nothing.
pub(crate) fn package(name: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n"
    )
}

#[cfg(test)]
mod tests;
