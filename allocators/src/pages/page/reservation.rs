//! Address space of which parts become memory.

use core::fmt;
use core::ops::Range;
use core::ptr::NonNull;

use super::entry::{Entry, Kind};
use super::page_map::{PageMap, Use};
use super::state::Request;
use super::system::{self, Access};
use super::{Pages, mapping};
use crate::contract::allocator::{AllocError, Damage};
use crate::threads::sync::SpinCell;

mod tally;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

/// A range of address space without memory, created by
/// [`PageAllocator::reserve`](super::PageAllocator::reserve).
///
/// Each page is in one of three states. All pages of a new reservation are reserved; any access to
/// a page that is not committed faults.
///
/// ```text
///              commit                    guard
///   reserved ---------> committed     ----------> guard
///            <---------              (from either)
///             decommit                <- decommit makes it reserved again
/// ```
///
/// Committed pages read as zero until written. Decommitting releases their memory. A guard page
/// stays without access: committing over it is refused, so it can separate two stacks. The kernel
/// keeps neighbours of different states as separate mappings, and so limits how many changes of
/// state a process can have (`vm.max_map_count`).
///
/// Ranges are byte offsets from the start, in whole pages. Any thread may call; calls wait for each
/// other. The reservation counts as reserved in the allocator's statistics, its committed pages in
/// [`PageAllocator::committed_bytes`](super::PageAllocator::committed_bytes), and it is not a
/// block. Dropping it releases everything.
///
/// # Memory
///
/// 2 bits a page, in a separate mapping that is touched only where the reservation is.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{AllocError, PageAllocator};
///
/// let pages = PageAllocator::new("pages");
/// let page = PageAllocator::page_size();
/// let stack = pages.reserve(16 * page, page)?;
/// // SAFETY: nothing uses the first page, which becomes the guard of a stack that grows downwards.
/// unsafe { stack.guard(0..page)? };
/// stack.commit(8 * page..16 * page)?;
/// assert!(stack.commit(0..page).is_err(), "a guard page is never committed");
/// assert_eq!(stack.committed_bytes(), 8 * page);
/// # Ok::<(), AllocError>(())
/// ```
pub struct Reservation<'a> {
    owner: &'a Pages,
    base: NonNull<u8>,
    bytes: usize,
    pages: SpinCell<PageMap>,
}

// SAFETY: the address space belongs to the reservation alone, on any thread; the owner is `Sync`
// and the page map is protected by its lock.
unsafe impl Send for Reservation<'_> {}

// SAFETY: every method that changes pages does so under the lock of the page map.
unsafe impl Sync for Reservation<'_> {}

impl<'a> Reservation<'a> {
    pub(super) fn new(owner: &'a Pages, request: Request) -> Result<Self, AllocError> {
        let pages = PageMap::new(request.bytes / system::page_size())?;
        owner.state.with(|state| state.table.reserve_slot())?;
        let base = match owner.map(request, Access::None) {
            Ok(base) => base,
            Err(error) => {
                owner.state.with(|state| state.table.cancel());
                return Err(error);
            }
        };
        debug_assert!(
            mapping::is_aligned(base, request.grain),
            "a fresh mapping has the alignment that was asked for"
        );
        let entry = Entry::new(Kind::Reserved, base, request.bytes, request.grain);
        owner.state.with(|state| {
            state.table.insert(entry);
            state.counters.reserved(request.bytes);
            state.reservations += 1;
            state.page_maps += pages.bytes();
        });
        Ok(Self { owner, base, bytes: request.bytes, pages: SpinCell::new(pages) })
    }

    /// Returns the start of the address space.
    #[must_use]
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Returns its size in bytes: the requested size, rounded up to whole pages.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns how many bytes are committed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn committed_bytes(&self) -> usize {
        let pages = self.pages.with(|pages| pages.committed());
        pages * system::page_size()
    }

    /// Checks the reservation's own bookkeeping, in release builds too.
    ///
    /// # Complexity
    ///
    /// O(pages / 32); it touches the whole page map.
    ///
    /// # Errors
    ///
    /// [`Damage`] describes the fault found.
    pub fn verify(&self) -> Result<(), Damage> {
        self.pages.with(|pages| pages.validate())
    }

    /// Makes a range readable and writable, and returns it. Pages that are committed already keep
    /// their contents; the others read as zero.
    ///
    /// # Complexity
    ///
    /// One system call for each run of reserved pages, and O(pages / 32).
    ///
    /// # Errors
    ///
    /// [`AllocError`] if a guard page is in the range or the kernel refuses. Nothing has changed.
    ///
    /// # Panics
    ///
    /// If the range is not in whole pages of the reservation.
    pub fn commit(&self, range: Range<usize>) -> Result<NonNull<[u8]>, AllocError> {
        let span = self.span(&range);
        self.change(|pages| self.commit_runs(pages, &span))?;
        let start = self.address(span.start);
        Ok(NonNull::slice_from_raw_parts(start, range.len()))
    }

    /// Runs `work` on the pages and counts its changes, in the order that [`tally`] requires.
    fn change<R>(&self, work: impl FnOnce(&mut PageMap) -> R) -> R {
        tally::change(&self.pages, &self.owner.state, work)
    }

    fn commit_runs(&self, pages: &mut PageMap, span: &Range<usize>) -> Result<(), AllocError> {
        if pages.runs(span.clone()).any(|(_, what)| what == Use::Guard) {
            return Err(AllocError);
        }
        for (run, what) in pages.runs(span.clone()) {
            if what != Use::Reserved {
                continue;
            }
            // SAFETY: reserved pages of this reservation are not used.
            if unsafe { self.protect(&run, Access::ReadWrite) }.is_err() {
                self.close_reserved(pages, span.start..run.end);
                return Err(AllocError);
            }
        }
        pages.set(span.clone(), Use::Committed);
        Ok(())
    }

    /// Removes access from the reserved pages of `span` again, after a failed commit.
    #[cold]
    fn close_reserved(&self, pages: &PageMap, span: Range<usize>) {
        for (run, what) in pages.runs(span) {
            if what == Use::Reserved {
                // SAFETY: reserved pages are not used. If the kernel refuses this as well, they
                // stay open and untouched, which costs no memory.
                let _ = unsafe { self.protect(&run, Access::None) };
            }
        }
    }

    /// Releases the memory of a range and keeps its addresses. Guard pages in it become reserved.
    ///
    /// # Complexity
    ///
    /// Two system calls for each run of committed pages, and O(pages / 32).
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the kernel refuses: at its limit of mappings, or for pages that were
    /// locked in memory. A part of the range may then be decommitted; the rest is unchanged.
    ///
    /// # Panics
    ///
    /// If the range is not in whole pages of the reservation.
    ///
    /// # Safety
    ///
    /// The memory of the range is not used any more.
    pub unsafe fn decommit(&self, range: Range<usize>) -> Result<(), AllocError> {
        // SAFETY: as promised by the caller.
        unsafe { self.close(&range, Use::Reserved) }
    }

    /// Releases the memory of a range and guards it: commits there are refused until
    /// [`decommit`](Self::decommit) removes the guard.
    ///
    /// # Complexity
    ///
    /// As [`decommit`](Self::decommit); no system call if nothing is committed.
    ///
    /// # Errors
    ///
    /// As [`decommit`](Self::decommit).
    ///
    /// # Panics
    ///
    /// If the range is not in whole pages of the reservation.
    ///
    /// # Safety
    ///
    /// The memory of the range is not used any more.
    pub unsafe fn guard(&self, range: Range<usize>) -> Result<(), AllocError> {
        // SAFETY: as promised by the caller.
        unsafe { self.close(&range, Use::Guard) }
    }

    /// # Safety
    ///
    /// As [`decommit`](Self::decommit).
    unsafe fn close(&self, range: &Range<usize>, to: Use) -> Result<(), AllocError> {
        let span = self.span(range);
        // SAFETY: as promised by the caller.
        self.change(|pages| unsafe { self.close_runs(pages, span, to) })
    }

    /// # Safety
    ///
    /// As [`decommit`](Self::decommit).
    unsafe fn close_runs(
        &self,
        pages: &mut PageMap,
        span: Range<usize>,
        to: Use,
    ) -> Result<(), AllocError> {
        let mut at = span.start;
        loop {
            let next = pages.runs(at..span.end).next();
            let Some((run, what)) = next else {
                return Ok(());
            };
            if what == Use::Committed {
                // SAFETY: as promised by the caller.
                unsafe { self.empty(&run) }?;
            }
            at = run.end;
            pages.set(run, to);
        }
    }

    /// Removes access and memory from a run of committed pages.
    ///
    /// # Safety
    ///
    /// The run's memory is not used.
    unsafe fn empty(&self, run: &Range<usize>) -> Result<(), AllocError> {
        let bytes = run.len() * system::page_size();
        // Access is removed first: if the kernel refuses that, the contents are still there.
        // SAFETY: as promised by the caller.
        let emptied = unsafe { self.protect(run, Access::None) }.and_then(|()| {
            // SAFETY: as promised by the caller.
            unsafe { system::discard(self.address(run.start), bytes, Access::None) }
        });
        if emptied.is_err() {
            // SAFETY: restoring access to the reservation's own pages affects no other code.
            let _ = unsafe { self.protect(run, Access::ReadWrite) };
        }
        emptied
    }

    /// # Safety
    ///
    /// The pages are not used in a way that `access` forbids.
    unsafe fn protect(&self, run: &Range<usize>, access: Access) -> Result<(), AllocError> {
        let bytes = run.len() * system::page_size();
        // SAFETY: the run is in the reservation, and the caller answers for its use.
        unsafe { system::protect(self.address(run.start), bytes, access) }
    }

    /// Returns the address of a page.
    fn address(&self, page: usize) -> NonNull<u8> {
        // SAFETY: pages come from `span` or from runs within one, so the offset is at most `bytes`.
        unsafe { self.base.add(page * system::page_size()) }
    }

    /// Returns the pages of a range.
    #[track_caller]
    fn span(&self, range: &Range<usize>) -> Range<usize> {
        let page = system::page_size();
        let whole = range.start.is_multiple_of(page) && range.end.is_multiple_of(page);
        assert!(
            whole && range.start <= range.end && range.end <= self.bytes,
            "the range {range:?} is not in whole pages of {page} bytes within a reservation of {}",
            self.bytes
        );
        range.start / page..range.end / page
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let pages = self.pages.get_mut();
        let committed = pages.committed() * system::page_size();
        let map_bytes = pages.bytes();
        self.owner.state.with(|state| {
            let found = state.table.at(self.base.addr().get());
            let (place, _) = found.expect("a reservation stays in the table until it is dropped");
            state.table.remove(place);
            state.counters.released(self.bytes);
            state.committed -= committed;
            state.page_maps -= map_bytes;
            state.reservations -= 1;
        });
        // SAFETY: the pages are the reservation's, out of the table now, and the user of their
        // memory had no right to it beyond the reservation's life.
        unsafe { self.owner.release(self.base, self.bytes) };
    }
}

impl fmt::Debug for Reservation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation")
            .field("base", &self.base)
            .field("bytes", &self.bytes)
            .field("committed_bytes", &self.committed_bytes())
            .finish_non_exhaustive()
    }
}
