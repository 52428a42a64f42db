//! What each thread's heap holds, in words.

use core::fmt;
use core::sync::atomic::Ordering;

use super::ThreadHeap;
use super::shared::Shared;
use super::slot::Slot;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::stats::Stats;

/// The heaps of a [`ThreadHeap`]'s threads, a line each, for the end of a program. Made by
/// [`ThreadHeap::report`]; formatting it allocates nothing.
pub struct ThreadHeapReport<'h> {
    name: &'h str,
    stats: Stats,
    shared: Option<&'h Shared>,
}

impl<S: SiteBook> ThreadHeap<'_, S> {
    /// Returns what each thread's heap holds, to be printed, after a [`collect`](Self::collect);
    /// those of threads that run as they were some slow calls ago.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Allocator, Make, PageAllocator, ThreadHeap};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = ThreadHeap::new("sound", &pages);
    /// let kept = heap.create([0_u8; 100])?;
    /// let said = heap.report().to_string();
    /// assert!(said.starts_with("heap `sound`: 1 live block of 112 bytes, at most 112"), "{said}");
    /// assert!(said.contains("thread 1, running: 1 live block of 112 bytes, 1 allocated"), "{said}");
    /// // SAFETY: it was just made, and is deleted once.
    /// unsafe { heap.destroy(kept) };
    /// # Ok::<(), loligo_allocators::AllocError>(())
    /// ```
    #[must_use]
    pub fn report(&self) -> ThreadHeapReport<'_> {
        self.collect();
        ThreadHeapReport { name: self.name, stats: self.counted(), shared: self.opened() }
    }
}

impl fmt::Display for ThreadHeapReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heap `{}`: {}", self.name, Live(self.stats.live, self.stats.granted))?;
        let Stats { peak_granted, reserved, peak_reserved, .. } = self.stats;
        write!(f, ", at most {peak_granted}; {reserved} bytes of addresses, at most ")?;
        write!(f, "{peak_reserved}")?;
        let Some(shared) = self.shared else { return Ok(()) };
        for slot in shared.slots() {
            let of = slot.published.get();
            if of.allocations_total > 0 {
                let live = Live(of.live, of.granted);
                write!(
                    f,
                    "\n  {}: {live}, {} allocated",
                    Owner(shared, slot),
                    of.allocations_total
                )?;
            }
        }
        let huge = shared.state.with(|state| state.huge);
        if huge.allocations_total > 0 {
            let live = Live(huge.live, huge.bytes);
            write!(f, "\n  of 16 MiB and more: {live}, {} allocated", huge.allocations_total)?;
        }
        Ok(())
    }
}

impl fmt::Debug for ThreadHeapReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Blocks and their bytes.
struct Live(usize, usize);

impl fmt::Display for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} live block{plural} of {} bytes", self.0, self.1)
    }
}

/// Whose a slot is.
struct Owner<'s>(&'s Shared, &'s Slot);

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(shared, slot) = self;
        if slot.number == 0 {
            return f.write_str("threads without a heap of their own");
        }
        let what = if slot.is_frozen.load(Ordering::Relaxed) {
            "lost at a fork"
        } else if shared.is_orphan(slot) {
            "ended"
        } else {
            "running"
        };
        write!(f, "thread {}, {what}", slot.number)
    }
}
