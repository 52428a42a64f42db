//! The heap against a naive model, its promises one by one, and planted damage.

mod regions;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;
use std::{format, println, vec};

use super::HeapAllocator;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::{Report, set_misuse_handler};

/// xorshift64: the seed is printed, so a failure can be repeated.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// A size drawn by bit length, so that small and large ones are equally frequent.
    pub(crate) fn size(&mut self, bits: usize) -> usize {
        let length = self.below(bits);
        self.below(1 << length) + (1 << length) - 1
    }
}

fn memory(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); bytes]
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("a valid layout")
}

/// Runs `act` and returns the message of the misuse report that it ends in.
pub(crate) fn misuse_of(act: impl FnOnce()) -> String {
    fn handler(report: &Report<'_>) -> ! {
        std::panic::panic_any(format!("{report}"));
    }
    set_misuse_handler(Some(handler));
    let caught = catch_unwind(AssertUnwindSafe(act)).expect_err("a report was due");
    *caught.downcast::<String>().expect("the handler's message")
}

/// Live blocks by address, with layout and fingerprint.
struct Model<'a> {
    heap: &'a dyn Allocator,
    live: BTreeMap<usize, (NonNull<u8>, Layout, usize, u8)>,
    random: Random,
}

impl Model<'_> {
    fn allocate(&mut self, layout: Layout) -> bool {
        let zeroed = self.random.below(4) == 0;
        let served =
            if zeroed { self.heap.allocate_zeroed(layout) } else { self.heap.allocate(layout) };
        let Ok(block) = served else { return false };
        let start = block.cast::<u8>();
        if zeroed {
            // SAFETY: a zeroed block is initialised over its whole length.
            let bytes = unsafe { block.as_ref() };
            assert!(bytes.iter().all(|&b| b == 0), "allocate_zeroed left something");
        }
        self.insert(start, layout, block.len());
        true
    }

    fn insert(&mut self, start: NonNull<u8>, layout: Layout, granted: usize) {
        let address = start.addr().get();
        assert!(address.is_multiple_of(layout.align()), "{address:#x} for {layout:?}");
        assert!(granted >= layout.size().max(1), "{granted} granted for {layout:?}");
        let before = self.live.range(..address + granted).next_back();
        if let Some((&other, &(_, _, bytes, _))) = before {
            assert!(other + bytes <= address, "{other:#x} + {bytes} overlaps {address:#x}");
        }
        let print = self.random.below(256) as u8;
        // SAFETY: the block is ours and has `granted` bytes.
        unsafe { start.write_bytes(print, granted) };
        self.live.insert(address, (start, layout, granted, print));
    }

    fn take(&mut self) -> Option<(NonNull<u8>, Layout, usize)> {
        let nth = self.random.below(self.live.len().max(1));
        let address = *self.live.keys().nth(nth)?;
        let (start, layout, granted, print) = self.live.remove(&address)?;
        let slice = NonNull::slice_from_raw_parts(start, granted);
        // SAFETY: the block is live and was written over its whole length.
        let bytes = unsafe { slice.as_ref() };
        assert!(bytes.iter().all(|&b| b == print), "the block at {address:#x} was written to");
        Some((start, layout, granted))
    }

    fn free(&mut self) {
        let Some((start, layout, _)) = self.take() else {
            return;
        };
        if self.random.below(2) == 0 {
            // SAFETY: the block is live and not used again.
            unsafe { self.heap.deallocate(start) };
        } else {
            // SAFETY: the same, with its layout.
            unsafe { self.heap.deallocate_sized(start, layout) };
        }
    }

    fn resize(&mut self, bits: usize) {
        let Some((start, old, granted)) = self.take() else {
            return;
        };
        let new = layout(self.random.size(bits), old.align());
        let in_place = self.random.below(2) == 0;
        let resized = if in_place {
            // SAFETY: the block is live with this layout.
            unsafe { self.heap.resize_in_place(start, old, new) }
        } else {
            // SAFETY: the same.
            unsafe { self.heap.reallocate(start, old, new) }
        };
        match resized {
            Ok(block) => {
                assert!(!in_place || block.cast() == start, "resized in place, but moved");
                self.insert(block.cast(), new, block.len());
            }
            Err(AllocError) => self.insert(start, old, granted),
        }
    }

    fn check(&self) {
        self.heap.verify().expect("the structure is whole");
        let stats = self.heap.stats();
        assert_eq!(stats.live, self.live.len(), "live blocks");
        assert!(stats.requested <= stats.granted, "{stats:?}");
        assert!(stats.granted <= stats.reserved, "{stats:?}");
        assert!(stats.granted <= stats.peak_granted, "{stats:?}");
        let sizes: usize = self.live.values().map(|&(_, _, granted, _)| granted).sum();
        assert_eq!(stats.granted, sizes, "granted bytes");
        let mut seen = 0;
        self.heap.walk(&mut |block| {
            seen += 1;
            let known = self.live.get(&block.address.addr().get());
            assert_eq!(known.map(|b| b.2), Some(block.bytes), "block {block:?}");
        });
        assert_eq!(seen, self.live.len(), "walked blocks");
    }
}

pub(crate) fn run_model(heap: &dyn Allocator, seed: u64, steps: usize, bits: usize, most: usize) {
    let mut model = Model { heap, live: BTreeMap::new(), random: Random::new(seed) };
    for step in 0..steps {
        // Phases: mostly allocating, then mostly freeing, so that pages fill and empty.
        let growing = step / 700 % 2 == 0 && model.live.len() < most;
        match model.random.below(10) {
            0..=1 => model.resize(bits),
            2..=7 if growing => {
                let align =
                    if model.random.below(8) == 0 { 1 << model.random.below(14) } else { 8 };
                let bytes = model.random.size(bits);
                model.allocate(layout(bytes, align));
            }
            _ => model.free(),
        }
        if step % 97 == 0 {
            model.check();
        }
    }
    model.check();
    while !model.live.is_empty() {
        model.free();
    }
    model.check();
}

#[test]
fn a_fixed_region_agrees_with_the_model() {
    for seed in 1..=12 {
        let mut memory = memory(512 << 10);
        let heap = HeapAllocator::from_region("model", &mut memory);
        run_model(&heap, seed, 4000, 15, 2000);
    }
}

#[test]
fn small_blocks_alone_agree_with_the_model() {
    for seed in 20..=28 {
        let mut memory = memory(192 << 10);
        let heap = HeapAllocator::from_region("model", &mut memory);
        run_model(&heap, seed, 6000, 9, 3000);
    }
}

#[test]
fn a_growing_heap_agrees_with_the_model_and_gives_everything_back() {
    for seed in 40..=48 {
        let mut memory = memory(4 << 20);
        let below = HeapAllocator::from_region("below", &mut memory);
        {
            let heap = HeapAllocator::with_region_bytes_in("above", 64 << 10, &below);
            run_model(&heap, seed, 4000, 15, 2000);
            heap.shrink();
            assert_eq!(heap.stats().reserved, 0, "all regions were given back");
            assert_eq!(below.stats().live, 0, "all regions were given back");
        }
        below.verify().expect("the structure is whole");
    }
}

/// Fills, frees all but a few, and fills with the next size: pages must be divided, and every block
/// must still be found.
#[test]
fn class_shift_divides_sparse_pages() {
    let mut memory = memory(3 << 20);
    let heap = HeapAllocator::from_region("shift", &mut memory);
    let mut random = Random::new(7);
    let mut survivors: Vec<(NonNull<u8>, Layout, u8)> = Vec::new();
    for phase in 1..=20 {
        let size = layout(24 * phase, 8);
        let mut blocks = Vec::new();
        for _ in 0..(1 << 20) / size.size() {
            let block = heap.allocate(size).expect("the region holds a phase and the survivors");
            // SAFETY: the block is ours.
            unsafe { block.cast::<u8>().write_bytes(phase as u8, size.size()) };
            blocks.push(block.cast::<u8>());
        }
        heap.verify().expect("the structure is whole");
        for block in blocks {
            if random.below(50) == 0 {
                survivors.push((block, size, phase as u8));
            } else {
                // SAFETY: the block is live with this layout.
                unsafe { heap.deallocate_sized(block, size) };
            }
        }
        heap.verify().expect("the structure is whole");
    }
    for (block, size, print) in survivors {
        let slice = NonNull::slice_from_raw_parts(block, size.size());
        // SAFETY: the block is live and was written over its whole length.
        let bytes = unsafe { slice.as_ref() };
        assert!(bytes.iter().all(|&b| b == print), "a survivor was written to");
        // SAFETY: the block is live with this layout.
        unsafe { heap.deallocate_sized(block, size) };
    }
    heap.verify().expect("the structure is whole");
    assert_eq!(heap.stats().live, 0, "everything was freed");
}

#[test]
fn a_full_region_refuses_and_serves_again_after_a_free() {
    let mut memory = memory(64 << 10);
    let heap = HeapAllocator::from_region("full", &mut memory);
    for size in [1, 16, 100, 496, 497, 3000] {
        let size = layout(size, 8);
        let mut blocks: Vec<_> = core::iter::from_fn(|| heap.allocate(size).ok()).collect();
        let before = heap.stats();
        assert_eq!(heap.allocate(size), Err(AllocError), "full");
        assert_eq!(heap.stats(), before, "a refusal changes nothing");
        let last = blocks.pop().expect("at least one fits");
        // SAFETY: the block is live with this layout.
        unsafe { heap.deallocate_sized(last.cast(), size) };
        blocks.push(heap.allocate(size).expect("one was freed"));
        for block in blocks {
            // SAFETY: the block is live with this layout.
            unsafe { heap.deallocate_sized(block.cast(), size) };
        }
        heap.verify().expect("the structure is whole");
    }
}

#[test]
fn absurd_requests_are_refused_without_a_change() {
    let mut memory = memory(64 << 10);
    let heap = HeapAllocator::from_region("absurd", &mut memory);
    let before = heap.stats();
    for bytes in [isize::MAX as usize - 4096, 1 << (usize::BITS - 2), 65536] {
        assert_eq!(heap.allocate(layout(bytes, 1)), Err(AllocError), "{bytes} bytes");
    }
    assert_eq!(heap.allocate(layout(8, 1 << (usize::BITS - 2))), Err(AllocError), "too aligned");
    assert_eq!(heap.stats(), before, "nothing changed");
    let mut tiny = [MaybeUninit::uninit(); 64];
    let none = HeapAllocator::from_region("tiny", &mut tiny);
    assert_eq!(none.allocate(layout(1, 1)), Err(AllocError), "no page fits");
}

#[test]
fn wrong_frees_are_found_before_anything_is_touched() {
    let mut memory = memory(256 << 10);
    let heap = HeapAllocator::from_region("judge", &mut memory);
    let outside = NonNull::from(Box::leak(Box::new(0_u64)));
    for size in [16, 48, 496, 600, 5000] {
        let size = layout(size, 8);
        let kept = heap.allocate(size).expect("room").cast::<u8>();
        let block = heap.allocate(size).expect("room").cast::<u8>();
        // SAFETY: the address is inside the block; the misuse is the point of the test.
        let inside = unsafe { block.add(8) };
        assert!(misuse_of(|| free(&heap, inside)).contains("interior free"), "{size:?}");
        assert!(misuse_of(|| free(&heap, outside.cast())).contains("foreign free"), "{size:?}");
        let larger = layout(size.size() + 64, 8);
        // SAFETY: none: the layout is wrong, which is the point of the test.
        let wrong = misuse_of(|| unsafe { heap.deallocate_sized(block, larger) });
        assert!(wrong.contains("wrong size") && wrong.contains("`judge`"), "{wrong}");
        free(&heap, block);
        assert!(misuse_of(|| free(&heap, block)).contains("double free"), "{size:?}");
        free(&heap, kept);
        assert!(misuse_of(|| free(&heap, kept)).contains("double free"), "{size:?}");
        heap.verify().expect("the structure is whole");
    }
    // SAFETY: it was leaked from a box above.
    drop(unsafe { Box::from_raw(outside.as_ptr()) });
}

fn free(heap: &HeapAllocator<'_>, block: NonNull<u8>) {
    // SAFETY: tests that break the promise do so to see the report.
    unsafe { heap.deallocate(block) };
}

#[test]
fn a_double_free_is_found_however_many_frees_came_between() {
    let mut memory = memory(256 << 10);
    let heap = HeapAllocator::from_region("late", &mut memory);
    let size = layout(64, 8);
    let blocks: Vec<_> = (0..500).map(|_| heap.allocate(size).expect("room").cast()).collect();
    for &block in &blocks {
        free(&heap, block);
    }
    for &block in &blocks {
        assert!(misuse_of(|| free(&heap, block)).contains("double free"), "{block:?}");
    }
}

// The tools report the write itself, which is planted.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn an_overflow_into_a_header_is_found() {
    let mut memory = memory(256 << 10);
    let heap = HeapAllocator::from_region("flood", &mut memory);
    let size = layout(1000, 8);
    let first = heap.allocate(size).expect("room");
    let second = heap.allocate(size).expect("room").cast::<u8>();
    let end = first.len();
    // SAFETY: the 8 bytes after the block are the next header, inside the region.
    let header = unsafe { first.cast::<u8>().add(end) };
    // SAFETY: the same; writing there is the point of the test.
    unsafe { header.write_bytes(0xee, 8) };
    assert!(heap.verify().is_err(), "verify sees the damage");
    assert!(misuse_of(|| free(&heap, second)).contains("damage"), "the free sees it");
    core::mem::forget(heap);
}

// As above.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn a_write_into_freed_memory_is_found_when_it_would_matter() {
    let mut memory = memory(256 << 10);
    let heap = HeapAllocator::from_region("late write", &mut memory);
    let size = layout(2000, 8);
    let blocks: Vec<_> = (0..3).map(|_| heap.allocate(size).expect("room").cast::<u8>()).collect();
    free(&heap, blocks[1]);
    // SAFETY: the memory is the region's; the write after free is the point of the test.
    unsafe { blocks[1].write_bytes(0x5a, 16) };
    assert!(heap.verify().is_err(), "verify sees the damage");
    let found = misuse_of(|| {
        let _ = heap.allocate(size);
    });
    assert!(found.contains("damage"), "{found}");
    core::mem::forget(heap);
}

#[test]
fn a_leak_names_the_blocks_and_the_regions_still_go_back() {
    let mut memory = memory(1 << 20);
    let below = HeapAllocator::from_region("below", &mut memory);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let heap = HeapAllocator::with_region_bytes_in("leaky", 64 << 10, &below);
        for _ in 0..20 {
            heap.allocate(layout(40, 8)).expect("room");
        }
    }));
    let message = caught.expect_err("a leak panics").downcast::<String>().expect("a message");
    assert!(message.contains("`leaky`") && message.contains("20 live blocks"), "{message}");
    assert_eq!(message.matches(", 48 bytes").count(), 16, "the first 16 are listed: {message}");
    assert!(message.contains("and 4 more"), "{message}");
    assert_eq!(below.stats().live, 0, "the region went back");
}

#[test]
fn blocks_grow_into_the_free_memory_behind_them() {
    let mut memory = memory(256 << 10);
    let heap = HeapAllocator::from_region("grow", &mut memory);
    let (small, large) = (layout(1000, 8), layout(100_000, 8));
    let block = heap.allocate(small).expect("room").cast::<u8>();
    // SAFETY: the block is live with this layout.
    let grown = unsafe { heap.resize_in_place(block, small, large) }.expect("free memory after it");
    assert_eq!(grown.cast(), block, "it stays");
    // SAFETY: the block is live with the new layout.
    let shrunk =
        unsafe { heap.resize_in_place(block, large, small) }.expect("shrinking always fits");
    assert!(shrunk.len() < 1100, "{} bytes", shrunk.len());
    heap.verify().expect("the structure is whole");
    free(&heap, block);
}

#[test]
fn an_empty_region_goes_back_when_another_stands_empty() {
    let mut memory = memory(8 << 20);
    let below = HeapAllocator::from_region("below", &mut memory);
    let heap = HeapAllocator::with_region_bytes_in("above", 64 << 10, &below);
    let size = layout(20_000, 8);
    let blocks: Vec<_> = (0..60).map(|_| heap.allocate(size).expect("room").cast()).collect();
    let most = below.stats().live;
    assert!(most >= 4, "{most} regions");
    for block in blocks {
        // SAFETY: the block is live with this layout.
        unsafe { heap.deallocate_sized(block, size) };
    }
    assert_eq!(below.stats().live, 1, "one empty region is kept");
    heap.shrink();
    assert_eq!(below.stats().live, 0, "none after shrink");
}

/// A heap over a region or a backing that may cross threads may do so itself, in a lock for
/// instance.
const _: () = {
    const fn may_move<T: Send>() {}
    may_move::<HeapAllocator<'static>>();
    may_move::<HeapAllocator<'static, dyn Allocator + Sync>>();
};
