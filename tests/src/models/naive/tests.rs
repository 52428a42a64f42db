//! The reference allocator finds what looking at every granule would find.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::Allocator as _;

use super::{GRANULE, NaiveAllocator, granules_of};

const GRANULES: usize = 700;

/// The first place of a free stretch, by looking at all of them.
fn first(naive: &NaiveAllocator, granules: usize, align: usize) -> Option<usize> {
    let used = naive.used.borrow();
    (0..used.len()).find(|&start| {
        naive.skipped(start, align) == 0
            && used.get(start..start + granules).is_some_and(|stretch| stretch.not_any())
    })
}

#[test]
fn blocks_are_placed_first_whatever_came_before() {
    let naive = NaiveAllocator::new("naive", GRANULES * GRANULE);
    let mut state = 7_u64;
    let mut below = |end: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % end
    };
    let mut live: Vec<NonNull<u8>> = Vec::new();
    let mut refused = 0;
    for _ in 0..20_000 {
        if below(100) < 52 {
            // Longer than what is remembered, too.
            let most = if below(8) == 0 { 90 * GRANULE } else { 6 * GRANULE };
            let (size, align) = (1 + below(most), 1 << below(7));
            let layout = Layout::from_size_align(size, align).expect("a layout");
            let expected = first(&naive, granules_of(size), align).map(|start| naive.at(start));
            let block = naive.allocate(layout).ok().map(NonNull::cast);
            assert_eq!(block, expected, "{size} bytes at {align}");
            refused += usize::from(block.is_none());
            live.extend(block);
        } else if !live.is_empty() {
            let block = live.swap_remove(below(live.len()));
            // SAFETY: the block is live and forgotten here.
            unsafe { naive.deallocate(block) };
        }
    }
    assert!(refused > 100, "{refused} requests found no place");
    // SAFETY: each is live, and freed once.
    live.into_iter().for_each(|block| unsafe { naive.deallocate(block) });
}

#[test]
fn a_renewed_one_is_as_new() {
    let layout = Layout::from_size_align(5 * GRANULE, GRANULE).expect("a layout");
    let mut naive = NaiveAllocator::new("naive", GRANULES * GRANULE);
    let fresh = naive.stats();
    for _ in 0..3 {
        let blocks: Vec<NonNull<u8>> =
            (0..9).map(|_| naive.allocate(layout).expect("there is room").cast()).collect();
        assert_eq!(blocks[0], naive.at(0), "the first place is free");
        for block in blocks {
            // SAFETY: the block is live, and as long as the layout.
            let bytes = unsafe { block.cast::<[u8; 5 * GRANULE]>().as_mut() };
            assert_eq!(*bytes, [super::FRESH; 5 * GRANULE], "it has what it had at first");
            bytes.fill(1);
            // SAFETY: the block is live, and freed once.
            unsafe { naive.deallocate(block) };
        }
        naive.renew();
        assert_eq!(naive.stats(), fresh);
        naive.verify().expect("it is whole");
    }
}
