//! The tier-0 crates as they would be published, and projects that use them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toml::Value;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace::{self, Member, Workspace};

/// Packs every tier-0 crate; Cargo unpacks what it packed and builds it from that alone.
pub(crate) fn pack(workspace: &Workspace) -> Outcome {
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["package", "--quiet", "--allow-dirty"]);
    for member in workspace.published() {
        cargo.args(["--package", &member.name]);
    }
    command::run(&mut cargo)
}

/// Returns where [`pack`] left the unpacked crate.
pub(crate) fn unpacked(workspace: &Workspace, member: &Member) -> PathBuf {
    let shared = workspace.root.get("workspace").and_then(|table| table.get("package"));
    let version = shared.and_then(|table| table.get("version")).and_then(Value::as_str);
    let version = version.unwrap_or_default();
    workspace::target().join("package").join(format!("{}-{version}", member.name))
}

/// Copies a folder with all that is in it, each text through `change`.
///
/// # Errors
///
/// [`Failure::Unable`] if the disk does not allow it.
pub(crate) fn copy(from: &Path, to: &Path, change: &dyn Fn(String) -> String) -> Outcome {
    fs::create_dir_all(to).map_err(|error| Failure::io("cannot make a folder", &error))?;
    let entries = fs::read_dir(from)
        .map_err(|error| Failure::io(&format!("cannot list {}", from.display()), &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| Failure::io("cannot list a folder", &error))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to, change)?;
            continue;
        }
        let bytes =
            fs::read(&from).map_err(|error| Failure::io("cannot read a packed file", &error))?;
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => change(text).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        write(&to, &bytes)?;
    }
    Ok(())
}

/// Writes a file and the folders that it needs.
///
/// # Errors
///
/// [`Failure::Unable`] if the disk does not allow it.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Outcome {
    let doing = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Failure::io(&doing(), &error))?;
    }
    fs::write(path, contents).map_err(|error| Failure::io(&doing(), &error))
}

/// A project made for one check, a separate workspace.
pub(crate) struct Project {
    folder: PathBuf,
    target: PathBuf,
    offline: bool,
}

impl Project {
    /// Writes a library project: `manifest` follows the `[package]` table, `source` is its
    /// `lib.rs`. The workspace's lock file comes along, so that the same versions are used.
    /// `target` is where it builds, so that checks share what they build.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the disk does not allow it.
    pub(crate) fn write(
        folder: &Path,
        target: &Path,
        manifest: &str,
        source: &str,
    ) -> Result<Self, Failure> {
        let head = "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
            [workspace]\n\n";
        write(&folder.join("Cargo.toml"), format!("{head}{manifest}").as_bytes())?;
        write(&folder.join("src/lib.rs"), source.as_bytes())?;
        let lock = fs::read(workspace::root().join("Cargo.lock"))
            .map_err(|error| Failure::io("cannot read Cargo.lock", &error))?;
        write(&folder.join("Cargo.lock"), &lock)?;
        let mut project =
            Self { folder: folder.to_owned(), target: target.to_owned(), offline: true };
        // What Cargo has fetched before is enough, or the registry is asked.
        let fetch = ["fetch", "--quiet", "--target", "x86_64-unknown-linux-gnu"];
        let fetched = project.cargo(&fetch).stderr(Stdio::null()).status();
        project.offline = fetched.is_ok_and(|status| status.success());
        Ok(project)
    }

    /// Returns Cargo, to be run in the project.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = command::cargo(&self.folder);
        cargo.env("CARGO_TARGET_DIR", &self.target);
        if self.offline {
            cargo.env("CARGO_NET_OFFLINE", "true");
        }
        cargo.args(arguments);
        cargo
    }
}

#[cfg(test)]
mod tests;
