//! Which folder may be a data folder.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf, absolute};

use loligo_resources::ContentHash;

use crate::disk::Disk;
use crate::error::BuildError;
use crate::folder_error::{FolderError, FolderErrorKind};
use crate::guarded_folder::{EntryKind, GuardedFolder};

/// What the file `lock` of a data folder holds. Older versions left it empty.
pub(super) const MARK: &[u8] = b"loligo data folder 1\n";

/// The files of a data folder that a compile writes, besides blobs.
const FILES: [&str; 5] = ["lock", "resources", "names", "index", "look"];

/// The folders in a data folder.
const FOLDERS: [&str; 2] = ["blobs", "partial"];

/// The picture that `loligo run` keeps in it.
const PICTURE: &str = "last.png";

/// Opens the folder, and makes those on the way to it that are not there. From the project on no
/// link is followed; where it is not in the project, links are those of the user, and only the
/// folder itself and what is made may not be one.
pub(super) fn reach(
    project: &Path,
    path: &Path,
    disk: &dyn Disk,
) -> Result<GuardedFolder, BuildError> {
    let (base, steps) = match steps_below(project, path) {
        Some(steps) => (project.to_owned(), steps),
        None => steps_to_make(path),
    };
    let mut folder = GuardedFolder::open(&base)?;
    for step in steps {
        let place = folder.path().join(&step);
        let Some(step) = step.to_str() else {
            return Err(BuildError::new(&place, "cannot be written", "its name is not UTF-8"));
        };
        let fail = |error| BuildError::io(&place, "cannot be written", error);
        disk.create_folder(&folder, step).map_err(fail)?;
        folder = folder.enter(step)?;
    }
    Ok(folder)
}

/// Returns the steps from the project to a folder in it; none if it is elsewhere, as far as its
/// name says.
fn steps_below(project: &Path, path: &Path) -> Option<Vec<OsString>> {
    let (project, path) = (absolute(project).ok()?, absolute(path).ok()?);
    let below = path.strip_prefix(project).ok()?;
    let step = |step: Component<'_>| match step {
        Component::Normal(step) => Some(step.to_owned()),
        _ => None,
    };
    below.components().map(step).collect()
}

/// Returns the folder that is to be opened first, and the steps from there on.
fn steps_to_make(path: &Path) -> (PathBuf, Vec<OsString>) {
    let (mut base, mut steps) = (path, Vec::new());
    while let (Some(parent), Some(step)) = (base.parent(), base.file_name()) {
        steps.push(step.to_owned());
        base = parent;
        if base.as_os_str().is_empty() || base.exists() {
            break;
        }
    }
    steps.reverse();
    (base.to_owned(), steps)
}

/// Refuses a data folder in which something else is where a file or folder of ours belongs. What
/// has another name is left alone.
pub(super) fn check_entries(folder: &GuardedFolder) -> Result<(), BuildError> {
    for name in FILES {
        check(folder, name, EntryKind::File)?;
    }
    for name in FOLDERS {
        check(folder, name, EntryKind::Folder)?;
    }
    Ok(())
}

fn check(folder: &GuardedFolder, name: &str, wanted: EntryKind) -> Result<(), FolderError> {
    let kind = match folder.kind(name)? {
        Some(EntryKind::Link) => FolderErrorKind::Link,
        Some(kind) if kind != wanted && wanted == EntryKind::File => FolderErrorKind::NotAFile,
        Some(kind) if kind != wanted => FolderErrorKind::NotAFolder,
        _ => return Ok(()),
    };
    Err(FolderError::new(&folder.path().join(name), kind))
}

/// Returns `true` if a folder without a whole mark has nothing in it but what a compile of an older
/// version, or one that was killed, leaves.
pub(super) fn has_old_form(folder: &GuardedFolder) -> Result<bool, FolderError> {
    let of_form = |folder: &GuardedFolder, is_name: &dyn Fn(&OsStr) -> bool| {
        for name in folder.names()? {
            if !is_name(&name) || folder.kind(&name)? != Some(EntryKind::File) {
                return Ok::<bool, FolderError>(false);
            }
        }
        Ok(true)
    };
    for name in folder.names()? {
        let is_ours = match name.to_str() {
            Some("blobs") if folder.kind(&name)? == Some(EntryKind::Folder) => {
                let is_blob =
                    |name: &OsStr| ContentHash::from_hex(name.as_encoded_bytes()).is_some();
                of_form(&folder.enter(&name)?, &is_blob)?
            }
            Some("partial") if folder.kind(&name)? == Some(EntryKind::Folder) => {
                of_form(&folder.enter(&name)?, &is_partial)?
            }
            Some(file) => {
                (FILES.contains(&file) || file == PICTURE)
                    && folder.kind(&name)? == Some(EntryKind::File)
            }
            None => false,
        };
        if !is_ours {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if a name is that of a file that is being written: a number.
pub(super) fn is_partial(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    (1..=20).contains(&name.len()) && name.iter().all(u8::is_ascii_digit)
}
