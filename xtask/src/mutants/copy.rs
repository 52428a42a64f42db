//! The copy of the workspace that the mutants are spliced into.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::Failure;
use crate::tree::Tree;
use crate::workspace;

const SWITCH: &str = include_str!("switch.rs.txt");
const CANARY: &str = include_str!("canary.rs.txt");

/// Where the canary is in the copy.
pub(super) const CANARY_PATH: &str = "allocators/src/__canary.rs";

const SWITCH_PATH: &str = "allocators/src/__mutants.rs";

/// A folder with the workspace in it.
#[derive(Debug)]
pub(super) struct Copy {
    /// Where.
    pub(super) folder: PathBuf,
}

impl Copy {
    /// Makes the copy, or brings it up to date, but for the sources that mutants are spliced into:
    /// only what differs is written, so that Cargo builds no more than it must.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a file cannot be read or written.
    pub(super) fn make(tree: &Tree, spliced: &BTreeSet<&str>) -> Result<Self, Failure> {
        let root = workspace::root();
        let copy = Self { folder: home().join("tree") };
        let mut kept = BTreeSet::new();
        for (path, _) in tree.sizes() {
            kept.insert(copy.folder.join(path));
            if spliced.contains(path) {
                continue;
            }
            let bytes = fs::read(root.join(path))
                .map_err(|error| Failure::io(&format!("cannot read {path}"), &error))?;
            copy.write_bytes(path, &bytes)?;
        }
        kept.insert(copy.folder.join(CANARY_PATH));
        kept.insert(copy.folder.join(SWITCH_PATH));
        copy.write_bytes(SWITCH_PATH, SWITCH.as_bytes())?;
        remove_others(&copy.folder, &kept);
        Ok(copy)
    }

    /// Writes a source; the root of the allocators also names the switch.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be written.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        // Inlined everywhere, functions with many mutants in them would take long to compile. The
        // bytes stay where they are, since errors are laid to mutants by them.
        let text = text.replace("#[inline(always)]", "#[inline]        ");
        if path == "allocators/src/lib.rs" {
            let text = text.replacen(
                "#![no_std]",
                "#![no_std]\n#![feature(core_intrinsics, const_eval_select)]",
                1,
            );
            let more = "\nextern crate self as loligo_allocators;\n#[doc(hidden)]\npub mod __mutants;\n\
                #[doc(hidden)]\npub mod __canary;\n";
            return self.write_bytes(path, format!("{text}{more}").as_bytes());
        }
        self.write_bytes(path, text.as_bytes())
    }

    fn write_bytes(&self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        let to = self.folder.join(path);
        if fs::read(&to).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        let folder = to.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&to, bytes))
            .map_err(|error| Failure::io(&format!("cannot write {}", to.display()), &error))
    }
}

/// Returns the text of the canary.
pub(super) fn canary() -> &'static str {
    CANARY
}

/// Returns the folder that all of this is in.
pub(super) fn home() -> PathBuf {
    workspace::target().join("xtask/mutants")
}

/// Removes the files of earlier copies that are no more, as Cargo would build some of them.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            remove_others(&path, kept);
        } else if !kept.contains(&path) {
            drop(fs::remove_file(&path));
        }
    }
}
