//! How much memory a row needs: the peak of a forked child that touches every page of every block.
//!
//! The child reads its own anonymous resident bytes (`RssAnon` of `/proc/self/status`) at its start
//! and again while it replays; the greatest reading less the first is the peak. It does not read
//! after every event. Anonymous memory grows by page faults alone (huge pages are switched off in
//! the child), so the last reading and the faults since bound it from above, and a new reading is
//! taken only where that bound is more than a tolerance over the greatest reading so far.
//!
//! The peak found is never too great. It is too small by at most the tolerance, 1/1000 of the peak
//! live bytes and at least 8 pages, and by 16 pages that may be touched and given back between two
//! looks at the fault counter. Memory that an allocator populates without faults is seen every
//! thousandth look at the latest. Kernels 6.2 to 6.16 count in batches of at most 32 pages a core.

use core::time::Duration;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::clock;
use crate::mapped::{PAGE_BYTES, Region};
use crate::pass::{Bench, Timed, Watch};
use crate::program::Program;
use crate::rows::{Row, Runner};

/// Pages that are touched between two looks at the fault counter.
pub(crate) const PAGES_BETWEEN_LOOKS: usize = 16;

/// Looks after which memory is read whatever the fault counter says.
const LOOKS_BETWEEN_READINGS: u32 = 1000;

/// What a child found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Peak anonymous bytes over what the replayer itself has.
    pub(crate) bytes: u64,
    /// What of it is left after the last step, before the rest is freed.
    pub(crate) end_bytes: u64,
    /// Requests refused.
    pub(crate) refused: u64,
    /// Steps done; fewer than all where the cap stopped it.
    pub(crate) done: u64,
}

impl Peak {
    /// Returns the peak as a child sends it.
    pub(crate) fn encode(self) -> Vec<u8> {
        [self.bytes, self.end_bytes, self.refused, self.done]
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect()
    }

    /// Returns the peak that a child sent.
    pub(crate) fn decode(answer: &[u8]) -> Option<Self> {
        let (words, []) = answer.as_chunks::<8>() else {
            return None;
        };
        let [bytes, end_bytes, refused, done] = words else {
            return None;
        };
        Some(Self {
            bytes: u64::from_ne_bytes(*bytes),
            end_bytes: u64::from_ne_bytes(*end_bytes),
            refused: u64::from_ne_bytes(*refused),
            done: u64::from_ne_bytes(*done),
        })
    }
}

/// How large a fixed region is: at first, and if requests are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionSizes {
    pub(crate) tight: usize,
    pub(crate) ample: usize,
}

impl RegionSizes {
    /// Returns 1.25 and 2 times the peak live bytes, at least 256 KiB, in whole pages; `None` if
    /// that is more than an address can hold.
    pub(crate) fn of(peak_live_bytes: u64) -> Option<Self> {
        let least = 256 << 10;
        let bytes = |quarters: u64| {
            let bytes = (peak_live_bytes / 4).checked_mul(quarters)?.max(least);
            usize::try_from(bytes).ok()?.checked_next_multiple_of(PAGE_BYTES)
        };
        Some(Self { tight: bytes(5)?, ample: bytes(8)? })
    }
}

/// Replays a row and follows its memory; to be called in a child. A row in a region that refuses
/// requests runs again in the larger one.
///
/// # Errors
///
/// The system's own where it has no memory or does not say how much is used.
pub(crate) fn peak_in_child(
    program: &Program,
    row: &Row,
    sizes: RegionSizes,
    cap: Duration,
) -> io::Result<Peak> {
    // SAFETY: prctl with these arguments changes a setting of this process alone.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    // The C library's malloc is a row, and a program that has no other allocator has freed blocks in
    // it: the row would be served from pages that count as the replayer's.
    #[cfg(target_env = "gnu")]
    // SAFETY: it gives free pages back to the system and changes no block.
    unsafe {
        libc::malloc_trim(0)
    };
    if !row.lives_in_region() {
        // SAFETY: a growing row takes no arena.
        return peak_of(program, row, |row| unsafe { row.runner(None) }, cap);
    }
    let in_region = |bytes| {
        let region = Region::new(bytes)?;
        // SAFETY: the region outlives the runner and is used by nothing else.
        peak_of(program, row, |row| unsafe { row.runner(Some(region.arena(bytes))) }, cap)
    };
    let tight = in_region(sizes.tight)?;
    if tight.refused == 0 { Ok(tight) } else { in_region(sizes.ample) }
}

/// Replays once and follows the memory.
fn peak_of<'r>(
    program: &Program,
    row: &'r Row,
    make: impl FnOnce(&'r Row) -> Box<dyn Runner + 'r>,
    cap: Duration,
) -> io::Result<Peak> {
    let mut bench = Bench::new(program)?;
    let live_pages = program.peak_live_bytes() / PAGE_BYTES as u64;
    let mut gauge = Gauge::new((live_pages / 1000).max(8), clock::minor_faults)?;
    let mut runner = make(row);
    let Timed { refused, done, .. } = runner.touching(&mut bench, cap, &mut gauge)?;
    let end_bytes = gauge.last_bytes.saturating_sub(gauge.base_bytes);
    Ok(Peak { bytes: gauge.peak_bytes(), end_bytes, refused, done: done as u64 })
}

impl Watch for Gauge {
    /// Adds touched pages; reads the memory when it may be above its peak.
    #[inline]
    fn grown(&mut self, pages: usize) {
        self.pending_pages += pages;
        if self.pending_pages >= PAGES_BETWEEN_LOOKS {
            self.look();
        }
    }

    fn begin(&mut self) {
        self.peak_bytes = 0;
        self.read();
    }

    fn end(&mut self) {
        self.read();
    }
}

/// Follows the anonymous resident bytes of this process.
pub(crate) struct Gauge {
    status: File,
    /// Counts the faults of all threads that touch pages.
    faults: fn() -> u64,
    base_bytes: u64,
    peak_bytes: u64,
    last_bytes: u64,
    last_faults: u64,
    tolerance_bytes: u64,
    pending_pages: usize,
    looks: u32,
}

impl Gauge {
    /// Makes a gauge that begins with what is resident now. `faults` counts the minor page faults of
    /// all threads that touch pages.
    ///
    /// # Errors
    ///
    /// The system's own where it does not say how much is used.
    pub(crate) fn new(tolerance_pages: u64, faults: fn() -> u64) -> io::Result<Self> {
        let mut gauge = Self {
            status: File::open("/proc/self/status")?,
            faults,
            base_bytes: 0,
            peak_bytes: 0,
            last_bytes: 0,
            last_faults: 0,
            tolerance_bytes: tolerance_pages * PAGE_BYTES as u64,
            pending_pages: 0,
            looks: 0,
        };
        gauge.read();
        gauge.base_bytes = gauge.last_bytes;
        if gauge.base_bytes == 0 {
            return Err(io::Error::other("the system does not report RssAnon"));
        }
        Ok(gauge)
    }

    /// Begins again with what is resident now.
    pub(crate) fn rebase(&mut self) {
        self.begin();
        self.base_bytes = self.last_bytes;
    }

    fn look(&mut self) {
        self.pending_pages = 0;
        self.looks += 1;
        let faults = (self.faults)() - self.last_faults;
        let bound = self.last_bytes + faults * PAGE_BYTES as u64;
        if bound > self.peak_bytes + self.tolerance_bytes || self.looks >= LOOKS_BETWEEN_READINGS {
            self.read();
        }
    }

    fn read(&mut self) {
        let mut text = [0; 4096];
        let length = self.status.read_at(&mut text, 0).unwrap_or(0);
        let text = core::str::from_utf8(&text[..length]).unwrap_or("");
        self.last_bytes = clock::field_kb(text, "RssAnon:").unwrap_or(0) * 1024;
        self.last_faults = (self.faults)();
        self.peak_bytes = self.peak_bytes.max(self.last_bytes);
        self.looks = 0;
    }

    /// Returns the greatest reading so far, less what was resident at the beginning.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak_bytes - self.base_bytes
    }
}
