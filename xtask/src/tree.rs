//! The files of the project, read once, so that a rule is a function from files to findings and a
//! test can plant a violation without touching the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::outcome::Failure;

/// Files by their path from the root, with `/` between the parts.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, Content>,
}

/// What a file holds.
#[derive(Debug)]
struct Content {
    bytes: usize,
    /// Absent where the file is not text.
    text: Option<String>,
}

/// The folder of inputs that a fuzzer made: bytes, though some happen to be text.
const FUZZED: &str = "fuzz/corpus/";

impl Tree {
    /// Reads what git tracks under `root`, and what it would track if asked to add all. Without git
    /// every file is read, hidden folders and build output excepted.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a folder or file cannot be read.
    pub(crate) fn read(root: &Path) -> Result<Self, Failure> {
        let paths = match listed_by_git(root) {
            Some(paths) => paths,
            None => listed_by_walking(root)?,
        };
        Self::of(root, paths)
    }

    /// Reads every file under `root`, hidden folders and build output excepted.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn read_all(root: &Path) -> Result<Self, Failure> {
        Self::of(root, listed_by_walking(root)?)
    }

    fn of(root: &Path, paths: Vec<String>) -> Result<Self, Failure> {
        let mut tree = Self::default();
        for path in paths {
            let full = root.join(&path);
            // A file that was deleted and not yet committed, or a link to a folder, is not a file.
            if !full.is_file() {
                continue;
            }
            let bytes = fs::read(&full)
                .map_err(|error| Failure::io(&format!("cannot read {path}"), &error))?;
            tree.insert(&path, bytes);
        }
        Ok(tree)
    }

    /// Adds a file, or replaces it.
    pub(crate) fn insert(&mut self, path: &str, bytes: Vec<u8>) {
        let is_text = |text: &String| !text.contains('\0') && !path.starts_with(FUZZED);
        let content =
            Content { bytes: bytes.len(), text: String::from_utf8(bytes).ok().filter(is_text) };
        self.files.insert(path.to_owned(), content);
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }

    /// Returns the path and the text of a file, both as they are kept here.
    pub(crate) fn file(&self, path: &str) -> Option<(&str, &str)> {
        let (path, content) = self.files.get_key_value(path)?;
        Some((path, content.text.as_deref()?))
    }

    /// Returns all text files.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter_map(|(path, content)| Some((path.as_str(), content.text.as_deref()?)))
    }

    /// Returns all text files whose name ends in `.rs`.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// Returns every path with its size in bytes.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&str, usize)> {
        self.files.iter().map(|(path, content)| (path.as_str(), content.bytes))
    }

    /// Returns `true` if a file has this path.
    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns `true` if a file, or a folder with files in it, has this path.
    pub(crate) fn has_path(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let folder = format!("{path}/");
        self.has_file(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }
}

/// Asks git for the paths; `None` where there is no git or no repository.
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    if !output.status.success() || output.stdout.is_empty() {
        return None;
    }
    let listing = String::from_utf8(output.stdout).ok()?;
    let paths = listing.split('\0').filter(|path| !path.is_empty());
    Some(paths.map(str::to_owned).collect())
}

/// Lists every file below `root`, leaving out `.git`, `target` and reports.
fn listed_by_walking(root: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder))
            .map_err(|error| Failure::io(&format!("cannot list {folder}/"), &error))?;
        for entry in entries {
            let entry =
                entry.map_err(|error| Failure::io(&format!("cannot list {folder}/"), &error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.path().is_dir() {
                found.push(path);
            } else if !matches!(name.as_str(), ".git" | "target" | "loligo-report") {
                folders.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
