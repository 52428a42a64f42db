//! A heap that counts the calls of a suite.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use std::alloc::System;

use crate::suites::Timing;

/// Size classes: class `k` has the sizes over 2^(k - 1), up to 2^k bytes.
pub const CLASSES: usize = 24;

/// The C library's heap with counters. A header before each block holds the thread that allocated
/// it and its layout; each free is checked against it.
#[derive(Debug, Default)]
pub struct Counting {
    allocations: AtomicU64,
    reallocations: AtomicU64,
    frees: AtomicU64,
    foreign_frees: AtomicU64,
    live_bytes: AtomicU64,
    classes: [AtomicU64; CLASSES],
}

/// What a [`Counting`] heap counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Blocks allocated.
    pub allocations: u64,
    /// Blocks resized.
    pub reallocations: u64,
    /// Blocks freed.
    pub frees: u64,
    /// Blocks freed by another thread than the one that allocated them.
    pub foreign_frees: u64,
    /// Bytes of blocks that are not freed.
    pub live_bytes: u64,
    /// Blocks allocated, by class.
    pub classes: [u64; CLASSES],
}

/// Runs a suite over a heap that counts; all blocks are freed at its end.
///
/// # Panics
///
/// If blocks are left, or the suite uses the heap wrongly.
pub fn counted(run: impl FnOnce(&Counting) -> Timing) -> (Timing, Counts) {
    let heap = Counting::default();
    let timing = run(&heap);
    let counts = heap.counts();
    assert_eq!(counts.live_bytes, 0, "bytes that are not freed");
    assert_eq!(counts.allocations, counts.frees, "allocations and frees");
    (timing, counts)
}

/// The header of a block.
#[derive(Clone, Copy)]
struct Header {
    /// The number of the thread that allocated the block; 0 once it is freed.
    thread: u64,
    bytes: u32,
    align: u32,
}

const HEADER_BYTES: usize = size_of::<Header>();

impl Counting {
    /// Returns the counts, once no other thread calls the heap.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            allocations: read(&self.allocations),
            reallocations: read(&self.reallocations),
            frees: read(&self.frees),
            foreign_frees: read(&self.foreign_frees),
            live_bytes: read(&self.live_bytes),
            classes: core::array::from_fn(|class| read(&self.classes[class])),
        }
    }

    /// Returns the offset of a block in what is allocated for it, and the latter's layout.
    fn outer(layout: Layout) -> (usize, Layout) {
        let align = layout.align().max(HEADER_BYTES);
        let outer = Layout::from_size_align(layout.size() + align, align);
        (align, outer.expect("no suite asks for giants"))
    }

    /// Writes the header of a fresh block and counts it.
    ///
    /// # Safety
    ///
    /// `start` is null or a fresh block of the layout of [`outer`](Self::outer).
    unsafe fn begin(&self, start: *mut u8, layout: Layout) -> *mut u8 {
        if start.is_null() {
            return start;
        }
        let (offset, _) = Self::outer(layout);
        let (bytes, align) = (layout.size() as u32, layout.align() as u32);
        // SAFETY: the block is at this offset.
        let block = unsafe { start.add(offset) };
        // SAFETY: the offset is the header's size at least.
        let header = unsafe { block.cast::<Header>().sub(1) };
        // SAFETY: the header is within the fresh block and aligned as it is.
        unsafe { header.write(Header { thread: thread_number(), bytes, align }) };
        add(&self.allocations, 1);
        add(&self.live_bytes, u64::from(bytes));
        add(&self.classes[class(bytes)], 1);
        block
    }
}

// SAFETY: blocks are those of `System` with an offset that keeps their alignment.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        assert_ne!(layout.size(), 0, "an empty block");
        // SAFETY: the layout has a size.
        let start = unsafe { System.alloc(Self::outer(layout).1) };
        // SAFETY: it is null or fresh.
        unsafe { self.begin(start, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        assert_ne!(layout.size(), 0, "an empty block");
        // SAFETY: the layout has a size.
        let start = unsafe { System.alloc_zeroed(Self::outer(layout).1) };
        // SAFETY: it is null or fresh.
        unsafe { self.begin(start, layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: a live block, as promised, has its header before it.
        let header = unsafe { block.cast::<Header>().sub(1) };
        // SAFETY: as above.
        let Header { thread, bytes, align } = unsafe { header.read() };
        assert_ne!(thread, 0, "block {block:?} is freed twice");
        let stored = (bytes as usize, align as usize);
        assert_eq!((layout.size(), layout.align()), stored, "layout of block {block:?}");
        // SAFETY: as above.
        unsafe { header.write(Header { thread: 0, bytes, align }) };
        add(&self.frees, 1);
        add(&self.foreign_frees, u64::from(thread != thread_number()));
        self.live_bytes.fetch_sub(u64::from(bytes), Ordering::Relaxed);
        let (offset, outer) = Self::outer(layout);
        // SAFETY: the block is at this offset of what was allocated.
        let start = unsafe { block.sub(offset) };
        // SAFETY: that is live and has this layout.
        unsafe { System.dealloc(start, outer) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        add(&self.reallocations, 1);
        let new = Layout::from_size_align(bytes, layout.align()).expect("the caller's promise");
        // SAFETY: the new size is not 0, as promised.
        let moved = unsafe { self.alloc(new) };
        // SAFETY: both blocks are live and have the smaller size at least.
        unsafe { ptr::copy_nonoverlapping(block, moved, layout.size().min(bytes)) };
        // SAFETY: the block is live with this layout, as promised.
        unsafe { self.dealloc(block, layout) };
        moved
    }
}

/// Returns the class of a size.
#[must_use]
pub fn class(bytes: u32) -> usize {
    bytes.next_power_of_two().trailing_zeros() as usize
}

fn add(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Ordering::Relaxed);
}

/// Returns this thread's number, from 1.
fn thread_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    if NUMBER.get() == 0 {
        NUMBER.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
    }
    NUMBER.get()
}
