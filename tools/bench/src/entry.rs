//! An allocator under test, its type hidden behind what the parts ask of it.

use core::alloc::GlobalAlloc;
use std::rc::Rc;

use loligo_replay::results::Kind;
use loligo_replay::rows::Row;
use loligo_replay::suites::Timing;
use loligo_tests::conformance::{Outcome, Wanted};
use loligo_tests::misuse::{Wrong, commit_on};

use crate::Limits;
use crate::suite::{Suite, Work};

/// Runs the wanted checks of the suite for the allocator's trait.
pub(crate) type Checks = Box<dyn Fn(&Limits, Wanted<'_>) -> Vec<Outcome>>;

/// Runs a suite by a number of threads.
pub(crate) type Threads = Box<dyn Fn(Suite, u32, Work) -> Timing>;

/// Does a misuse, in a child process.
type Misuse = Box<dyn Fn(Wrong)>;

/// Bytes of the region for rows that live in one; the rows of a person grow.
pub(crate) const REGION_BYTES: usize = 64 << 20;

/// An allocator under test.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) limits: Limits,
    /// Whether dropping it with a live block is to be reported, which only our trait has.
    pub(crate) has_leaks: bool,
    pub(crate) row: Box<dyn Fn() -> Row>,
    pub(crate) checks: Checks,
    /// What runs the suites; `None` where it serves one thread.
    pub(crate) threads: Option<Threads>,
    pub(crate) misuse: Misuse,
}

impl Entry {
    /// Returns an entry for one thread.
    pub(crate) fn new<G: GlobalAlloc + 'static>(
        name: &str,
        kind: Kind,
        make: impl Fn() -> G + 'static,
        checks: Checks,
    ) -> Self {
        let make = Rc::new(make);
        let label = name.to_owned();
        let row = Box::new(move || {
            let make = Rc::clone(&make);
            Row::global_alloc(label.clone(), kind, move || make())
        });
        Self::of(name, row, checks)
    }

    /// Returns an entry that threads share.
    pub(crate) fn shared<G: GlobalAlloc + Sync + 'static>(
        name: &str,
        kind: Kind,
        make: impl Fn() -> G + 'static,
        checks: Checks,
    ) -> Self {
        let make = Rc::new(make);
        let of_row = Rc::clone(&make);
        let entry = Self::new(name, kind, move || of_row(), checks);
        let threads: Threads =
            Box::new(move |suite, threads, work| suite.run(&make(), threads, work));
        Self { threads: Some(threads), ..entry }
    }

    /// Returns the entry of a row.
    pub(crate) fn of(name: &str, row: Box<dyn Fn() -> Row>, checks: Checks) -> Self {
        // As much as the allocators that programs use serve; a person states more or less.
        let limits = Limits { size_max: 1 << 20, align_max: 4096, ..Limits::growing() };
        let row: Rc<dyn Fn() -> Row> = row.into();
        let misused = Rc::clone(&row);
        let label = name.to_owned();
        Self {
            name: name.to_owned(),
            limits,
            has_leaks: false,
            row: Box::new(move || row()),
            checks,
            threads: None,
            misuse: Box::new(move |wrong| {
                let driven = misused().drive(REGION_BYTES, &mut |subject| {
                    commit_on(wrong, &label, subject);
                });
                driven.expect("the system has a region");
            }),
        }
    }
}

/// Returns the entry of this name.
///
/// # Panics
///
/// If there is none; a job names only those that there are.
pub(crate) fn named<'e>(entries: &'e [Entry], name: &str) -> &'e Entry {
    let found = entries.iter().find(|entry| entry.name == name);
    found.unwrap_or_else(|| panic!("no allocator `{name}`"))
}
