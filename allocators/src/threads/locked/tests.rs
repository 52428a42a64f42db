//! `Locked` over an allocator that one thread at a time must use.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the steps of a test share one argument: it owns the blocks it uses"
)]
#![cfg(any(unix, windows))]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::panic::{AssertUnwindSafe, Location};
use core::ptr::NonNull;
use std::panic::catch_unwind;
use std::string::String;
use std::thread;
use std::vec::Vec;

use super::{Lock, Locked};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, SharedRef};
use crate::contract::misuse::{Report, set_misuse_handler};
use crate::contract::stats::Stats;
use crate::pages::page::PageAllocator;
use crate::threads::sync::{SpinCell, SpinLock};

/// Counts its calls in plain cells, so two threads in it at once would lose some, and stores the
/// last caller.
struct Counting {
    pages: PageAllocator,
    allocated: Cell<u64>,
    freed: Cell<u64>,
    site: Cell<Option<&'static Location<'static>>>,
}

impl Counting {
    const fn new(name: &'static str) -> Self {
        Self {
            pages: PageAllocator::new(name),
            allocated: Cell::new(0),
            freed: Cell::new(0),
            site: Cell::new(None),
        }
    }

    #[track_caller]
    fn count(&self, counter: &Cell<u64>) {
        self.site.set(Some(Location::caller()));
        let before = counter.get();
        // Time for another thread to enter, if the lock permitted it.
        core::hint::spin_loop();
        counter.set(before + 1);
    }
}

// SAFETY: all is forwarded to an allocator that keeps the contract.
unsafe impl Allocator for Counting {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.count(&self.allocated);
        self.pages.allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.count(&self.freed);
        // SAFETY: the caller's promise, passed on.
        unsafe { self.pages.deallocate(block) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.count(&self.freed);
        // SAFETY: the caller's promise, passed on.
        unsafe { self.pages.deallocate_sized(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.site.set(Some(Location::caller()));
        // SAFETY: the caller's promise, passed on.
        unsafe { self.pages.resize_in_place(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.site.set(Some(Location::caller()));
        // SAFETY: the caller's promise, passed on.
        unsafe { self.pages.reallocate(block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.pages.allocated_size(block) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        self.pages.layout_below(layout)
    }

    fn stats(&self) -> Stats {
        self.pages.stats()
    }

    fn name(&self) -> &str {
        self.pages.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        Some(&self.pages)
    }

    fn owns(&self, address: *const u8) -> bool {
        self.pages.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.pages.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.pages.verify()
    }
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("the tests use valid layouts")
}

fn crowd<L: Lock + Sync>(locked: &Locked<Counting, L>) {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 1500;
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let shared: SharedRef<'_> = locked;
                for round in 0..ROUNDS {
                    let mark = (thread * 7 + round) as u8;
                    let at = layout(1 + round as usize, 16);
                    let block = shared.allocate(at).unwrap();
                    // SAFETY: the block belongs to this thread, which writes it, reads it and frees
                    // it once.
                    unsafe {
                        block.cast::<u8>().write_bytes(mark, at.size());
                        assert_eq!(shared.name(), "crowd", "the name stays readable");
                        assert_eq!(block.cast::<u8>().read(), mark, "no other thread's");
                        shared.deallocate_sized(block.cast(), at);
                    }
                }
            });
        }
    });
    locked.with(|counting| {
        assert_eq!(counting.allocated.get(), THREADS * ROUNDS, "no call was lost");
        assert_eq!(counting.freed.get(), THREADS * ROUNDS, "no call was lost");
    });
    assert_eq!(locked.stats().live, 0, "all freed");
    assert_eq!(locked.verify(), Ok(()), "whole");
}

#[test]
fn threads_under_the_spin_lock() {
    static LOCKED: Locked<Counting> = Locked::new(Counting::new("crowd"));
    crowd(&LOCKED);
}

#[cfg(feature = "lock_api")]
#[test]
fn threads_under_parking_lot() {
    static LOCKED: Locked<Counting, parking_lot::RawMutex> =
        Locked::with_lock(Counting::new("crowd"));
    crowd(&LOCKED);
}

/// A mutex whose guard has state: the number of lockings, which unlocking compares.
#[cfg(feature = "lock_api")]
struct Numbered {
    lock: parking_lot::RawMutex,
    count: core::sync::atomic::AtomicU64,
}

// SAFETY: the mutex within excludes; the number is only compared.
#[cfg(feature = "lock_api")]
unsafe impl lock_api::RawMutex for Numbered {
    const INIT: Self = Self {
        lock: <parking_lot::RawMutex as lock_api::RawMutex>::INIT,
        count: core::sync::atomic::AtomicU64::new(0),
    };
    type Guard = (u64, <parking_lot::RawMutex as lock_api::RawMutex>::Guard);

    fn lock(&self) -> Self::Guard {
        let held = self.lock.lock();
        let count = self.count.fetch_add(1, core::sync::atomic::Ordering::SeqCst);
        (count + 1, held)
    }

    fn try_lock(&self) -> Option<Self::Guard> {
        let held = self.lock.try_lock()?;
        let count = self.count.fetch_add(1, core::sync::atomic::Ordering::SeqCst);
        Some((count + 1, held))
    }

    unsafe fn unlock(&self, (number, held): Self::Guard) {
        let count = self.count.load(core::sync::atomic::Ordering::SeqCst);
        assert_eq!(number, count, "the state of another locking came back");
        // SAFETY: the caller holds the mutex.
        unsafe { self.lock.unlock(held) }
    }

    fn is_locked(&self) -> bool {
        self.lock.is_locked()
    }
}

#[cfg(feature = "lock_api")]
#[test]
fn threads_under_a_mutex_with_state() {
    let locked: Locked<Counting, Numbered> = Locked::with_lock(Counting::new("crowd"));
    crowd(&locked);
}

#[test]
fn the_spin_lock_excludes() {
    let cell = SpinCell::new(0_u64);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50_000 {
                    cell.with(|count| *count += 1);
                }
            });
        }
    });
    assert_eq!(cell.with(|count| *count), 200_000, "no increment was lost");
    let lock = SpinLock::default();
    lock.acquire();
    assert_eq!(std::format!("{lock:?}"), "SpinLock { held: true }");
    lock.release();
    assert_eq!(std::format!("{lock:?}"), "SpinLock { held: false }");
}

#[test]
fn every_call_is_passed_on() {
    let locked = Locked::new(Counting::new("passed"));
    let (small, large) = (layout(100, 8), layout(50_000, 8));
    let block = locked.allocate_zeroed(small).unwrap();
    assert_eq!(locked.layout_below(small), locked.with(|a| a.layout_below(small)));
    assert!(locked.owns(block.as_ptr().cast()), "owned");
    // SAFETY: the block is live and has the layout that the last call gave it.
    let block = unsafe {
        assert_eq!(locked.allocated_size(block.cast()), block.len(), "granted");
        let same = locked.resize_in_place(block.cast(), small, layout(200, 8));
        assert_eq!(same.unwrap().cast(), block.cast::<u8>(), "in place");
        locked.reallocate(block.cast(), layout(200, 8), large)
    };
    let block = block.unwrap();
    let mut shown = Vec::new();
    locked.walk(&mut |block| shown.push((block.address, block.bytes)));
    assert_eq!(shown, [(block.cast(), 50_000)], "walked");
    assert_eq!(locked.stats(), locked.with(|a| a.stats()), "stats");
    assert_eq!(locked.verify(), Ok(()), "whole");
    // SAFETY: the block is live.
    unsafe { locked.deallocate(block.cast()) };
    assert_eq!((locked.name(), locked.stats().live), ("passed", 0), "freed");
    assert!(std::format!("{locked:?}").contains("passed"), "debug");
}

#[test]
fn the_backing_stays_within_the_lock() {
    let mut locked = Locked::new(Counting::new("inner"));
    assert!(locked.backing().is_none(), "it may be a part that is not `Sync`");
    let name = locked.with(|a| a.backing().map(|b| String::from(b.name())));
    assert_eq!(name.as_deref(), Some("inner"), "within the lock it can be asked");
    locked.get_mut().freed.set(7);
    assert_eq!(locked.into_inner().freed.get(), 7, "the same allocator");
}

#[test]
fn sites_are_the_callers() {
    let locked = Locked::new(Counting::new("sites"));
    let site = || {
        let site = locked.with(|a| a.site.take()).expect("a call came through");
        assert!(site.file().ends_with("locked/tests.rs"), "{site}");
        site.line()
    };
    let erased: &dyn Allocator = &locked;
    let small = layout(1, 1);
    let block = locked.allocate(small).unwrap().cast();
    let first = site();
    assert_eq!(first, line!() - 2, "the line that allocates");
    // SAFETY: the block is live, has this layout throughout, and is freed once at the end.
    unsafe {
        let block = erased.reallocate(block, small, small).unwrap().cast();
        assert_eq!(site(), line!() - 1, "also through dyn");
        locked.resize_in_place(block, small, small).unwrap();
        assert_eq!(site(), line!() - 1, "resized");
        erased.deallocate_sized(block, small);
        assert_eq!(site(), line!() - 1, "freed");
    }
}

#[test]
fn unwinding_gives_the_lock_back() {
    fn panicking(report: &Report<'_>) -> ! {
        panic!("{report}");
    }
    set_misuse_handler(Some(panicking));
    let locked = Locked::new(Counting::new("unwound"));
    let panic = catch_unwind(AssertUnwindSafe(|| locked.with(|_| panic!("on purpose"))));
    assert!(panic.is_err(), "it came through");
    let block = locked.allocate(layout(1, 1)).unwrap();
    let mut local = 0_u8;
    let wrong = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the misuse under test, which is found before anything is done.
        unsafe { locked.deallocate(NonNull::from(&mut local)) }
    }));
    assert!(wrong.is_err(), "the misuse was found");
    // SAFETY: the block is live.
    unsafe { locked.deallocate(block.cast()) };
    assert_eq!(locked.stats().live, 0, "the lock was free again");
}

#[test]
fn as_a_global_allocator() {
    let locked = Locked::new(Counting::new("global"));
    let small = layout(1000, 64);
    // SAFETY: each block is live and has the layout of the call that made it.
    unsafe {
        let zeroed = locked.alloc_zeroed(small);
        assert!(!zeroed.is_null() && zeroed.addr().is_multiple_of(64), "aligned");
        let slice = core::slice::from_raw_parts(zeroed, 1000);
        assert!(slice.iter().all(|&b| b == 0), "zero");
        zeroed.write(9);
        let grown = locked.realloc(zeroed, small, 100_000);
        assert_eq!(grown.read(), 9, "kept");
        let now = layout(100_000, 64);
        let most = isize::MAX as usize;
        assert!(locked.realloc(grown, now, most - 63).is_null(), "refused");
        assert!(locked.realloc(grown, now, most).is_null(), "no layout at all");
        assert_eq!(grown.read(), 9, "a refusal leaves the block");
        locked.dealloc(grown, now);
        let fresh = locked.alloc(small);
        assert!(!fresh.is_null(), "served");
        locked.dealloc(fresh, small);
        assert!(locked.alloc(layout(most - 63, 64)).is_null(), "refused");
        assert!(locked.alloc_zeroed(layout(most - 63, 64)).is_null(), "refused");
    }
    assert_eq!(locked.stats().live, 0, "all freed");
}

#[test]
fn a_budget_is_that_of_what_is_locked() {
    let backing = crate::testing::test_backing::TestBacking::new();
    let proxy = crate::wrappers::proxy::ProxyAllocator::new_in("proxy", &backing);
    assert_eq!(Locked::new(proxy).budget(), None, "no limit");
    let proxy = crate::wrappers::proxy::ProxyAllocator::new_in("proxy", &backing).with_budget(100);
    assert_eq!(Locked::new(proxy).budget(), Some(100), "its limit");
}
