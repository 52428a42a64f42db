//! Which traces the heap is measured on.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use loligo_replay::bundled::{Bundled, bundled};
use loligo_replay::trace::{Trace, TraceError, trace_name};

/// The traces that were found.
#[derive(Clone, Debug)]
pub struct Traces {
    found: Vec<(String, Place)>,
    note: String,
}

/// Where a trace is.
#[derive(Clone, Debug)]
enum Place {
    File(PathBuf),
    Bundled(Bundled),
}

impl Traces {
    /// Looks for traces: in the folder `traces` of the one that the environment variable
    /// `LOLIGO_DATA` names, else of the folder `shared` next to the checkout, else those compiled
    /// in.
    #[must_use]
    pub fn find() -> Self {
        let data = std::env::var_os("LOLIGO_DATA").map(PathBuf::from);
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = [(data, "LOLIGO_DATA"), (Some(checkout.join("shared")), "../shared")];
        for (folder, called) in folders {
            let Some(folder) = folder else { continue };
            let found = in_folder(&folder.join("traces")).unwrap_or_default();
            if !found.is_empty() {
                let names = names_of(&found);
                let count = found.len();
                return Self { found, note: format!("{count} traces of {called}/traces: {names}") };
            }
        }
        let found: Vec<_> = bundled()
            .iter()
            .map(|bundled| (bundled.name.to_owned(), Place::Bundled(*bundled)))
            .collect();
        let (count, names) = (found.len(), names_of(&found));
        Self {
            found,
            note: format!(
                "the {count} bundled traces, as neither LOLIGO_DATA/traces nor ../shared/traces \
                 is there: {names}"
            ),
        }
    }

    /// Returns the traces' names in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.found.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Says which traces these are and where they come from.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the trace is damaged or cannot be read.
    ///
    /// # Panics
    ///
    /// If no trace has this name.
    pub(crate) fn open(&self, name: &str) -> Result<Trace, TraceError> {
        let place = self.found.iter().find(|(found, _)| found == name);
        match &place.expect("rows are made for the traces found").1 {
            Place::File(path) => Trace::open(path),
            Place::Bundled(bundled) => bundled.open(),
        }
    }
}

fn names_of(found: &[(String, Place)]) -> String {
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    names.join(", ")
}

/// Returns the traces in a folder, in the order of their names.
fn in_folder(folder: &Path) -> io::Result<Vec<(String, Place)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if file.ends_with(".altrace") || file.ends_with(".altrace.zst") {
            found.push((trace_name(&path), Place::File(path)));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    Ok(found)
}

#[cfg(test)]
mod tests;
