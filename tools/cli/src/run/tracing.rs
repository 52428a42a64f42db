//! The trace of a run: `loligo run --trace`.

use std::fs::File;
use std::path::Path;

use loligo_engine::{DisabledSubsystems, OptionalSubsystem, TraceFile, TraceReport};

use crate::print::say;

/// A trace that is written while a game runs, so that an interrupted run leaves one, too.
pub(super) struct Tracing<'p> {
    path: &'p Path,
    file: TraceFile,
}

impl<'p> Tracing<'p> {
    /// Opens the file, and empties it.
    ///
    /// # Errors
    ///
    /// In words, if it cannot be written, or nothing is recorded.
    pub(super) fn open(path: &'p Path, without: DisabledSubsystems) -> Result<Self, String> {
        let shown = path.display();
        if without.has(OptionalSubsystem::Monitor) {
            return Err(format!(
                "{shown}: a trace is what the subsystem `monitor` records; run without `--without monitor`"
            ));
        }
        match File::create(path) {
            Ok(file) => Ok(Self { path, file: TraceFile::new(file) }),
            Err(error) => Err(format!(
                "{shown}: cannot write: {error}; name a file in a folder that may be written"
            )),
        }
    }

    /// Returns what the engine writes to.
    pub(super) const fn file(&self) -> &TraceFile {
        &self.file
    }

    /// Returns a line of what was written, and says what was lost.
    ///
    /// # Errors
    ///
    /// In words, if not all was written.
    pub(super) fn finish(self) -> (String, Result<(), String>) {
        let shown = self.path.display();
        let TraceReport { events, scopes, lost, error } = self.file.into_report();
        if lost > 0 {
            say!(
                "loligo: {shown}: {lost} events came faster than they could be written, and were lost; the trace shows \
                 where; record less, or write to a faster disk"
            );
        }
        let line = format!("  trace: {scopes} scopes, {events} events, {lost} lost, in {shown}\n");
        (line, error.map_or(Ok(()), |error| Err(format!("{shown}: {error}"))))
    }
}
