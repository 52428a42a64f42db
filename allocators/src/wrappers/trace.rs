//! Call sites, stacks and recordings of one user's allocations.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where a trace allocator wraps a
//! system whose leak is hard to find, and stores a stack for each of its blocks. Changes: call
//! sites come from the compiler and cost no stack walk, stacks are optional; equal stacks are
//! stored once; wrong frees are found before the backing sees them; and all events can be recorded
//! in a trace file, to be replayed over any allocator.

use core::alloc::Layout;
use core::fmt;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::address_table::Place;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::wrappers::proxy::over_backing;

pub(crate) mod array;
mod entry;
pub(crate) mod format;
mod groups;
mod ledger;
mod recorder;
mod report;
mod sink;
mod snapshot;
mod stack;
#[cfg(test)]
mod tests;

use ledger::Ledger;
pub use report::SiteUsage;
#[cfg(feature = "std")]
pub use sink::WriteSink;
pub use sink::{SinkError, TraceSink};
pub use snapshot::TraceSnapshot;

/// An allocator that forwards everything to its backing and records for each live block its call
/// site, its bytes, and its allocation number.
///
/// A leak report then lists the call sites, [`report`](Self::report) groups the live blocks by call
/// site, and [`break_at`](Self::break_at) stops at the allocation of a leaked block: find its
/// number in the report of one run, and break there in the next. Number and site are those of the
/// allocation; a resized block keeps both.
///
/// A free of an address that is not a live block is found before the backing sees it, and a double
/// free names the site of the first free while the block is among the 32 freed last (afterwards it
/// is reported as a foreign free). A free or resize with a layout that is not the block's is always
/// found.
///
/// All events can be recorded in the format of allocation traces, by
/// [`start_recording`](Self::start_recording).
///
/// The tables take their memory from `books`, a separate allocator, since the backing may be a pool
/// that serves blocks of one size only; it can be the backing itself. They are not counted in
/// [`stats`](Allocator::stats); [`books_bytes`](Self::books_bytes) returns their size. If a table
/// cannot grow, the request is refused and nothing has changed.
///
/// # Call sites and stacks
///
/// The site is the line that called the trait's method, also through `&dyn Allocator`. Through
/// `allocator-api2` and `GlobalAlloc` it is a line of that library, which does not pass its callers
/// on. Use stack traces there: with the feature `stacks` and after `with_stacks`, each allocation
/// stores the return addresses of its 16 innermost frames (enough to reach from a container to the
/// subsystem that uses it), and the report groups by stack. Names are looked up only when a report
/// is written.
///
/// # Complexity
///
/// O(1) amortised on top of the backing, but O(blocks) when a table grows. A free and an allocation
/// of a recently freed block take some 300 instructions more, 80 more while recording, and about 26
/// 500 with stacks of 16 frames, nearly all of them in the unwinder; the rows `cost/trace` and
/// `cost/trace-stacks` of the scoreboard measure the time.
///
/// # Memory
///
/// ```text
/// books   | live block: address, block, bytes, granted, number and alignment, site, slot |  48 bytes a slot
///         | site: location, hash, blocks, bytes, total, oldest |  48 to 96 bytes and 8 to 16 of index
///         | stack: 16 return addresses |  128 to 256 bytes, with stacks only
///         | recording: buffer of 4 096 bytes, free slots, sites |  4 bytes for each block of its peak and each site
/// ```
///
/// No byte of a block is used; blocks are the backing's. The tables have 4/3 to 8/3 slots, 64 to
/// 128 bytes (with 64-bit addresses), for each of the most blocks that were live at once: no table
/// shrinks. A site stays when its last block is freed, and equal stacks of one site are stored
/// once, so these tables are bounded by the program and not by its allocations. The allocator
/// itself is 1 072 bytes, most of them for the blocks freed last.
///
/// # Threads
///
/// `Send` where the backing and the allocator for books are `Sync`; never `Sync`: wrap it in a
/// [`Locked`](crate::Locked). Looking up the names of frames allocates globally, so where it is the
/// global allocator under such a lock, write a [`snapshot`](Self::snapshot) after the lock.
///
/// # When not to use it
///
/// If only the sum matters: a [`ProxyAllocator`](crate::ProxyAllocator) counts in a few
/// instructions and no memory. With stacks it is far too slow for a whole game; wrap only the
/// subsystem that leaks.
///
/// # Panics
///
/// When dropped with live blocks, with their number, bytes and the sites of the first 16. While a
/// panic unwinds it only reports.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, PageAllocator, TraceAllocator};
///
/// let pages = PageAllocator::new("pages");
/// let sound = TraceAllocator::new("sound", &pages, &pages);
/// let sample = Layout::new::<[i16; 400]>();
/// let first = sound.allocate(sample)?.cast::<u8>();
/// let second = sound.allocate(sample)?.cast::<u8>();
///
/// // The call sites, the one with the most bytes first, and the number of the oldest block of
/// // each.
/// let report = sound.report().to_string();
/// assert!(report.starts_with("allocator `sound`: 2 live blocks of 1600 bytes, from 2 sites"));
/// assert!(report.contains("#1"));
/// assert_eq!(sound.allocation_number(second), Some(2));
/// // SAFETY: the blocks are live, have this layout, and are not used again.
/// unsafe {
///     sound.deallocate_sized(first, sample);
///     sound.deallocate_sized(second, sample);
/// }
/// assert_eq!(sound.report().to_string(), "allocator `sound`: no live blocks");
/// # Ok::<(), AllocError>(())
/// ```
pub struct TraceAllocator<
    'a,
    B: Allocator + ?Sized = dyn Allocator + 'a,
    K: Allocator + ?Sized = dyn Allocator + 'a,
> {
    ledger: Ledger<'a, K>,
    backing: &'a B,
    name: &'a str,
}

// SAFETY: only the ledger refers to the memory of the tables, so it moves with the ledger; the
// backing and the allocator for books are shared, and `Sync`; so is a sink, by its trait; locations
// are static and shared; the return addresses of stacks are never followed.
unsafe impl<B: Allocator + Sync + ?Sized, K: Allocator + Sync + ?Sized> Send
    for TraceAllocator<'_, B, K>
{
}

impl TraceAllocator<'_> {
    /// Returns the layout that a tracing allocator requests from its backing for a block of
    /// `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> TraceAllocator<'a> {
    /// Creates an allocator that forwards to `backing` and takes its tables' memory from `books`.
    /// Nothing is allocated before the first block is.
    #[must_use]
    pub const fn new(
        name: &'a str,
        backing: &'a (dyn Allocator + 'a),
        books: &'a (dyn Allocator + 'a),
    ) -> Self {
        Self::new_in(name, backing, books)
    }
}

impl<'a, B: Allocator + ?Sized, K: Allocator + ?Sized> TraceAllocator<'a, B, K> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B, books: &'a K) -> Self {
        Self { ledger: Ledger::new(books), backing, name }
    }

    /// Stores the stack of each allocation in addition to its call site.
    #[cfg(feature = "stacks")]
    #[must_use]
    pub const fn with_stacks(mut self) -> Self {
        self.ledger.keeps_stacks = true;
        self
    }

    /// Returns a report of the live blocks, grouped by call site: blocks, bytes, the number of the
    /// oldest allocation and the site, the one with the most bytes first; with stacks, by site and
    /// stack, the frames below it. The groups are read when the report is written, so it shows
    /// changes made in between.
    ///
    /// Frames before the call site are this library's, and those that start the program or thread
    /// are std's; both are left out if the debug information identifies them.
    ///
    /// # Complexity
    ///
    /// O(blocks + sites^2) to write it, without allocating; names of frames are looked up with
    /// memory of the global heap.
    pub fn report(&self) -> impl fmt::Display + '_ {
        report::Report { trace: self }
    }

    /// Returns a copy of the report as it is now, in memory of `memory`, to be written later: where
    /// this is the global allocator under a lock, once the lock is released.
    ///
    /// # Complexity
    ///
    /// O(blocks + sites^2).
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `memory` has not enough of it.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use loligo_allocators::{HeapAllocator, Locked, PageAllocator, TraceAllocator};
    /// static PAGES: PageAllocator = PageAllocator::new("pages");
    /// static HEAP: Locked<HeapAllocator<'static, PageAllocator>> =
    ///     Locked::new(HeapAllocator::new_in("heap", &PAGES));
    /// type Traced = TraceAllocator<'static, Locked<HeapAllocator<'static, PageAllocator>>, PageAllocator>;
    /// #[global_allocator]
    /// static GLOBAL: Locked<Traced> = Locked::new(TraceAllocator::new_in("global", &HEAP, &PAGES));
    ///
    /// fn main() {
    ///     // .. the program; then what it has left:
    ///     match GLOBAL.with(|trace| trace.snapshot(&PAGES)) {
    ///         Ok(left) => println!("{left}"),
    ///         Err(error) => println!("no report: {error}"),
    ///     }
    /// }
    /// ```
    pub fn snapshot<'m>(
        &self,
        memory: &'m (dyn Allocator + 'm),
    ) -> Result<TraceSnapshot<'m>, AllocError>
    where
        'a: 'm,
    {
        let stats = self.stats();
        TraceSnapshot::take(self.name, [stats.live, stats.requested], &self.ledger, memory)
    }

    /// Shows the call sites with live blocks, the one with the most bytes first. With stacks a site
    /// is shown once for each stack. `visit` must not call the allocator.
    ///
    /// # Complexity
    ///
    /// O(blocks + sites^2), without allocating.
    pub fn walk_sites(&self, visit: &mut dyn FnMut(SiteUsage)) {
        self.ledger.each_group(&mut |_, group| visit(group.into()));
    }

    /// Returns the allocation number of the live block at `block`, counted from 1; `None` if no
    /// block starts there.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn allocation_number(&self, block: NonNull<u8>) -> Option<u64> {
        self.ledger.place_of(block).map(|place| self.ledger.at(place).number())
    }

    /// Calls `hook` with the number and the site when the allocation of that number is requested: a
    /// function to set a breakpoint in, or one that prints or panics. It is called once, before
    /// anything has changed; if the request is then refused, the next one gets the number. A later
    /// call of this method replaces number and hook.
    ///
    /// # Examples
    ///
    /// ```should_panic
    /// use core::alloc::Layout;
    /// use loligo_allocators::{Allocator, PageAllocator, TraceAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let trace = TraceAllocator::new("trace", &pages, &pages);
    /// trace.break_at(1, |number, site| panic!("allocation {number} is asked for from {site}"));
    /// let _ = trace.allocate(Layout::new::<u64>());
    /// ```
    pub fn break_at(&self, number: u64, hook: fn(u64, &'static Location<'static>)) {
        self.ledger.break_at(number, hook);
    }

    /// Starts to record every event in the format of allocation traces, version 2: with the call
    /// site of each allocation, this allocator's name, and the time if the sink has a clock. Blocks
    /// that are already live are written first, as allocations in their original order.
    ///
    /// Records are collected in 4 KiB of the books and passed on when those are full, when the
    /// recording is finished, and when the allocator is dropped. A sink that fails ends the
    /// recording, and [`finish_recording`](Self::finish_recording) returns its error; the program
    /// continues.
    ///
    /// # Complexity
    ///
    /// O(n log n) for n live blocks, for which it takes 40 bytes each from the books temporarily.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the books refuse; nothing is recorded then.
    ///
    /// # Panics
    ///
    /// If a recording is running.
    pub fn start_recording(&self, sink: &'a dyn TraceSink) -> Result<(), AllocError> {
        self.ledger.start_recording(sink, self.name)
    }

    /// Writes a mark into the recording: the end of a frame, a turn, or another period of the
    /// program; `value` usually is its number. Without a recording it does nothing.
    ///
    /// # Complexity
    ///
    /// O(1), with a call of the sink where the buffer is full.
    pub fn frame_mark(&self, value: u64) {
        self.ledger.frame_mark(value);
    }

    /// Returns `true` if a recording is running; a sink that fails ends it.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.ledger.is_recording()
    }

    /// Ends the recording and passes on its remaining bytes. Without a recording it does nothing.
    ///
    /// # Errors
    ///
    /// The sink's error, from now or from when it ended the recording.
    pub fn finish_recording(&self) -> Result<(), SinkError> {
        self.ledger.finish_recording()
    }

    /// Returns the size of the tables, in memory of `books`.
    #[must_use]
    pub fn books_bytes(&self) -> usize {
        self.ledger.bytes()
    }

    #[inline(always)]
    fn place(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> Place {
        match self.ledger.place_of(block) {
            Some(place) => place,
            None => self.ledger.no_block(self.name, block, bytes, site),
        }
    }

    #[inline(always)]
    fn place_fitting(
        &self,
        block: NonNull<u8>,
        layout: Layout,
        site: &'static Location<'static>,
    ) -> Place {
        let place = self.place(block, Some(layout.size()), site);
        if !self.ledger.at(place).fits(layout) {
            self.ledger.wrong_size(self.name, &self.ledger.at(place), layout, site);
        }
        place
    }
}

// SAFETY: every block is the backing's, which keeps the contract. Steps that can be refused, the
// hook and the sink come before the backing is called; afterwards tables are written in reserved
// room.
unsafe impl<B: Allocator + ?Sized, K: Allocator + ?Sized> Allocator for TraceAllocator<'_, B, K> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let group = self.ledger.prepare(Location::caller())?;
        let block = self.backing.allocate(layout)?;
        self.ledger.record_allocation(block, layout, false, group);
        Ok(block)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let group = self.ledger.prepare(Location::caller())?;
        let block = self.backing.allocate_zeroed(layout)?;
        self.ledger.record_allocation(block, layout, true, group);
        Ok(block)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let site = Location::caller();
        self.ledger.prepare_free();
        let place = self.place(block, None, site);
        // SAFETY: the caller's promise, passed on; the block is one that the backing gave out.
        unsafe { self.backing.deallocate(block) };
        self.ledger.freed(place, site);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let site = Location::caller();
        self.ledger.prepare_free();
        let place = self.place_fitting(block, layout, site);
        // SAFETY: the caller's promise, passed on; the layout fits.
        unsafe { self.backing.deallocate_sized(block, layout) };
        self.ledger.freed(place, site);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = Location::caller();
        self.ledger.prepare_resize()?;
        let entry = self.ledger.at(self.place_fitting(block, old, site));
        // SAFETY: the caller's promise, passed on; the layout fits.
        let resized = unsafe { self.backing.resize_in_place(block, old, new)? };
        self.ledger.resized(&entry, resized, new, site);
        Ok(resized)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = Location::caller();
        self.ledger.prepare_resize()?;
        let entry = self.ledger.at(self.place_fitting(block, old, site));
        // SAFETY: the caller's promise, passed on; the layout fits.
        let moved = unsafe { self.backing.reallocate(block, old, new)? };
        self.ledger.resized(&entry, moved, new, site);
        Ok(moved)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.ledger.at(self.place(block, None, Location::caller())).granted
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        TraceAllocator::layout_for(layout)
    }

    fn stats(&self) -> Stats {
        self.ledger.stats()
    }

    over_backing!();

    /// Shows every live block with the bytes last requested and the site of its allocation, in no
    /// order.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.ledger.each_block(|entry, site| {
            visit(Block { address: entry.block, bytes: entry.bytes, site: Some(site) });
        });
    }

    /// Checks the tables against each other and against the counters, and that the backing has at
    /// least as many blocks.
    fn verify(&self) -> Result<(), Damage> {
        let damage = |what| Damage { what, address: core::ptr::from_ref(self).cast() };
        self.ledger.validate().map_err(damage)?;
        if self.stats().live > self.backing.stats().live {
            return Err(damage("more live blocks are recorded than the backing has"));
        }
        Ok(())
    }
}

impl<B: Allocator + ?Sized, K: Allocator + ?Sized> Drop for TraceAllocator<'_, B, K> {
    fn drop(&mut self) {
        // The tables are freed after this, also if it panics.
        leak::assert_none(self);
    }
}
