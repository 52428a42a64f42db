//! A copy of the workspace in which faults are planted, so that nobody's files are touched.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::fault::Fault;
use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace;

/// The copy, and where it is built.
#[derive(Debug)]
pub(super) struct Place {
    /// The root of the copied workspace.
    pub(super) root: PathBuf,
    /// The folder of everything that belongs to it.
    pub(super) folder: PathBuf,
    /// Held while this lives, as two that plant in one copy would both see wrong.
    _lock: File,
}

impl Place {
    /// Brings the copy up to date. Files that are the same are left alone, so that Cargo does not
    /// build them again.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a file cannot be copied, or if another run is at it.
    pub(super) fn lay(tree: &Tree) -> Result<Self, Failure> {
        let folder = workspace::target().join("xtask/planted");
        let root = folder.join("tree");
        fs::create_dir_all(&root).map_err(|error| failed("cannot make", &root, &error))?;
        let lock = folder.join("lock");
        let lock = File::create(&lock).map_err(|error| failed("cannot make", &lock, &error))?;
        if lock.try_lock().is_err() {
            return Err(Failure::Unable("another run plants faults in the same copy".into()));
        }
        let place = Self { root, folder, _lock: lock };
        let source = workspace::root();
        let paths: BTreeSet<&str> = tree.sizes().map(|(path, _)| path).collect();
        for path in &paths {
            let bytes = read(&source.join(path))?;
            let copy = place.root.join(path);
            if fs::read(&copy).ok().as_ref() != Some(&bytes) {
                write(&copy, &bytes)?;
            }
        }
        for path in Tree::read_all(&place.root)?.sizes().map(|(path, _)| path) {
            if !paths.contains(path) {
                let path = place.root.join(path);
                fs::remove_file(&path).map_err(|error| failed("cannot delete", &path, &error))?;
            }
        }
        Ok(place)
    }

    /// Does something while the fault is in the copy, which is as it was afterwards.
    ///
    /// # Errors
    ///
    /// Those of `act`, and as [`Fault::plant`].
    pub(super) fn with<R>(
        &self,
        fault: &Fault,
        act: impl FnOnce() -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let path = self.root.join(&fault.file);
        let before = read(&path)?;
        let text = String::from_utf8_lossy(&before);
        write(&path, fault.plant(&text)?.as_bytes())?;
        let done = act();
        write(&path, &before)?;
        done
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| failed("cannot read", path, &error))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed("cannot make", folder, &error))?;
    }
    fs::write(path, bytes).map_err(|error| failed("cannot write", path, &error))
}

fn failed(doing: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::io(&format!("{doing} {}", path.display()), error)
}
