//! The report: one HTML page that needs nothing outside itself.
//!
//! [`prepare`] makes sure, before any work is done, that the folder can be written.
//! [`ReportDir::write`] then looks at each trace once more, this time for pictures rather than for
//! time: our allocators replay it with their counters and blocks looked at on the way, and a buddy
//! allocator is filmed. Template, style sheets and scripts are files in this module's folder and
//! are compiled in; the data goes into the page as JSON. No name is trusted: text is escaped where
//! it enters the page and stays text in the scripts.
//!
//! The page is written under a temporary name and then renamed, so a reader never finds half of
//! one.

use core::error::Error;
use core::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::advise::Advice;
use crate::results::Results;
use crate::sheet::Sheet;
use crate::trace::Trace;
use crate::unfinished::Unfinished;

mod advice;
mod collect;
mod data;
pub mod design;
mod drive;
mod film;
mod film_demo;
mod film_trace;
mod memory_map;
mod page;
mod sample;
mod sheet;
mod subjects;
mod timeline;
mod words;

pub use page::escape;
pub use sheet::Figure;

/// The page's file in the folder.
const PAGE: &str = "index.html";

/// The file of the page of an advice.
const ADVICE_PAGE: &str = "advice.html";

/// A folder that could be written when it was prepared.
#[derive(Debug)]
pub struct ReportDir {
    dir: PathBuf,
}

/// Makes the folder, with those above it, and tries to write a file into it.
///
/// # Errors
///
/// [`ReportError`] if either fails.
///
/// # Examples
///
/// ```
/// let place = std::env::temp_dir().join("loligo-report-example");
/// let folder = loligo_replay::report::prepare(&place)?;
/// let page = folder.write(&loligo_replay::results::Results::default(), &[])?;
/// assert!(std::fs::read_to_string(&page)?.starts_with("<!doctype html>"));
/// # std::fs::remove_dir_all(&place)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prepare(dir: &Path) -> Result<ReportDir, ReportError> {
    let fail = |cause| ReportError::new(dir, cause);
    fs::create_dir_all(dir).map_err(|error| fail(Cause::Folder(error)))?;
    if dir.join(PAGE).is_dir() {
        return Err(fail(Cause::File(io::ErrorKind::IsADirectory.into())));
    }
    Unfinished::create(dir, PAGE).map_err(|error| fail(Cause::File(error)))?;
    Ok(ReportDir { dir: dir.to_owned() })
}

impl ReportDir {
    /// Collects the pictures, writes the page and returns its path. `traces` are those that
    /// `results` reports; a trace without a result is shown without a table, a result without a
    /// trace is left out.
    ///
    /// # Complexity
    ///
    /// O(events) for each trace and each allocator of ours that is drawn, about as long as a few
    /// rounds of the replay.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if the page cannot be written. An older page is then unchanged.
    pub fn write(&self, results: &Results, traces: &[Trace]) -> Result<PathBuf, ReportError> {
        let fail = |cause| ReportError::new(&self.dir, cause);
        let (opening, data) = collect::collect(results, traces);
        let page = page::render(&opening, &data)
            .map_err(|error| fail(Cause::File(io::Error::other(error))))?;
        self.put(PAGE, &page)
    }

    /// Writes the page of an advice next to that of a replay and returns its path: the front of
    /// time against memory, sizes by lifetimes, phases, call sites, and the memory before and
    /// after.
    ///
    /// # Complexity
    ///
    /// O(events) for the heap and for each choice, which replay the trace once more.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if the page cannot be written. An older page is then unchanged.
    pub fn write_advice(&self, advice: &Advice, trace: &Trace) -> Result<PathBuf, ReportError> {
        let page = advice::render(advice, trace)
            .map_err(|error| ReportError::new(&self.dir, Cause::File(io::Error::other(error))))?;
        self.put(ADVICE_PAGE, &page)
    }

    /// Writes a page of tables as `name` into the folder and returns its path. `command` is the word
    /// in the page's mark.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if the page cannot be written. An older page is then unchanged.
    pub fn write_sheet(
        &self,
        name: &'static str,
        command: &str,
        sheet: &Sheet,
    ) -> Result<PathBuf, ReportError> {
        self.put(name, &sheet::render(command, sheet))
    }

    /// Writes a page under a temporary name and then renames it.
    fn put(&self, name: &'static str, page: &str) -> Result<PathBuf, ReportError> {
        let fail = |cause| ReportError { page: name, ..ReportError::new(&self.dir, cause) };
        let place = self.dir.join(name);
        Unfinished::create(&self.dir, name)
            .and_then(|mut unfinished| {
                unfinished.file.write_all(page.as_bytes())?;
                fs::rename(&unfinished.path, &place)
            })
            .map_err(|error| fail(Cause::File(error)))?;
        Ok(place)
    }
}

/// Returns a page of figures that needs nothing outside itself: `command` is the word in its mark, `texts`
/// its title and a sentence or two, `findings` what a reader should know first, and `style` what is added to
/// the style sheets of all pages.
#[must_use]
pub fn figures_page(
    command: &str,
    texts: (&str, &str),
    findings: &[(String, String)],
    figures: &[Figure],
    style: &str,
) -> String {
    sheet::render_figures(command, texts, findings, figures, style)
}

/// The report cannot be written: where, why, and what to do.
#[derive(Debug)]
pub struct ReportError {
    dir: PathBuf,
    /// The file of the folder that it is about.
    page: &'static str,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Folder(io::Error),
    File(io::Error),
}

impl ReportError {
    fn new(dir: &Path, cause: Cause) -> Self {
        Self { dir: dir.to_owned(), page: PAGE, cause }
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = self.dir.display();
        match &self.cause {
            Cause::Folder(error) => write!(f, "cannot make the report folder {dir}: {error}")?,
            Cause::File(error) => {
                write!(f, "cannot write {} in the report folder {dir}: {error}", self.page)?;
            }
        }
        f.write_str("; make it writable, or give another folder with --report DIR")
    }
}

impl Error for ReportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Folder(error) | Cause::File(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests;
