//! The sources of the crates: fetched by Cargo, and copied so that each is a workspace by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use super::remove;
use super::suite::{self, Suite};
use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::packages;

/// Where Cargo keeps the sources, as it says it.
pub(super) struct Sources {
    metadata: Value,
}

impl Sources {
    /// Fetches every suite's crate by a project in `folder`; `None` if they cannot be fetched.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the disk does not allow it, or if Cargo does not answer.
    pub(super) fn fetch(folder: &Path) -> Result<Option<Self>, Failure> {
        packages::write(&folder.join("Cargo.toml"), suite::dependent().as_bytes())?;
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

    /// Copies the crate of a suite, its manifest changed, over what an earlier run left.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the disk does not allow it.
    pub(super) fn copy(&self, suite: &Suite, to: &Path) -> Outcome {
        let from = manifest_path(&self.metadata, suite).and_then(|path| {
            let folder = path.parent()?;
            Some(folder.to_owned())
        });
        let from = from.ok_or_else(|| {
            let (name, version) = (suite.name, suite.version);
            Failure::Unable(format!("`cargo metadata` does not name {name} {version}"))
        })?;
        remove(to)?;
        packages::copy(&from, to, &|text| text)?;
        let manifest = to.join("Cargo.toml");
        let published = fs::read_to_string(&manifest)
            .map_err(|error| Failure::io("cannot read a manifest", &error))?;
        packages::write(&manifest, suite.manifest(&published).as_bytes())
    }
}

/// Fetches what a project depends on, and returns whether that went well.
///
/// # Errors
///
/// [`Failure::Unable`] if Cargo cannot be started.
pub(super) fn fetch(folder: &Path) -> Result<bool, Failure> {
    // What Cargo has fetched before is enough, or the registry is asked.
    for offline in ["true", "false"] {
        let mut cargo = command::cargo(folder);
        cargo.args(["fetch", "--quiet", "--target", super::heap::TARGET]);
        cargo.env("CARGO_NET_OFFLINE", offline).stderr(Stdio::null());
        let status = cargo.status().map_err(|error| Failure::io("cannot run cargo", &error))?;
        if status.success() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns where the manifest of a suite's crate is, according to `cargo metadata`.
pub(super) fn manifest_path(metadata: &Value, suite: &Suite) -> Option<PathBuf> {
    let mut packages = metadata.get("packages")?.as_array()?.iter();
    let is = |package: &Value, key, value| package.get(key).and_then(Value::as_str) == Some(value);
    let package = packages
        .find(|package| is(package, "name", suite.name) && is(package, "version", suite.version))?;
    package.get("manifest_path")?.as_str().map(PathBuf::from)
}
