//! A budget filled until a request is refused, freed, and filled with blocks of other sizes.
//!
//! Rows that live in a region have one of the budget's size. Those that grow run in a process whose
//! writable memory the system limits (`RLIMIT_DATA`) to what it has plus the budget, so what a row
//! reserves without being able to write to it is free.

use core::alloc::Layout;
use core::ptr::{NonNull, null_mut};
use std::io;

use loligo_replay::sheet::{Line, Section};
use loligo_replay::subject::Subject;

use super::{Addition, Setup, all_names, row_named};
use crate::entry::Entry;
use crate::figures::{Fill, decimal, status_kib};
use crate::job::{self, Job, SHORT};

/// Bytes of the blocks that come first, second, and among those that stay.
const FIRST: usize = 64;
const OTHER: usize = 1024;
const AMONG: usize = 320;

/// One block of this many stays.
const STAYS_ONE_OF: u64 = 50;

const NOTE: &str = "bytes served until a request is refused, in % of a budget of writable memory. \
    Blocks of 64 bytes first; all freed, blocks of 1024; all freed and filled with 64 once more, of \
    which one in 50 stays, blocks of 320, what stayed included";

pub(super) fn run(setup: &Setup<'_>) -> io::Result<Addition> {
    let budget_bytes = setup.settings.budget_bytes();
    let note = format!("{NOTE}. The budget is {} MiB", budget_bytes >> 20);
    let head = ["row", "64 bytes", "then 1024", "320 among few", "note"];
    let mut table = Section::new("Fill and class shift", note, head);
    let mut clauses = Vec::new();
    for (name, is_own) in all_names(setup.entries) {
        let job = Job::Fill { row: name.clone(), budget_bytes };
        // A list that is searched from its start for each block does not end in minutes.
        let answer = job::ask::<Fill>(&job, SHORT)?;
        let percent = |bytes: u64| Some(bytes as f64 / budget_bytes as f64 * 100.0);
        let (figures, note) = match &answer {
            Ok(fill) => {
                ([fill.first, fill.other_class, fill.among_few].map(percent), String::new())
            }
            Err(failure) => ([None; 3], format!("the process {failure}")),
        };
        let cells = figures.map(|figure| decimal(figure, 1));
        if is_own {
            let [first, other, _] = &cells;
            clauses.push(match &answer {
                Ok(_) => format!("serves {first} % of a full budget and {other} % of another size"),
                Err(_) => format!("when memory runs out, {note}"),
            });
        }
        let line = [name].into_iter().chain(cells).chain([note]);
        table.lines.push(Line::new(line).marked(is_own));
    }
    Ok(Addition { sections: vec![table], clauses, is_wrong: false })
}

/// Fills and refills in this process and answers the bytes served.
pub(super) fn work(entries: &[Entry], row: &str, budget_bytes: u64) {
    let row = row_named(entries, row);
    let is_growing = !row.lives_in_region();
    let driven = row.drive(budget_bytes as usize, &mut |subject| {
        let mut chain = Chain { subject, budget_bytes, held_bytes: 0 };
        let fill = if is_growing {
            let limit = DataLimit::set(budget_bytes).expect("the system limits this process");
            let fill = chain.fill_and_refill();
            // The answer needs memory, perhaps of the row that has none left.
            drop(limit);
            fill
        } else {
            chain.fill_and_refill()
        };
        job::answer(&fill);
    });
    driven.expect("the system has a region");
}

/// A limit on the writable memory of this process, as long as the value lives.
struct DataLimit {
    before: libc::rlimit,
}

impl DataLimit {
    /// Limits this process to what it has and `more` bytes.
    fn set(more: u64) -> io::Result<Self> {
        let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is that of a live limit.
        if unsafe { libc::getrlimit(libc::RLIMIT_DATA, &raw mut before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let now = status_kib("VmData:").unwrap_or(0) * 1024;
        let limit = libc::rlimit { rlim_cur: (now + more).min(before.rlim_max), ..before };
        // SAFETY: as above.
        if unsafe { libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { before })
    }
}

impl Drop for DataLimit {
    fn drop(&mut self) {
        // SAFETY: as above. A limit may always be raised to what it was, below the hard one.
        unsafe { libc::setrlimit(libc::RLIMIT_DATA, &raw const self.before) };
    }
}

/// Blocks in chains: each holds the address of the one before in its first word, so that keeping
/// them takes no other memory.
struct Chain<'s> {
    subject: &'s mut dyn Subject,
    budget_bytes: u64,
    held_bytes: u64,
}

impl Chain<'_> {
    fn fill_and_refill(&mut self) -> Fill {
        let (blocks, first) = self.fill(FIRST);
        self.free(blocks, FIRST, |_| true);
        let (blocks, other_class) = self.fill(OTHER);
        self.free(blocks, OTHER, |_| true);
        let (blocks, _) = self.fill(FIRST);
        self.free(blocks, FIRST, |index| index % STAYS_ONE_OF != 0);
        let stayed = self.held_bytes;
        let (_, among) = self.fill(AMONG);
        Fill { first, other_class, among_few: stayed + among }
    }

    /// Allocates blocks until one is refused or the budget is reached; returns the last block and
    /// the bytes.
    fn fill(&mut self, bytes: usize) -> (*mut u8, u64) {
        let mut last: *mut u8 = null_mut();
        let mut served = 0;
        while self.held_bytes + bytes as u64 <= self.budget_bytes {
            let Some(block) = NonNull::new(self.subject.allocate(layout(bytes))) else { break };
            // SAFETY: the block is fresh, aligned to 16 and has more than a word.
            unsafe { block.cast::<*mut u8>().write(last) };
            last = block.as_ptr();
            served += bytes as u64;
            self.held_bytes += bytes as u64;
        }
        (last, served)
    }

    /// Frees the blocks of a chain that `is_freed` chooses by their index; the others are left.
    fn free(&mut self, last: *mut u8, bytes: usize, is_freed: impl Fn(u64) -> bool) {
        let (mut next, mut index) = (last, 0);
        while let Some(block) = NonNull::new(next) {
            // SAFETY: the block is live and holds what `fill` wrote.
            next = unsafe { block.cast::<*mut u8>().read() };
            if is_freed(index) {
                // SAFETY: the block is live, has this layout and is not used again.
                unsafe { self.subject.deallocate(block.as_ptr(), layout(bytes)) };
                self.held_bytes -= bytes as u64;
            }
            index += 1;
        }
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 16).expect("the sizes are constants of this file")
}

#[cfg(test)]
mod tests;
