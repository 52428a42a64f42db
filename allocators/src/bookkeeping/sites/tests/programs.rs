//! Random programs over each allocator with sites: every live block shows its call site.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use crate::bookkeeping::sites::{Site, Sites};
use crate::contract::allocator::{AllocError, Allocator, Block};
use crate::testing::test_backing::{Random, TestBacking};
use crate::{BuddyAllocator, FrameAllocator, HeapAllocator, PoolAllocator, SlabAllocator};

type Asked = Result<NonNull<[u8]>, AllocError>;
type Ask = fn(&dyn Allocator, Layout) -> (Asked, u32);

/// The allocating lines, each with the number of its line.
const ASKING: [Ask; 4] = [
    |allocator, layout| (allocator.allocate(layout), line!()),
    |allocator, layout| (allocator.allocate(layout), line!()),
    |allocator, layout| (allocator.allocate_zeroed(layout), line!()),
    |allocator, layout| (allocator.allocate_zeroed(layout), line!()),
];

/// The expected state of the live blocks.
type Live = BTreeMap<NonNull<u8>, (Layout, u32)>;

fn shown(allocator: &dyn Allocator) -> Vec<Block> {
    let mut blocks = Vec::new();
    allocator.walk(&mut |block| blocks.push(block));
    blocks
}

/// Compares the allocator's walk with the live blocks.
fn compare(allocator: &dyn Allocator, live: &Live, context: &str) {
    let shown = shown(allocator);
    assert_eq!(shown.len(), live.len(), "{context}");
    for block in shown {
        let (_, line) = live.get(&block.address).unwrap_or_else(|| panic!("{context}: {block:?}"));
        let site: Site = block.site.unwrap_or_else(|| panic!("{context}: {block:?} has no site"));
        assert_eq!((site.file(), site.line()), (file!(), *line), "{context}: {block:?}");
    }
    allocator.verify().unwrap_or_else(|damage| panic!("{context}: {damage}"));
}

/// Allocates, frees and resizes at random, blocks of up to `most` bytes.
pub(super) fn run(allocator: &dyn Allocator, most: usize, seed: u64) {
    let mut random = Random::new(seed);
    let mut live = Live::new();
    for step in 0..1500 {
        let context = std::format!("`{}` seed {seed} step {step}", allocator.name());
        let bytes = if random.below(4) == 0 { random.below(most + 1) } else { random.below(65) };
        let layout = Layout::from_size_align(bytes, 1 << random.below(4)).expect("a layout");
        let chosen = live.iter().nth(random.below(live.len().max(1)));
        let chosen = chosen.map(|(&block, &(layout, line))| (block, layout, line));
        match (random.below(8), chosen) {
            (0..=3, _) => {
                let (block, line) = ASKING[random.below(ASKING.len())](allocator, layout);
                if let Ok(block) = block {
                    live.insert(block.cast(), (layout, line));
                }
            }
            (4, Some((block, ..))) => {
                live.remove(&block);
                // SAFETY: the block is live and not used again.
                unsafe { allocator.deallocate(block) };
            }
            (5, Some((block, layout, _))) => {
                live.remove(&block);
                // SAFETY: the block is live, has this layout and is not used again.
                unsafe { allocator.deallocate_sized(block, layout) };
            }
            (6, Some((block, old, line))) => {
                // SAFETY: the block is live and has this layout.
                if let Ok(moved) = unsafe { allocator.reallocate(block, old, layout) } {
                    live.remove(&block);
                    live.insert(moved.cast(), (layout, line));
                }
            }
            (_, Some((block, old, line))) => {
                let new = Layout::from_size_align(bytes, old.align()).expect("a layout");
                // SAFETY: the block is live and has this layout.
                if unsafe { allocator.resize_in_place(block, old, new) }.is_ok() {
                    live.insert(block, (new, line));
                }
            }
            _ => {}
        }
        if step % 16 == 0 {
            compare(allocator, &live, &context);
        }
    }
    compare(allocator, &live, "at the end");
    for (&block, &(layout, _)) in &live {
        // SAFETY: the block is live, has this layout and is not used again.
        unsafe { allocator.deallocate_sized(block, layout) };
    }
    assert_eq!(shown(allocator), [], "all is freed");
}

#[test]
fn each_block_shows_who_asked() {
    for seed in 1..=6 {
        let books = TestBacking::new();
        let memory = TestBacking::new();
        let block = Layout::new::<[u64; 9]>();
        run(
            &PoolAllocator::new_in("pool", block, &memory).with_sites(Sites::new_in(&books)),
            72,
            seed,
        );
        let heap = HeapAllocator::with_region_bytes_in("heap", 64 << 10, &memory);
        run(&heap.with_sites(Sites::new_in(&books)), 8000, seed);
        let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &memory);
        run(&slab.with_sites(Sites::new_in(&books)), 20_000, seed);
        let buddy = BuddyAllocator::new_in("buddy", 1 << 20, 16, &memory).expect("there is memory");
        run(&buddy.with_sites(Sites::new_in(&books)), 8000, seed);
        let frame = FrameAllocator::new_in("frame", 4 << 20, &memory).expect("there is memory");
        run(&frame.with_sites(Sites::new_in(&books)), 800, seed);
        assert_eq!((books.stats().live, memory.stats().live), (0, 0), "seed {seed}");
    }
}

#[test]
fn a_freed_block_has_none() {
    let books = TestBacking::new();
    let mut memory = vec![MaybeUninit::uninit(); 64 << 10];
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let heap = heap.with_sites(Sites::new_in(&books));
    let layout = Layout::new::<[u8; 40]>();
    let (block, line) = ASKING[0](&heap, layout);
    let block = block.expect("there is room").cast::<u8>();
    assert_eq!(heap.sites().site_of(block).map(|site| site.line()), Some(line));
    // SAFETY: the block is live and not used again.
    unsafe { heap.deallocate(block) };
    assert_eq!(heap.sites().site_of(block), None);
    assert_eq!(heap.sites().count(), 0);
}
