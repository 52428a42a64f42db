//! `loligo bundle verify`.

use core::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use loligo_allocators::Allocator;
use loligo_resources::{
    BUNDLE_ENDING, Bundle, BundleDamage, BundleError, BundleErrorKind, Bundles, DebugName,
};

use super::with_names;
use crate::print::print;

/// Reads every block of bundles; returns whether all is whole.
pub(super) fn verify(
    path: &Path,
    data: Option<&Path>,
    memory: &dyn Allocator,
) -> Result<bool, String> {
    let paths = paths(path)?;
    let (mut damages, mut text) = (0, String::new());
    let mut bundles = Bundles::new_in(memory);
    for path in &paths {
        let bundle = match open(path, memory) {
            Ok(bundle) => bundle,
            Err(error) if is_damage(&error) => {
                damages += 1;
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{error}");
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        let mut damage = |BundleDamage { block, error, resource }: BundleDamage| {
            let _ = write!(text, "bundle `{}`: block {block} {error}", bundle.name());
            let _ = match resource {
                Some(key) => writeln!(text, "; it has resource {key}"),
                None => writeln!(text, "; it has no resource"),
            };
        };
        let damaged = bundle.verify(&mut damage).map_err(|error| error.to_string())?;
        let blocks = bundle.block_count();
        let _ = writeln!(text, "{}: damaged blocks: {damaged} of {blocks}", bundle.name());
        damages += damaged;
        bundles.try_add(bundle).map_err(|error| error.to_string())?;
    }
    // One bundle may be a patch of others that are elsewhere.
    if path.is_dir() && damages == 0 {
        match bundles.try_settle() {
            Ok(()) => {}
            Err(error) if is_damage(&error) => {
                damages += 1;
                let _ = writeln!(text, "{error}");
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    print(&with_names(data, &text, memory))?;
    Ok(damages == 0)
}

/// Opens a bundle by itself.
pub(super) fn open<'h>(
    path: &Path,
    memory: &'h (dyn Allocator + 'h),
) -> Result<Bundle<'h, dyn Allocator + 'h>, BundleError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fail = |error: io::Error| BundleError {
        bundle: DebugName::new(&name),
        kind: BundleErrorKind::Io(error),
    };
    if !path.is_file() {
        return Err(fail(io::ErrorKind::NotFound.into()));
    }
    Bundle::try_open(&name, fs::File::open(path).map_err(fail)?, memory)
}

/// Returns the bundles of a folder in the order of their names, or the one that is named.
fn paths(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let fail = |error: io::Error| format!("{}: cannot be read: {error}", path.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(path).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        if name.ends_with(BUNDLE_ENDING) && !name.starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(format!(
            "{}: there are no bundles in it; name the folder that `loligo bundle build` has written",
            path.display()
        ));
    }
    Ok(paths)
}

/// Returns whether a bundle is wrong itself; else the system or the memory is.
fn is_damage(error: &BundleError) -> bool {
    !matches!(error.kind, BundleErrorKind::Io(_) | BundleErrorKind::Memory(_))
}
