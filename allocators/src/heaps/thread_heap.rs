//! The general-purpose allocator for several threads.
//!
//! After Daan Leijen, Benjamin Zorn and Leonardo de Moura, "Mimalloc: Free List Sharding in Action"
//! (2019), whose threads have a heap each and get the blocks back that other threads free, all at
//! once. Changes: each heap is that of `docs/decisions/0001-heap.md`, and a block comes back by a bit
//! in place of a link in itself; `docs/decisions/0031-thread-heap.md` says why.

mod calls;
mod counts;
mod current;
mod directory;
mod global;
mod huge;
mod inspect;
mod record;
mod registry;
mod report;
mod shared;
mod slot;
mod supply;
#[cfg(test)]
mod tests;

pub use self::report::ThreadHeapReport;

use core::alloc::Layout;
use core::fmt;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use self::shared::{Backing, Fixed, Shared};
use self::slot::{Slot, TAKEN_MAX};
use crate::bookkeeping::sites::{NoSites, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::stats::Stats;
use crate::threads::sync::SpinCell;

/// A general-purpose allocator for several threads: each has its own heap, so threads that
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
/// table of 31 KiB and at least one region, of 64 MiB of addresses and of memory what it uses (with
/// a budget, a 64th of that, 1 MiB at the least). What the threads share takes 170 KiB of
/// addresses, 8 bytes for each MiB in use and 1/8 of a MiB for each 16 GiB of addresses. A thread
/// keeps free what a heap keeps (in fronts at most 66 KiB of small blocks, and 844 KiB of middle sizes
/// if each of their classes is busy; a page of each class, one empty region),
/// and what other threads freed of its blocks until one of its next five slow calls, its end, or
/// [`collect`](Self::collect).
///
/// # Threads
///
/// `Send` and `Sync`. [`walk`](Allocator::walk) and [`verify`](Allocator::verify) look at the blocks
/// of the running thread, of threads that have ended and of those that share a heap, and at huge
/// ones: others are in use. The counters of other threads are as they were some slow calls ago. A
/// signal handler must not use it, as it may interrupt the thread in a call.
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

    /// Gives old free memory of the running thread's heap back to the system, a little a call;
    /// returns its bytes. What other threads freed of its blocks is taken back first, about 256 of
    /// them. Heaps of threads that have ended keep theirs until [`shrink`](Self::shrink).
    ///
    /// # Complexity
    ///
    /// As [`HeapAllocator::decay`](crate::HeapAllocator::decay), and O(blocks taken back).
    pub fn decay(&self) -> usize {
        self.held_slot().map_or(0, |slot| {
            slot.take_back(TAKEN_MAX);
            slot.heap.decay()
        })
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
            // SAFETY: as above; the lifetime is all that differs.
            let backing = unsafe {
                core::mem::transmute::<&(dyn Allocator + Sync + '_), &'static Backing>(self.backing)
            };
            let fixed = Fixed { id, name, backing, budget: self.budget };
            let shared = Shared::create(fixed)?;
            registry::enter(shared);
            // Release pairs with the Acquire in `opened`.
            self.shared.store(shared.as_ptr(), Ordering::Release);
            self.id.store(id, Ordering::Relaxed);
            // SAFETY: it stays until this is dropped.
            Ok(unsafe { &*shared.as_ptr() })
        })
    }
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
