//! Cargo in the copy: what it says of the spliced sources, and the test programs it builds.

use core::ops::Range;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::copy::home;
use super::sources::CRATES;
use crate::command;
use crate::outcome::Failure;

/// The features that the mutants are built with: all that change code of tier 0.
const FEATURES: &str = "loligo-allocators/allocator-api2-02,loligo-allocators/allocator-api2-03,\
    loligo-allocators/allocator-api2-04,loligo-allocators/lock_api,loligo-allocators/stacks,loligo-containers/hashbrown";

/// What Cargo and rustc said.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The errors.
    pub(super) errors: Vec<Error>,
    /// The test programs.
    pub(super) programs: Vec<Program>,
    /// Whether all went well.
    pub(super) is_done: bool,
}

/// An error of the compiler.
#[derive(Debug, Default)]
pub(super) struct Error {
    /// Its code, as `E0308`.
    pub(super) code: String,
    /// What it says.
    pub(super) message: String,
    /// Where: file, bytes; the main places first.
    pub(super) spans: Vec<(String, Range<usize>)>,
    /// As a person would read it.
    pub(super) shown: String,
}

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The folder of its crate, from the root.
    pub(super) folder: String,
    /// The target's name.
    pub(super) target: String,
    /// Where it is.
    pub(super) path: PathBuf,
}

/// Has a crate of tier 0 checked.
///
/// # Errors
///
/// [`Failure::Unable`] if Cargo cannot be run.
pub(super) fn check(folder: &Path, name: &str) -> Result<Said, Failure> {
    let package = format!("loligo-{name}");
    let features: Vec<&str> =
        FEATURES.split(',').filter(|feature| can_name(name, feature)).collect();
    cargo(folder, &["check", "--package", &package, "--lib", "--features", &features.join(",")])
}

/// Returns `true` if a package can name a feature: its own, or one of the allocators.
fn can_name(name: &str, feature: &str) -> bool {
    feature.starts_with(&format!("loligo-{name}/")) || feature.starts_with("loligo-allocators/")
}

/// Has test programs of tier 0 built: all of them, or the unit tests of some crates.
///
/// # Errors
///
/// As [`check`].
pub(super) fn tests(folder: &Path, unit: Option<&BTreeSet<&str>>) -> Result<Said, Failure> {
    let names = unit.map_or_else(|| CRATES.into_iter().chain(["tests"]).collect(), Clone::clone);
    let packages: Vec<String> = names.iter().map(|name| format!("loligo-{name}")).collect();
    let can_name = |feature: &&str| names.iter().any(|name| can_name(name, feature));
    let features: Vec<&str> = FEATURES.split(',').filter(can_name).collect();
    let features = features.join(",");
    let kind = if unit.is_some() { "--lib" } else { "--tests" };
    let mut arguments = vec!["test", "--no-run", kind, "--features", &features];
    for package in &packages {
        arguments.extend(["--package", package]);
    }
    cargo(folder, &arguments)
}

fn cargo(folder: &Path, arguments: &[&str]) -> Result<Said, Failure> {
    let mut command: Command = command::cargo(folder);
    command.args(arguments).args(["--message-format", "json", "--quiet"]);
    // Mutants are full of what lints complain of, and a function that may run in the compiler asks
    // for its mutant only when the program runs, which is not part of the stable language.
    command.env("RUSTFLAGS", "--cap-lints=allow").env("RUSTC_BOOTSTRAP", "loligo_allocators");
    command.env("CARGO_TARGET_DIR", home().join("target")).env("CARGO_INCREMENTAL", "0");
    let output = command
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| Failure::io("cannot run Cargo", &error))?;
    let mut said = Said { is_done: output.status.success(), ..Said::default() };
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Ok(message) = serde_json::from_str::<Value>(line) {
            said.hear(&message, folder);
        }
    }
    if !said.is_done && said.errors.is_empty() {
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        said.errors.push(Error { shown, ..Error::default() });
    }
    Ok(said)
}

impl Said {
    /// Handles a message of Cargo's.
    pub(super) fn hear(&mut self, message: &Value, root: &Path) {
        match message["reason"].as_str() {
            Some("compiler-message") => {
                let inner = &message["message"];
                if inner["level"] == "error" {
                    self.errors.extend(error(inner));
                }
            }
            Some("compiler-artifact") => {
                let Some(path) = message["executable"].as_str() else {
                    return;
                };
                if message["profile"]["test"] != true {
                    return;
                }
                let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
                let folder = manifest.parent().and_then(|folder| folder.strip_prefix(root).ok());
                self.programs.push(Program {
                    folder: folder.map_or_else(String::new, |it| it.to_string_lossy().into_owned()),
                    target: message["target"]["name"].as_str().unwrap_or_default().to_owned(),
                    path: path.into(),
                });
            }
            _ => {}
        }
    }
}

/// Reads an error; the summary at the end has no place and is left out.
fn error(inner: &Value) -> Option<Error> {
    let mut spans = Vec::new();
    for is_primary in [true, false] {
        for span in inner["spans"].as_array()? {
            if span["is_primary"] == is_primary {
                let byte = |name: &str| usize::try_from(span[name].as_u64()?).ok();
                let range = byte("byte_start")?..byte("byte_end")?;
                spans.push((span["file_name"].as_str()?.to_owned(), range));
            }
        }
    }
    let message = inner["message"].as_str()?.to_owned();
    if spans.is_empty() && message.starts_with("aborting") {
        return None;
    }
    Some(Error {
        code: inner["code"]["code"].as_str().unwrap_or_default().to_owned(),
        message,
        spans,
        shown: inner["rendered"].as_str().unwrap_or_default().to_owned(),
    })
}
