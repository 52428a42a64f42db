//! A heap that was large and is sparse: what stays resident, and what it costs to use it again.

use core::ptr::NonNull;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

use crate::blocks::{words, write_first};
use crate::clock;
use crate::contender::Pass;
use crate::memory::PAGES;

/// Bytes of a block.
const BLOCK_BYTES: u32 = 1 << 10;
/// Blocks of the row about resident memory, 600 MiB, and how many of them stay.
const MANY: usize = 600 << 10;
const KEPT: usize = 64;
/// Blocks of a pass of the row about faults, 16 MiB.
const FEW: usize = 16 << 10;
const PAGE_BYTES: u64 = 4096;

/// Fills a heap with 600 MiB of blocks of 1 KiB, frees all but 64, which are evenly apart, shrinks
/// it, and returns the MiB that are resident more than before.
pub(crate) fn resident_after_shrinking() -> f64 {
    let before = resident_bytes();
    let heap = HeapAllocator::new_in("sparse", &PAGES);
    let blocks = fill(&heap, MANY);
    let kept: Vec<_> = blocks.iter().copied().step_by(MANY / KEPT).collect();
    for (nth, block) in blocks.into_iter().enumerate() {
        if nth % (MANY / KEPT) != 0 {
            // SAFETY: the block is from `fill` and is freed once.
            unsafe { heap.deallocate_sized(block, words(BLOCK_BYTES)) };
        }
    }
    heap.shrink();
    let after = resident_bytes();
    for block in kept {
        // SAFETY: as above.
        unsafe { heap.deallocate_sized(block, words(BLOCK_BYTES)) };
    }
    (after.saturating_sub(before)) as f64 / f64::from(1 << 20)
}

/// A heap of which one block stays, so that its region does.
pub(crate) struct Sparse {
    heap: HeapAllocator<'static, PageAllocator>,
    shrinks: bool,
    first: NonNull<u8>,
}

impl Sparse {
    pub(crate) fn new(shrinks: bool) -> Self {
        let heap = HeapAllocator::new_in("sparse", &PAGES);
        let first = fill(&heap, 1)[0];
        Self { heap, shrinks, first }
    }

    /// Fills 16 MiB and frees them, then shrinks the heap outside of what is timed if it is to.
    /// A page is an operation.
    pub(crate) fn pass(&mut self) -> Pass {
        let ns = clock::time(|| {
            for block in fill(&self.heap, FEW) {
                // SAFETY: the block was just taken and is freed once.
                unsafe { self.heap.deallocate_sized(block, words(BLOCK_BYTES)) };
            }
        });
        if self.shrinks {
            self.heap.shrink();
        }
        Pass { ns, operations: FEW as u64 * u64::from(BLOCK_BYTES) / PAGE_BYTES }
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: the block is from `new` and is freed once.
        unsafe { self.heap.deallocate_sized(self.first, words(BLOCK_BYTES)) };
    }
}

/// The anonymous resident bytes of this process.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.expect("the system reports RssAnon") * 1024
}

fn fill(heap: &impl Allocator, count: usize) -> Vec<NonNull<u8>> {
    let take = |nth: usize| {
        let block = heap.allocate(words(BLOCK_BYTES)).expect("there is memory").cast();
        // SAFETY: the block is live and more than 8 bytes long.
        unsafe { write_first(block, nth as u64) };
        block
    };
    (0..count).map(take).collect()
}
