//! The list of a person's allocators, and what is done with them.

use core::alloc::{GlobalAlloc, Layout};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Parser;
use loligo_allocators::Allocator;
use loligo_replay::report;
use loligo_replay::results::Kind;
use loligo_replay::rows::Row;
use loligo_replay::sheet::Sheet;
use loligo_tests::conformance::{some_allocator_outcomes, some_global_alloc_outcomes};
use loligo_tests::misuse::commit;

use crate::Limits;
use crate::as_global::AsGlobal;
use crate::entry::{Checks, Entry};
use crate::job;
use crate::parts;
use crate::progress::say;
use crate::settings::Settings;

/// The file of the page.
const PAGE: &str = "bench.html";

/// The block that is misused.
const MISUSED: Layout = match Layout::from_size_align(64, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("64 bytes at 16 are a layout"),
};

/// Allocators to compare with others.
///
/// Each is named and made by a function, since each is measured in several processes: the program
/// starts itself again, so [`run`](Self::run) must be the first thing that `main` does.
///
/// # Examples
///
/// ```no_run
/// use std::alloc::System;
/// use std::process::ExitCode;
///
/// use loligo_bench::Bench;
///
/// fn main() -> ExitCode {
///     Bench::new().global("mine", || System).run()
/// }
/// ```
#[derive(Default)]
pub struct Bench {
    entries: Vec<Entry>,
}

impl Bench {
    /// Returns a list without allocators.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `GlobalAlloc`.
    ///
    /// `make` is called for each process that measures it, several times in some. It never becomes
    /// the allocator of this process; a program whose `#[global_allocator]` it is can add it too.
    #[must_use]
    pub fn global<A: GlobalAlloc + Sync + 'static>(
        self,
        name: &str,
        make: impl Fn() -> A + 'static,
    ) -> Self {
        let make = Rc::new(make);
        let checked = Rc::clone(&make);
        let checks: Checks = Box::new(move |limits, wanted| {
            some_global_alloc_outcomes(limits, wanted, |test| test(&checked()))
        });
        self.with(Entry::shared(name, Kind::Peer, move || make(), checks))
    }

    /// Adds an allocator of this family for one thread.
    ///
    /// `make` is called for each process that measures it, several times in some.
    #[must_use]
    pub fn ours<A: Allocator + 'static>(self, name: &str, make: impl Fn() -> A + 'static) -> Self {
        let make = Rc::new(make);
        self.with(ours(name, &make))
    }

    /// Adds an allocator of this family that threads share: it runs the suites of several threads
    /// as well.
    #[must_use]
    pub fn ours_shared<A: Allocator + Sync + 'static>(
        self,
        name: &str,
        make: impl Fn() -> A + 'static,
    ) -> Self {
        let make = Rc::new(make);
        let entry = ours(name, &make);
        let threads = Box::new(move |suite: crate::suite::Suite, threads, work| {
            suite.run(&AsGlobal(make()), threads, work)
        });
        self.with(Entry { threads: Some(threads), ..entry })
    }

    /// States what the allocator that was added last can serve. Without it, it is asked for blocks
    /// up to 1 MiB and alignments up to 4096, and is expected to grow.
    ///
    /// # Panics
    ///
    /// If no allocator was added.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        let last = self.entries.last_mut().expect("`limits` comes after the allocator it is for");
        last.limits = limits;
        self
    }

    /// Reads the command line, measures, prints the tables and writes the page. In a child process
    /// it does that child's part and ends the process.
    pub fn run(self) -> ExitCode {
        if let Some(job) = job::of_this_process() {
            parts::work(&self.entries, &job);
            std::process::exit(0);
        }
        let settings = Settings::parse();
        match self.measure(&settings) {
            Ok(code) => code,
            Err(message) => {
                say(&format!("bench: {message}"));
                ExitCode::from(2)
            }
        }
    }

    pub(crate) fn with(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    fn measure(&self, settings: &Settings) -> Result<ExitCode, String> {
        check_names(&self.entries)?;
        let traces = parts::traces(settings)?;
        let folder = report::prepare(&settings.report).map_err(|error| error.to_string())?;
        let found = parts::all(&self.entries, settings, &traces)?;
        let names: Vec<&str> = self.entries.iter().map(|entry| &*entry.name).collect();
        let sheet = Sheet {
            title: format!("{} among others", names.join(", ")),
            lede: lede(settings),
            findings: found.findings,
            sections: found.sections,
        };
        let page = folder.write_sheet(PAGE, "bench", &sheet).map_err(|error| error.to_string())?;
        let text = format!("{sheet}The page is {}.\n", page.display());
        print(&text)?;
        Ok(ExitCode::from(u8::from(found.is_wrong)))
    }
}

/// Returns the entry of one of ours, which is made in the process that misuses it: it reports
/// leaks, when it is dropped.
fn ours<A: Allocator + 'static, F: Fn() -> A + 'static>(name: &str, make: &Rc<F>) -> Entry {
    let (of_row, checked, misused) = (Rc::clone(make), Rc::clone(make), Rc::clone(make));
    let label = name.to_owned();
    let row = Box::new(move || {
        let make = Rc::clone(&of_row);
        Row::allocator(label.clone(), Kind::Ours, move || make())
    });
    let checks: Checks = Box::new(move |limits, wanted| {
        some_allocator_outcomes(limits, wanted, |test| test(&checked()))
    });
    let misuse = Box::new(move |wrong| commit(wrong, true, &misused(), MISUSED));
    Entry { misuse, has_leaks: true, ..Entry::of(name, row, checks) }
}

/// Refuses a list whose rows could not be told apart.
fn check_names(entries: &[Entry]) -> Result<(), String> {
    if entries.is_empty() {
        return Err("there is no allocator; add one, as `Bench::new().global(\"mine\", || Mine)`"
            .to_owned());
    }
    let mut names = parts::rival_names();
    for entry in entries {
        let name = &entry.name;
        if name.is_empty() || names.contains(name) {
            return Err(format!("the name `{name}` is taken or empty; give the allocator another"));
        }
        names.push(name.clone());
    }
    Ok(())
}

fn lede(settings: &Settings) -> String {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let quick =
        if settings.quick { " Little was done of everything: the times mean nothing." } else { "" };
    let build = if cfg!(debug_assertions) {
        " It was built with debug assertions, as `cargo run` without `--release` does."
    } else {
        ""
    };
    format!("Measured on {cores} processors, each figure in a separate process.{quick}{build}")
}

/// Writes the result. A pipe that was closed is no error.
fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}
