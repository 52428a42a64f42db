//! Records all allocations of a Rust program, with two lines in it.
//!
//! ```no_run
//! #[global_allocator]
//! static MEMORY: loligo_allocators::recording::Recorder =
//!     loligo_allocators::recording::Recorder::new("game.altrace");
//!
//! fn main() {
//!     for frame in 0..1000 {
//!         // ..
//!         MEMORY.frame_mark(frame);
//!     }
//! }
//! ```
//!
//! The file is a trace of version 2 for `loligo replay` and other readers of traces.
//! `loligo record` records a program that cannot be changed, and also its call sites.
//!
//! After the allocation recorders of Niklas Frykholm, "Custom Memory Allocation in C++" (2010),
//! where a trace allocator wraps a system. Changes: it wraps the allocator of the whole program,
//! and writes a file for replay instead of keeping a table for printing.

mod file;
mod log;
#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use std::alloc::System;

use self::log::LOG;
use crate::wrappers::trace::SinkError;
use crate::wrappers::trace::format::Op;

/// Wraps any global allocator and writes every call into a file.
///
/// It is the `#[global_allocator]` and forwards everything to `A`. The recording begins with the
/// program's first allocation and ends when the program returns from `main` or calls
/// `std::process::exit`. A program that is killed, aborts or calls `_exit` loses the unwritten
/// records, at most 8 KiB or 256 events; the file up to then is a valid trace.
///
/// A program makes one recording: of several recorders the first one used names the file, and all
/// write into it.
///
/// The order of the file is the true order over all threads: events are recorded under a lock, a
/// free before the block is freed, an allocation after it was made, and a reallocation removes its
/// block from the table before `A` can move it.
///
/// If the file cannot be written, this is reported once on standard error; the program continues
/// unrecorded.
///
/// # Complexity
///
/// O(1) amortised on top of `A`; a clock, a lock and a search in a hash table for each event, and a
/// system call for every 256.
///
/// # Memory
///
/// Blocks are those of `A`, unchanged. 8 KiB static; tables of 16 bytes a slot, 4/3 to 8/3 slots,
/// and of 4 bytes, for each of the most blocks that were live at once, from the system's pages. The
/// file grows by 32 bytes an event.
///
/// # Threads
///
/// `Sync` if `A` is. The lock is held while a call is recorded, not while `A` serves it. A child
/// made by `fork` writes nothing, and does not touch its parent's file; a child forked from a
/// program of several threads may find the lock held forever, as with any lock.
///
/// # When not to use it
///
/// In a released program. For one subsystem there is [`TraceAllocator`](crate::TraceAllocator),
/// whose recordings name call sites: a global allocator does not know its caller.
#[derive(Debug, Default)]
pub struct Recorder<A = System> {
    inner: A,
    path: &'static str,
}

impl Recorder {
    /// Creates a recorder over the system's allocator that writes to `path`; an existing file is
    /// replaced.
    #[must_use]
    pub const fn new(path: &'static str) -> Self {
        Self::over(System, path)
    }
}

impl<A> Recorder<A> {
    /// Creates a recorder over any global allocator.
    #[must_use]
    pub const fn over(inner: A, path: &'static str) -> Self {
        Self { inner, path }
    }

    /// Writes a mark into the recording: the end of a frame, a turn, or another period of the
    /// program; `value` usually is its number.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn frame_mark(&self, value: u64) {
        LOG.lock(self.path).mark(value);
    }

    /// Ends the recording before the program ends.
    ///
    /// # Errors
    ///
    /// The error that ended it earlier, if any.
    pub fn finish(&self) -> Result<(), SinkError> {
        LOG.lock(self.path).finish()
    }
}

// SAFETY: every call is passed on as it came, and every answer is returned as it was; the recording
// in between touches no block and does not unwind.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Recorder<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        let block = unsafe { self.inner.alloc(layout) };
        LOG.lock(self.path).allocated(Op::Allocate, block, layout);
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        LOG.lock(self.path).allocated(Op::AllocateZeroed, block, layout);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LOG.lock(self.path).freed(block, layout);
        // SAFETY: the caller's promise, passed on.
        unsafe { self.inner.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let slot = LOG.lock(self.path).lift(block);
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.inner.realloc(block, layout, new_size) };
        let mut log = LOG.lock(self.path);
        if moved.is_null() {
            log.put_back(block, slot);
        } else {
            log.reallocated(moved, slot, layout, new_size);
        }
        moved
    }
}
