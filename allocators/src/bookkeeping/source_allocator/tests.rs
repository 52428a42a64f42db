//! Tests over a source that counts, refuses and unwinds on order.

use core::alloc::GlobalAlloc;
use core::cell::Cell;
use std::alloc::System;
use std::vec::Vec;

use super::*;
use crate::testing::test_backing::{misuse_of, panic_of};

/// What a call of the source does from a given number on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Refuses,
    Unwinds,
}

/// The system's heap, counted.
#[derive(Default)]
struct Counted {
    live: Cell<usize>,
    bytes: Cell<usize>,
    calls: Cell<u32>,
    /// The call that is at fault.
    fault: Cell<Option<(u32, Fault)>>,
}

impl Counted {
    fn state(&self) -> (usize, usize) {
        (self.live.get(), self.bytes.get())
    }

    /// Puts a fault at the call of that number from now, the first being number 0.
    fn set_fault(&self, number: u32, fault: Fault) {
        self.calls.set(0);
        self.fault.set(Some((number, fault)));
    }

    /// Returns `true` if the call was made.
    fn clear_fault(&self) -> bool {
        self.fault.take().is_some_and(|(number, _)| self.calls.get() > number)
    }
}

// SAFETY: each block is the system's own, with the layout asked for.
unsafe impl BlockSource for &Counted {
    fn take(&self, layout: Layout, is_zeroed: bool) -> Result<NonNull<u8>, AllocError> {
        assert!(layout.size() > 0, "no source serves a size of zero");
        let number = self.calls.replace(self.calls.get() + 1);
        match self.fault.get() {
            Some((at, Fault::Refuses)) if at == number => return Err(AllocError),
            Some((at, Fault::Unwinds)) if at == number => panic!("the source unwinds"),
            _ => {}
        }
        // SAFETY: the layout has a size.
        let block = unsafe { System.alloc(layout) };
        let block = NonNull::new(block).ok_or(AllocError)?;
        let fill = if is_zeroed { 0 } else { 0xa5 };
        // SAFETY: the block is as long.
        unsafe { block.write_bytes(fill, layout.size()) };
        self.live.set(self.live.get() + 1);
        self.bytes.set(self.bytes.get() + layout.size());
        Ok(block)
    }

    unsafe fn give_back(&self, block: NonNull<u8>, layout: Layout) {
        self.live.set(self.live.get() - 1);
        self.bytes.set(self.bytes.get() - layout.size());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(block.as_ptr(), layout) }
    }
}

const LAYOUT: Layout = Layout::new::<[u64; 4]>();

#[test]
fn every_block_goes_back_with_its_layout() {
    let source = Counted::default();
    let allocator = SourceAllocator::new("source", &source);
    let layouts = [(0, 1), (1, 1), (24, 8), (4096, 4096), (100_000, 64)];
    let layouts = layouts.map(|(size, align)| Layout::from_size_align(size, align).expect("one"));
    let blocks: Vec<_> = layouts
        .iter()
        .map(|layout| allocator.allocate(*layout).expect("there is memory").cast::<u8>())
        .collect();
    let requested = 1 + 1 + 24 + 4096 + 100_000;
    let table = allocator.overhead_bytes();
    assert_eq!(source.state(), (6, requested + table), "a table, and a block for each");
    assert_eq!((allocator.stats().live, allocator.stats().requested), (5, requested));
    assert_eq!(allocator.verify(), Ok(()));
    for (index, block) in blocks.into_iter().enumerate() {
        if index % 2 == 0 {
            // SAFETY: the block is live and not used again.
            unsafe { allocator.deallocate(block) };
        } else {
            // SAFETY: as above, and this is its layout.
            unsafe { allocator.deallocate_sized(block, layouts[index]) };
        }
    }
    assert_eq!(source.state(), (1, table), "the table is left");
    drop(allocator);
    assert_eq!(source.state(), (0, 0), "nothing is left");
}

/// Fills an allocator with blocks until its table has grown twice, and frees them.
fn fill(allocator: &dyn Allocator) -> Result<(), AllocError> {
    let mut blocks = Vec::new();
    let mut result = Ok(());
    for _ in 0..100 {
        match allocator.allocate(LAYOUT) {
            Ok(block) => blocks.push(block.cast::<u8>()),
            Err(error) => result = Err(error),
        }
    }
    assert_eq!((allocator.stats().live, allocator.verify()), (blocks.len(), Ok(())));
    for block in blocks {
        // SAFETY: the block is live and not used again.
        unsafe { allocator.deallocate(block) };
    }
    result
}

#[test]
fn every_call_of_the_source_can_be_refused() {
    let mut refused = 0;
    for number in 0.. {
        let source = Counted::default();
        let allocator = SourceAllocator::new("source", &source);
        source.set_fault(number, Fault::Refuses);
        let result = fill(&allocator);
        let was_reached = source.clear_fault();
        assert_eq!(result.is_err(), was_reached, "call {number}");
        assert_eq!(allocator.stats().live, 0, "call {number}");
        assert_eq!(source.bytes.get(), allocator.overhead_bytes(), "call {number}");
        drop(allocator);
        assert_eq!(source.state(), (0, 0), "call {number}");
        if !was_reached {
            break;
        }
        refused += 1;
    }
    // A block each, and three tables.
    assert_eq!(refused, 100 + 3, "each call was refused once");
}

#[test]
fn a_source_that_unwinds_leaves_nothing() {
    for number in 0..3 {
        let source = Counted::default();
        let allocator = SourceAllocator::new("source", &source);
        source.set_fault(number, Fault::Unwinds);
        let mut block = None;
        let said = panic_of(|| {
            block = allocator.allocate(LAYOUT).ok();
            let _ = allocator.allocate(LAYOUT);
        });
        assert!(said.contains("the source unwinds"), "{said}");
        assert!(source.clear_fault(), "call {number}");
        let live = usize::from(block.is_some());
        assert_eq!((allocator.stats().live, allocator.verify()), (live, Ok(())), "call {number}");
        let bytes = live * LAYOUT.size() + allocator.overhead_bytes();
        assert_eq!(source.bytes.get(), bytes, "call {number}");
        if let Some(block) = block {
            // SAFETY: the block is live and not used again.
            unsafe { allocator.deallocate(block.cast()) };
        }
    }
}

#[test]
fn a_block_that_is_resized_moves_with_its_bytes() {
    let source = Counted::default();
    let allocator = SourceAllocator::new("source", &source);
    let block = allocator.allocate_zeroed(LAYOUT).expect("there is memory");
    let wide = Layout::from_size_align(3000, 64).expect("one");
    // SAFETY: the block is live and has this layout.
    let same = unsafe { allocator.reallocate(block.cast(), LAYOUT, LAYOUT) };
    assert_eq!((same, source.live.get()), (Ok(block), 2), "nothing is moved");
    // SAFETY: as above.
    let moved = unsafe { allocator.reallocate(block.cast(), LAYOUT, wide) }.expect("memory");
    assert!(moved.len() == 3000 && moved.cast::<u8>().addr().get().is_multiple_of(64));
    // SAFETY: the block is live and the source has written all of it.
    let kept = unsafe { &moved.as_ref()[..LAYOUT.size()] };
    assert!(kept.iter().all(|byte| *byte == 0), "kept");
    source.set_fault(0, Fault::Refuses);
    // SAFETY: as above.
    let refused = unsafe { allocator.reallocate(moved.cast(), wide, LAYOUT) };
    assert_eq!((refused, source.clear_fault()), (Err(AllocError), true));
    assert_eq!(allocator.stats().live, 1, "the old block is as it was");
    // SAFETY: the block is live, of this layout, and not used again.
    unsafe { allocator.deallocate_sized(moved.cast(), wide) };
}

#[test]
fn a_wrong_free_never_reaches_the_source() {
    let source = Counted::default();
    let allocator = SourceAllocator::new("source", &source);
    let block: NonNull<u8> = allocator.allocate(LAYOUT).expect("there is memory").cast();
    // SAFETY: the block has 32 bytes.
    let inside = unsafe { block.add(8) };
    let aligned = Layout::from_size_align(32, 32).expect("one");
    let before = source.state();
    // SAFETY: so here and below, the call finds that the free is wrong.
    let said = misuse_of(|| unsafe { allocator.deallocate(inside) });
    assert!(said.contains("`source`") && said.contains("interior free"), "{said}");
    // SAFETY: see above.
    let said = misuse_of(|| unsafe { allocator.deallocate_sized(block, aligned) });
    assert!(said.contains("wrong size"), "{said}");
    assert_eq!(source.state(), before, "the source has heard of none");
    // SAFETY: the block is live and not used again.
    unsafe { allocator.deallocate(block) };
    let before = source.state();
    // SAFETY: see above.
    let said = misuse_of(|| unsafe { allocator.deallocate(block) });
    assert!(said.contains("double free"), "{said}");
    assert_eq!((source.state(), allocator.verify()), (before, Ok(())));
}

#[test]
fn a_leak_is_reported_and_the_table_is_freed() {
    let source = Counted::default();
    let mut left = None;
    let said = panic_of(|| {
        let allocator = SourceAllocator::new("source", &source);
        left = allocator.allocate(LAYOUT).ok();
    });
    assert!(said.contains("`source`") && said.contains("tests.rs"), "{said}");
    assert_eq!(source.state(), (1, LAYOUT.size()), "the leaked block alone");
    let block: NonNull<u8> = left.expect("there was memory").cast();
    // SAFETY: only this test uses the block, which is live in the source.
    unsafe { (&source).give_back(block, LAYOUT) };
}
