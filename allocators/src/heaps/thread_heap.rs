//! The general-purpose allocator for several threads.
//!
//! A heap a thread, each of which is that of `docs/decisions/0001-heap.md`; how blocks come back
//! that another thread frees is in `docs/decisions/0031-thread-heap.md`.

mod current;
mod directory;
mod huge;
mod inspect;
mod record;
mod registry;
mod shared;
mod slot;
mod supply;
#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use core::fmt;
use core::panic::Location;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use self::record::Record;
use self::shared::{Backing, Shared};
use self::slot::{Heap, Slot};
use crate::bookkeeping::sites::{NoSites, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::contract::stats::Stats;
use crate::heaps::size_classes::DefaultClasses;
use crate::threads::hand_over::Posted;
use crate::threads::locked::no_unwind;
use crate::threads::sync::SpinCell;

/// A general-purpose allocator for several threads: each has a heap of its own, so threads that
/// allocate do not meet.
///
/// Each thread's heap is a [`HeapAllocator`](crate::HeapAllocator) with its checks. A block that
/// another thread frees is handed back by one bit, apart from the block; its owner takes it back
/// when a call is slow anyway. So no word of a freed block is written, and every double, foreign
/// and interior free is found, whichever thread makes it: at once, but for a block that two threads
/// free, of which one is its owner, before the owner took it back. That is reported late, by its
/// address alone.
///
/// A thread that ends leaves its heap, live blocks and all, to the next thread that begins. It is
/// usable as `#[global_allocator]` in one line, before `main`, in the destructors of thread-local
/// variables and after `fork`.
///
/// # Complexity
///
/// Of a thread's own blocks as [`HeapAllocator`](crate::HeapAllocator), and a handful of
/// instructions to find the thread's heap. A block of another thread's costs one to three atomic
/// operations to free, which no other thread can make fail but a few times; its owner takes back
/// about 256 blocks at most a call. At most 4 095 threads have a heap at a time; all others share
/// one under a lock, as does a thread in the last of its thread-local destructors.
///
/// # Memory
///
/// ```text
/// chunk   | a bit a granule for blocks handed back, 0.8 % | region of one thread's heap |
/// ```
///
/// Blocks are rounded as in a [`HeapAllocator`](crate::HeapAllocator). A thread that allocates has a
/// table of 25 KiB and at least one region, of 1 MiB of addresses and of memory what it uses; its
/// regions double up to 64 MiB. What the threads share takes 170 KiB of addresses, 8 bytes for each
/// MiB in use and 1/8 of a MiB for each 16 GiB of addresses. A thread keeps free what a heap keeps
/// (at most 60 KiB in fronts, a page of each class, one empty region), and what other threads freed
/// of its blocks until its next slow call, its end, or [`collect`](Self::collect).
///
/// # Threads
///
/// `Send` and `Sync`. A signal handler must not use it, as it may interrupt the thread in a call.
/// After `fork` the child goes on with the heap of the thread that forked; blocks of other threads'
/// heaps can be used and freed there, but their memory is not used again.
///
/// # When not to use it
///
/// In one thread a [`HeapAllocator`](crate::HeapAllocator) needs less memory. Where threads
/// allocate seldom, [`Locked`](crate::Locked) around one is simpler and holds less.
///
/// # Panics
///
/// Dropping it with live blocks panics with their number, bytes and the first 16.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{PageAllocator, ThreadHeap};
///
/// static PAGES: PageAllocator = PageAllocator::new("pages");
///
/// #[global_allocator]
/// static GLOBAL: ThreadHeap<'static> = ThreadHeap::new("global", &PAGES);
///
/// let threads: Vec<_> = (0..4).map(|n| std::thread::spawn(move || vec![n; 1000])).collect();
/// for thread in threads {
///     // Each vector was allocated by its thread and is freed by this one.
///     assert_eq!(thread.join().unwrap().len(), 1000);
/// }
/// ```
pub struct ThreadHeap<'a, S: SiteBook = NoSites> {
    /// The number of the heap once it is open; 0 before.
    id: AtomicUsize,
    shared: AtomicPtr<Shared>,
    opening: SpinCell<()>,
    name: &'a str,
    backing: &'a (dyn Allocator + Sync + 'a),
    budget: usize,
    sites: SpinCell<S>,
}

impl<'a> ThreadHeap<'a> {
    /// Makes a heap that takes its memory from `backing`, in multiples of MiB. Takes nothing yet.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self {
            id: AtomicUsize::new(0),
            shared: AtomicPtr::new(ptr::null_mut()),
            opening: SpinCell::new(()),
            name,
            backing,
            budget: usize::MAX,
            sites: SpinCell::new(NoSites),
        }
    }
}

impl<'a, S: SiteBook> ThreadHeap<'a, S> {
    /// Takes at most `bytes` bytes from the backing at a time, tables included; what would need more
    /// is refused.
    #[must_use]
    pub const fn with_budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// Keeps the site of each block handed out from now on, with [`Sites`](crate::Sites). Threads
    /// wait for one another at the book.
    #[must_use]
    pub const fn with_sites<T: SiteBook>(self, sites: T) -> ThreadHeap<'a, T> {
        let sites = SpinCell::new(sites);
        with_sites!(self, sites, ThreadHeap { id, shared, opening, name, backing, budget })
    }
}

impl<S: SiteBook> ThreadHeap<'_, S> {
    /// Takes back the blocks that other threads freed of the running thread's and of all threads
    /// that have ended, and gives their empty regions and the memory of their long free runs back
    /// to the backing.
    ///
    /// # Complexity
    ///
    /// As [`HeapAllocator::shrink`](crate::HeapAllocator::shrink) for each of these heaps.
    pub fn shrink(&self) {
        self.with_settled(&mut |slot| {
            slot.take_back(usize::MAX);
            slot.heap.shrink();
        });
    }

    /// Takes back the blocks that other threads freed of the running thread's and of all threads
    /// that have ended. Afterwards [`stats`](Allocator::stats) count what is live exactly, if all
    /// other threads have called this or have ended.
    ///
    /// # Complexity
    ///
    /// O(blocks that were freed + threads that have ended).
    pub fn collect(&self) {
        self.with_settled(&mut |slot| {
            slot.take_back(usize::MAX);
            slot.publish();
        });
    }

    /// Runs `work` on the slots that no other thread can be using: the running thread's, number 0,
    /// and those of threads that have ended.
    fn with_settled(&self, work: &mut dyn FnMut(&Slot)) {
        let Some(shared) = self.opened() else { return };
        if let Some(slot) = self.held_slot() {
            work(slot);
        }
        shared.with_zero(&mut *work);
        shared.with_orphans(usize::MAX, &mut *work);
    }

    /// The running thread's slot, if it was the last one that the thread used.
    #[inline]
    fn slot_at_once(&self) -> Option<&Slot> {
        // Relaxed: the thread has a slot for this number only after it has seen all of the heap.
        // SAFETY: a slot stays as long as its heap, and is the running thread's alone.
        current::slot(self.id.load(Ordering::Relaxed)).map(|slot| unsafe { &*slot.as_ptr() })
    }

    /// The running thread's slot of an open heap; `None` if slot 0 is to serve.
    fn slot(&self) -> Option<&Slot> {
        self.slot_at_once().or_else(|| {
            // SAFETY: as above.
            current::enter(self.opened()?).map(|slot| unsafe { &*slot.as_ptr() })
        })
    }

    /// The running thread's slot, if it has one.
    fn held_slot(&self) -> Option<&Slot> {
        // SAFETY: as above.
        current::held(self.id.load(Ordering::Relaxed)).map(|slot| unsafe { &*slot.as_ptr() })
    }

    /// What the threads share, if anything was allocated yet.
    fn opened(&self) -> Option<&Shared> {
        // Acquire pairs with the Release in `open`. SAFETY: it stays until this is dropped.
        unsafe { self.shared.load(Ordering::Acquire).as_ref() }
    }

    /// What the threads share, made if this is the first call.
    fn open(&self) -> Result<&Shared, AllocError> {
        if let Some(shared) = self.opened() {
            return Ok(shared);
        }
        self.opening.with(|()| {
            if let Some(shared) = self.opened() {
                return Ok(shared);
            }
            let id = registry::new_id();
            // SAFETY: both stay borrowed until this is dropped, which ends the shared state.
            let name = unsafe { &*ptr::from_ref(self.name) };
            let backing = ptr::from_ref(self.backing);
            // SAFETY: as above; the lifetime is all that differs.
            let backing = unsafe { core::mem::transmute::<*const _, &'static Backing>(backing) };
            let shared = Shared::create(id, name, backing, self.budget)?;
            registry::enter(shared);
            // Release pairs with the Acquire in `opened`.
            self.shared.store(shared.as_ptr(), Ordering::Release);
            self.id.store(id, Ordering::Relaxed);
            // SAFETY: it stays until this is dropped.
            Ok(unsafe { &*shared.as_ptr() })
        })
    }

    #[inline(always)]
    #[track_caller]
    fn take(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let Some(slot) = self.slot_at_once() else { return self.take_first(layout) };
        let Some(class) = Heap::front_class(layout) else { return self.take_larger(slot, layout) };
        match slot.heap.allocate_front(class, layout.size()) {
            Some(block) => Ok(block),
            None => self.take_in_page(slot, class, layout),
        }
    }

    /// The second try for a small request.
    #[inline(never)]
    #[track_caller]
    fn take_in_page(
        &self,
        slot: &Slot,
        class: usize,
        layout: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        match slot.heap.allocate_in_page(class, layout.size()) {
            Some(block) => Ok(block),
            None => slot.allocate(layout),
        }
    }

    /// Serves a request for more than the classes of pages.
    #[inline(never)]
    #[track_caller]
    fn take_larger(&self, slot: &Slot, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if Heap::is_backings(layout) {
            return self.take_huge(layout, false);
        }
        slot.allocate_larger(layout)
    }

    /// Serves a request of a thread that has no slot, or has used other heaps since.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn take_first(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let shared = self.open()?;
        if Heap::is_backings(layout) {
            return self.take_huge(layout, false);
        }
        match self.slot() {
            Some(slot) => slot.allocate(layout),
            None => shared.with_zero(|slot| slot.allocate(layout)),
        }
    }

    /// Frees a block; `bytes` is at most its size, or 0.
    #[inline(always)]
    #[track_caller]
    fn free(&self, block: NonNull<u8>, bytes: usize) {
        let is_done =
            self.slot_at_once().is_some_and(|slot| slot.heap.deallocate_at_once(block, bytes));
        if !is_done {
            self.free_other(block, bytes, Location::caller());
        }
    }

    /// The second try for what is no slot of a page of the region that the running thread used
    /// last.
    #[inline(never)]
    fn free_other(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        match self.slot_at_once().filter(|slot| slot.heap.is_in_cached(block)) {
            Some(slot) => slot.heap.deallocate_other(block, bytes, site),
            None => self.free_further(block, bytes, site),
        }
    }

    /// Frees what is not in the region that the running thread used last.
    #[inline(never)]
    fn free_further(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        let Some(record) = self.opened().and_then(|shared| shared.directory().find(block.as_ptr()))
        else {
            self.wrong(Misuse::ForeignFree, block, site);
        };
        let owner = record.slot.load(Ordering::Relaxed).cast_const();
        if self.slot_at_once().is_some_and(|slot| ptr::eq(slot, owner)) {
            return slot_of(owner).heap.deallocate_elsewhere(block, bytes, site);
        }
        self.free_of_others(record, block, bytes, site);
    }

    /// Frees a block that is not the running thread's own, or that was its own before it used other
    /// heaps.
    #[inline(never)]
    fn free_of_others(
        &self,
        record: &Record,
        block: NonNull<u8>,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        let owner = record.slot.load(Ordering::Relaxed).cast_const();
        if owner.is_null() {
            return self.free_huge(record, block, bytes, site);
        }
        match self.held_slot() {
            Some(slot) if ptr::eq(slot, owner) => {
                return slot.heap.deallocate_elsewhere(block, bytes, site);
            }
            None if slot_of(owner).number == 0 => return self.free_of_zero(block, bytes, site),
            _ => {}
        }
        let granule = record.tables.granule_at(block.as_ptr());
        if granule >= record.tables.granules() {
            let is_inside = record.tables.holds(block.as_ptr());
            let what = if is_inside { self.classify(record, block) } else { Misuse::ForeignFree };
            self.wrong(what, block, site);
        }
        match record.tables.live_bytes::<DefaultClasses>(granule) {
            Ok(Some(granted)) if bytes <= granted => {}
            Ok(Some(_)) => self.wrong(Misuse::WrongSize, block, site),
            Ok(None) => self.wrong(self.classify(record, block), block, site),
            Err(damage) => self.wrong(damage, block, site),
        }
        match record.mail().post(granule) {
            Posted::Done => {}
            Posted::First => slot_of(owner).inbox.put(record),
            Posted::Twice => self.wrong(Misuse::DoubleFree, block, site),
        }
    }

    /// Frees a block of slot 0 for a thread that has none of its own.
    fn free_of_zero(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        if let Some(shared) = self.opened() {
            shared.with_zero(|slot| slot.heap.deallocate_elsewhere(block, bytes, site));
        }
    }

    #[cold]
    fn classify(&self, record: &Record, block: NonNull<u8>) -> Misuse {
        record.tables.classify::<DefaultClasses>(block.as_ptr())
    }

    #[cold]
    fn wrong(&self, what: Misuse, block: NonNull<u8>, site: &'static Location<'static>) -> ! {
        misuse(&Report { site: Some(site), ..Report::new(what, self.name, block.as_ptr()) })
    }

    /// The record of a block that is in no region that the running thread owns, with its bytes.
    #[track_caller]
    fn found(&self, block: NonNull<u8>) -> (&Record, usize) {
        let site = Location::caller();
        let Some(record) = self.opened().and_then(|shared| shared.directory().find(block.as_ptr()))
        else {
            self.wrong(Misuse::ForeignFree, block, site);
        };
        if record.slot.load(Ordering::Relaxed).is_null() {
            let bytes = record.huge_bytes.load(Ordering::Relaxed);
            if record.huge.load(Ordering::Relaxed) != block.as_ptr() {
                self.wrong(Misuse::InteriorFree, block, site);
            }
            return (record, bytes);
        }
        let granule = record.tables.granule_at(block.as_ptr());
        let bytes = if granule < record.tables.granules() {
            record.tables.live_bytes::<DefaultClasses>(granule)
        } else {
            Ok(None)
        };
        match bytes {
            Ok(Some(bytes)) => (record, bytes),
            Ok(None) => self.wrong(self.classify(record, block), block, site),
            Err(damage) => self.wrong(damage, block, site),
        }
    }

    /// Changes the size of a block in place.
    #[track_caller]
    fn resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if let Some(slot) = self.slot_at_once().filter(|slot| slot.heap.is_in_cached(block)) {
            return slot.heap.resize(block, old, new);
        }
        let (record, bytes) = self.found(block);
        let owner = record.slot.load(Ordering::Relaxed).cast_const();
        if self.held_slot().is_some_and(|slot| ptr::eq(slot, owner)) {
            return slot_of(owner).heap.resize(block, old, new);
        }
        if old.size() > bytes {
            self.wrong(Misuse::WrongSize, block, Location::caller());
        }
        if owner.is_null()
            && let Some(shared) = self.opened()
        {
            return shared.resize_huge(record, new, false);
        }
        let fits = new.size() <= bytes && block.addr().get().is_multiple_of(new.align());
        if fits { Ok(NonNull::slice_from_raw_parts(block, bytes)) } else { Err(AllocError) }
    }
}

/// A slot that a record leads to.
fn slot_of<'a>(slot: *const Slot) -> &'a Slot {
    // SAFETY: records lead to slots of their own heap, which stay as long as it is borrowed; what
    // is done with it is what its owner may do, or what all may.
    unsafe { &*slot }
}

// SAFETY: blocks are slots or core blocks of regions that belong to this heap alone, or its huge
// blocks; each region is changed by one thread at a time, and a block handed back by another thread
// is not handed out before that.
unsafe impl<S: SiteBook> Allocator for ThreadHeap<'_, S> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            return self.noted(|| self.take(layout));
        }
        self.take(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            return self.noted(|| self.take_zeroed(layout));
        }
        self.take_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.forget(block);
        self.free(block, 0);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.forget(block);
        self.free(block, layout.size());
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.resize(block, old, new)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if let Some(moved) = self.move_huge(block, old, new) {
            return Ok(moved);
        }
        if new.align() <= old.align()
            && let Ok(resized) = self.resize(block, old, new)
        {
            return Ok(resized);
        }
        // SAFETY: the caller's promise is the one asked here.
        unsafe { move_block(self, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.found(block).1
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        // SAFETY: regions and huge blocks are blocks of the backing; the promise is the caller's.
        unsafe { self.backing.discard(part) }
    }

    fn stats(&self) -> Stats {
        self.counted()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        Some(self.backing)
    }

    fn budget(&self) -> Option<usize> {
        (self.budget != usize::MAX).then_some(self.budget)
    }

    fn owns(&self, address: *const u8) -> bool {
        let record = self.opened().and_then(|shared| shared.directory().find(address));
        record.is_some_and(|record| record.holds(address))
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.walk_live(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.verify_settled()
    }
}

// SAFETY: blocks are as the allocator's contract promises; null if there is no memory; a failed
// `realloc` leaves the block unchanged. Nothing unwinds: `no_unwind` stops it. It needs nothing that
// allocates through it but the system's list of thread-local destructors, for which it is ready.
unsafe impl<S: SiteBook> GlobalAlloc for ThreadHeap<'_, S> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        no_unwind(|| address(self.allocate(layout)))
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        no_unwind(|| address(self.allocate_zeroed(layout)))
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a block that was allocated here, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        no_unwind(|| {
            // SAFETY: the caller promises that the block is live and that this is its layout.
            unsafe { self.deallocate_sized(block, layout) }
        });
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(new_size, layout.align()) else {
            return ptr::null_mut();
        };
        // SAFETY: the caller promises a block that was allocated here, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        no_unwind(|| {
            // SAFETY: the caller promises that the block is live and that this is its layout.
            address(unsafe { self.reallocate(block, layout, new) })
        })
    }
}

#[inline]
fn address(block: Result<NonNull<[u8]>, AllocError>) -> *mut u8 {
    block.map_or(ptr::null_mut(), |block| block.as_ptr().cast())
}

impl<S: SiteBook> Drop for ThreadHeap<'_, S> {
    fn drop(&mut self) {
        let Some(shared) = NonNull::new(*self.shared.get_mut()) else { return };
        current::leave(*self.id.get_mut());
        registry::leave(shared);
        struct GiveBack(NonNull<Shared>);
        impl Drop for GiveBack {
            fn drop(&mut self) {
                // SAFETY: the heap is being dropped, so no thread uses it, and the registry leads
                // no thread there.
                unsafe { Shared::end(self.0) };
            }
        }
        // The regions go back also when the report panics.
        let _give_back = GiveBack(shared);
        self.assert_no_leak();
    }
}

impl<S: SiteBook> fmt::Debug for ThreadHeap<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadHeap")
            .field("name", &self.name)
            .field("stats", &self.counted())
            .finish_non_exhaustive()
    }
}
