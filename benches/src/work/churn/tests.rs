//! Tests of the churn and its contenders.

use std::collections::BTreeSet;

use super::*;
use crate::peers::bare_list::BareList;
use crate::peers::slab_keys::SlabKeys;
use crate::rows::pool::pool;
use crate::uncounted;

/// Churns and looks whether the live blocks are still as many different ones.
fn stays_whole<A: OneSize>(allocator: A)
where
    A::Handle: Ord,
{
    let mut filled = Filled::new(allocator, LIVE);
    let pass = filled.churn(30_000);
    assert_eq!(pass.operations, 30_000);
    let different: BTreeSet<A::Handle> = filled.live.iter().copied().collect();
    assert_eq!(different.len(), LIVE as usize);
}

#[test]
fn every_contender_of_one_size_keeps_its_blocks_apart() {
    stays_whole(pool());
    stays_whole(BareList::new(LIVE));
    stays_whole(SlabKeys::new());
    let backing = &crate::memory::PAGES;
    stays_whole(crate::blocks::Ours(uncounted::pool::PoolAllocator::new_in(
        "uncounted",
        BLOCK,
        backing,
    )));
}

#[test]
fn the_uncounted_pool_counts_nothing_and_the_pool_all() {
    use loligo_allocators::Allocator;

    let backing = &crate::memory::PAGES;
    let counted = loligo_allocators::PoolAllocator::new_in("pool", BLOCK, backing);
    let uncounted = uncounted::pool::PoolAllocator::new_in("uncounted", BLOCK, backing);
    let pools: [(&dyn Allocator, u64); 2] = [(&counted, 1), (&uncounted, 0)];
    for (pool, counts) in pools {
        let block = pool.allocate(BLOCK).expect("there is memory").cast();
        assert_eq!(pool.stats().allocations_total, counts);
        assert_eq!(pool.stats().requested_total, 64 * counts);
        // SAFETY: the block is live, has this layout and is freed once.
        unsafe { pool.deallocate_sized(block, BLOCK) };
        assert_eq!(pool.stats().live, 0);
    }
}
