//! Random free and allocate of blocks of many sizes, in a heap that names them by ids.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{BlockId, HandleHeap};

use crate::blocks::{look_at, words};
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;
use crate::work::mixed::Sizes;

/// A heap with its live blocks.
struct Live {
    heap: HandleHeap<'static, Heap>,
    ids: Box<[BlockId]>,
    sizes: Sizes,
    next: usize,
    random: Random,
}

/// Returns a contender that frees a random block of `count` and takes one of the next size, over
/// and over.
pub(crate) fn churn(name: &'static str, count: u32, pairs: u32, sizes: &Sizes) -> Contender {
    let mut heap = HandleHeap::new_in(&HEAP);
    let mut ids: Box<[BlockId]> =
        (0..count as usize).map(|place| take(&mut heap, sizes.at(place))).collect();
    let mut random = Random::new(4096);
    random.shuffle(&mut ids);
    let mut live = Live { heap, ids, sizes: sizes.clone(), next: count as usize, random };
    Contender::new(name, move || {
        let ns = clock::time(|| live.churn(pairs));
        Pass { ns, operations: u64::from(pairs) }
    })
}

impl Live {
    #[inline(never)]
    fn churn(&mut self, pairs: u32) {
        for _ in 0..pairs {
            let slot = self.random.below(self.ids.len() as u32) as usize;
            assert!(self.heap.free(self.ids[slot]).is_ok(), "every id in the table is live");
            look_at(&mut self.heap);
            self.ids[slot] = take(&mut self.heap, self.sizes.at(self.next));
            self.next = self.next.wrapping_add(1);
        }
    }
}

/// Takes a block and writes its first word, as the workload of allocators does.
#[inline(always)]
fn take<A: Allocator>(heap: &mut HandleHeap<'_, A>, bytes: u32) -> BlockId {
    let id = heap.allocate(bytes as usize, 8);
    look_at(heap);
    let first = heap.bytes_mut(id).and_then(|block| block.first_chunk_mut::<8>());
    if let Some(first) = first {
        *first = u64::from(bytes).to_le_bytes();
    }
    id
}

/// How many blocks there are at most in [`memory_after_churn`].
const BLOCKS: usize = 40_000;

/// Which blocks of the given number of are freed, and their sizes: fill, exchange all twice over,
/// free three of four.
fn script(mut step: impl FnMut(usize, Option<u32>)) {
    let sizes = Sizes::uniform(16, 2048);
    let mut random = Random::new(2048);
    for place in 0..BLOCKS {
        step(place, Some(sizes.at(place)));
    }
    for next in 0..2 * BLOCKS {
        step(random.below(BLOCKS as u32) as usize, Some(sizes.at(next * 3)));
    }
    for place in (0..BLOCKS).filter(|place| place % 4 != 0) {
        step(place, None);
    }
}

/// Returns the memory that a heap of ours holds of the system's for each live byte after a churn
/// that left a quarter of the blocks: compacted, and as an allocator that cannot move them has it.
pub(crate) fn memory_after_churn() -> [f64; 2] {
    [compacted(), unmoved()]
}

fn compacted() -> f64 {
    let pages = PageAllocator::new("pages");
    let mut heap = HandleHeap::new_in(&pages);
    let mut ids: Vec<Option<BlockId>> = vec![None; BLOCKS];
    script(|place, bytes| {
        if let Some(id) = ids[place].take() {
            assert!(heap.free(id).is_ok(), "every id in the table is live");
        }
        ids[place] = bytes.map(|bytes| take(&mut heap, bytes));
    });
    while !heap.compact(64 << 10).done {}
    heap.try_shrink_to_fit().expect("the machine has memory");
    pages.stats().reserved as f64 / heap.stats().live_bytes as f64
}

fn unmoved() -> f64 {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut blocks = vec![None; BLOCKS];
    let mut live_bytes = 0;
    let free = |block: &mut Option<(core::ptr::NonNull<u8>, u32)>, live_bytes: &mut u64| {
        if let Some((block, bytes)) = block.take() {
            // SAFETY: the block was taken with this layout, and the table forgets it here.
            unsafe { heap.deallocate_sized(block, words(bytes)) };
            *live_bytes -= u64::from(bytes);
        }
    };
    script(|place, bytes| {
        free(&mut blocks[place], &mut live_bytes);
        blocks[place] = bytes.map(|bytes| {
            let block = heap.allocate(words(bytes)).expect("the machine has memory");
            live_bytes += u64::from(bytes);
            (block.cast(), bytes)
        });
    });
    let figure = pages.stats().reserved as f64 / live_bytes as f64;
    for block in &mut blocks {
        free(block, &mut live_bytes);
    }
    figure
}
