//! How much memory a row needs: the peak of a forked child that touches every page of every block.
//!
//! The child reads its own anonymous resident bytes (`RssAnon` of `/proc/self/status`) at its start
//! and again while it replays; the greatest reading less the first is the peak. It does not read
//! after every event. Anonymous memory grows by page faults alone (huge pages are switched off in the
//! child), so the last reading and the faults since bound it from above, and a new reading is taken
//! only where that bound is more than a tolerance over the greatest reading so far.
//!
//! The peak found is never too great. It is too small by at most the tolerance, 1/1000 of the peak
//! live bytes and at least 8 pages, and by 16 pages that may be touched and given back between two
//! looks at the fault counter. Memory that an allocator populates without faults is seen every
//! thousandth look at the latest. Kernels 6.2 to 6.16 count in batches of at most 32 pages a core.

use core::time::Duration;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::clock;
use crate::mapped::{PAGE_BYTES, Region};
use crate::pass::{Bench, Timed};
use crate::program::Program;
use crate::rows::Row;

/// Pages that are touched between two looks at the fault counter.
const PAGES_BETWEEN_LOOKS: usize = 16;

/// Looks after which memory is read whatever the fault counter says.
const LOOKS_BETWEEN_READINGS: u32 = 1000;

/// What a child found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Peak anonymous bytes over what the replayer itself has.
    pub(crate) bytes: u64,
    /// Requests refused.
    pub(crate) refused: u64,
    /// Steps done; fewer than all where the cap stopped it.
    pub(crate) done: u64,
}

/// A child at work.
pub(crate) struct Child {
    id: libc::pid_t,
    answer: File,
}

impl Child {
    /// Forks a child that replays the program on a row.
    ///
    /// # Errors
    ///
    /// The system's own where it gives no process or no pipe.
    pub(crate) fn start(
        program: &Program,
        row: &Row,
        sizes: RegionSizes,
        cap: Duration,
    ) -> io::Result<Self> {
        let (reader, mut writer) = pipe()?;
        // SAFETY: the child runs only what follows here and ends by `_exit`. It calls malloc, which
        // glibc keeps usable in the child of a program with threads; it takes no lock of ours.
        let id = unsafe { libc::fork() };
        if id < 0 {
            return Err(io::Error::last_os_error());
        }
        if id > 0 {
            return Ok(Self { id, answer: reader });
        }
        drop(reader);
        let found = catch_unwind(AssertUnwindSafe(|| run(program, row, sizes, cap)));
        let code = match found {
            Ok(Ok(peak)) => i32::from(writer.write_all(&encode(peak)).is_err()),
            Ok(Err(_)) | Err(_) => 1,
        };
        // SAFETY: ends the child without running the parent's exit handlers.
        unsafe { libc::_exit(code) }
    }

    /// Waits for the child and returns what it found; `None` if it died.
    pub(crate) fn finish(mut self) -> Option<Peak> {
        let mut answer = Vec::new();
        let read = self.answer.read_to_end(&mut answer);
        let mut status = 0;
        // SAFETY: waits for our own child; the pointer is that of a live integer.
        while unsafe { libc::waitpid(self.id, &raw mut status, 0) } < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
        read.ok()?;
        decode(&answer)
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
            usize::try_from(bytes)
                .ok()?
                .checked_next_multiple_of(PAGE_BYTES)
        };
        Some(Self {
            tight: bytes(5)?,
            ample: bytes(8)?,
        })
    }
}

/// Replays in the child.
fn run(program: &Program, row: &Row, sizes: RegionSizes, cap: Duration) -> io::Result<Peak> {
    // SAFETY: prctl with these arguments changes settings of this process alone.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
    // SAFETY: as above.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    if !row.lives_in_region() {
        // SAFETY: a growing row takes no arena.
        return peak_of(program, row, |row| unsafe { row.runner(None) }, cap);
    }
    let in_region = |bytes| {
        let region = Region::new(bytes)?;
        // SAFETY: the region outlives the runner and is used by nothing else.
        peak_of(
            program,
            row,
            |row| unsafe { row.runner(Some(region.arena(bytes))) },
            cap,
        )
    };
    let tight = in_region(sizes.tight)?;
    if tight.refused == 0 {
        Ok(tight)
    } else {
        in_region(sizes.ample)
    }
}

/// Replays once and follows the memory.
fn peak_of<'r>(
    program: &Program,
    row: &'r Row,
    make: impl FnOnce(&'r Row) -> Box<dyn crate::rows::Runner + 'r>,
    cap: Duration,
) -> io::Result<Peak> {
    let mut bench = Bench::new(program)?;
    let live_pages = program.peak_live_bytes() / PAGE_BYTES as u64;
    let mut gauge = Gauge::new((live_pages / 1000).max(8))?;
    let mut runner = make(row);
    let Timed { refused, done, .. } =
        runner.touching(&mut bench, cap, &mut |pages| gauge.grown(pages))?;
    Ok(Peak {
        bytes: gauge.peak_bytes(),
        refused,
        done: done as u64,
    })
}

/// Follows the anonymous resident bytes of this process.
struct Gauge {
    status: File,
    base_bytes: u64,
    peak_bytes: u64,
    last_bytes: u64,
    last_faults: u64,
    tolerance_bytes: u64,
    pending_pages: usize,
    looks: u32,
}

impl Gauge {
    fn new(tolerance_pages: u64) -> io::Result<Self> {
        let mut gauge = Self {
            status: File::open("/proc/self/status")?,
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
            return Err(io::Error::other("the system does not tell RssAnon"));
        }
        Ok(gauge)
    }

    /// Notes that so many pages were touched; reads where memory may be above its peak.
    #[inline]
    fn grown(&mut self, pages: usize) {
        self.pending_pages += pages;
        if self.pending_pages >= PAGES_BETWEEN_LOOKS {
            self.look();
        }
    }

    fn look(&mut self) {
        self.pending_pages = 0;
        self.looks += 1;
        let faults = clock::minor_faults() - self.last_faults;
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
        self.last_faults = clock::minor_faults();
        self.peak_bytes = self.peak_bytes.max(self.last_bytes);
        self.looks = 0;
    }

    fn peak_bytes(&self) -> u64 {
        self.peak_bytes - self.base_bytes
    }
}

/// Makes a pipe whose ends are closed in programs that this process may start.
fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is that of two live integers.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptors are new and ours alone.
    let [reader, writer] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
    Ok((reader.into(), writer.into()))
}

fn encode(peak: Peak) -> [u8; 24] {
    let mut bytes = [0; 24];
    for (place, value) in bytes
        .chunks_mut(8)
        .zip([peak.bytes, peak.refused, peak.done])
    {
        place.copy_from_slice(&value.to_ne_bytes());
    }
    bytes
}

fn decode(answer: &[u8]) -> Option<Peak> {
    let (words, []) = answer.as_chunks::<8>() else {
        return None;
    };
    let [bytes, refused, done] = words else {
        return None;
    };
    Some(Peak {
        bytes: u64::from_ne_bytes(*bytes),
        refused: u64::from_ne_bytes(*refused),
        done: u64::from_ne_bytes(*done),
    })
}
