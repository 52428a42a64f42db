//! What a pool takes memory for, and what it does without any.

#[cfg(any(unix, windows))]
use loligo_allocators::PageAllocator;
use loligo_allocators::{Allocator, Refusals};

use super::Pool;
use crate::error::GrowError;
#[cfg(any(unix, windows))]
use crate::pools::list_pool::list::Head;
use crate::pools::list_pool::{List, ListPool};
use crate::testing::test_memory::with_memory;

/// Puts items into a list of their own until no node is free.
fn fill(pool: &mut Pool<'_, u32, 4>) {
    let list = pool.create();
    while pool.stats().free > 0 {
        pool.extend_from_slice(list, &[0; 4]);
    }
}

#[test]
fn what_fits_into_the_last_node_needs_no_other() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        let list = pool.create();
        pool.push(list, 3);
        fill(&mut pool);
        let requests = memory.requests();
        pool.insert(list, 0, 1);
        pool.extend_from_slice(list, &[5]);
        pool.extend(list, [7]);
        assert_eq!(pool.as_slice(list), Some(&[1, 3, 5, 7][..]), "a full node");
        pool.replace(list, &[9, 8, 7, 6]);
        assert_eq!(pool.as_slice(list), Some(&[9, 8, 7, 6][..]), "the same node");
        assert_eq!(memory.requests(), requests, "nothing was asked for");
        assert_eq!((pool.stats().free, pool.validate()), (0, Ok(())), "no node is free");
    });
}

#[test]
fn slots_without_a_list_are_room_for_lists() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        pool.create();
        while pool.heads.len() < pool.heads.capacity() {
            pool.create();
        }
        let slots = pool.heads.len();
        let lists: std::vec::Vec<List<u32>> = pool.lists().collect();
        assert!(lists.into_iter().all(|list| pool.destroy(list)), "all were there");
        let requests = memory.requests();
        assert_eq!(pool.try_reserve_lists(slots), Ok(()), "as many as there were");
        assert_eq!(memory.requests(), requests, "their slots are there");
        assert_eq!(pool.try_reserve_lists(slots + 1), Ok(()), "one more");
        assert!(memory.requests() > requests, "has no slot yet");
        assert_eq!(pool.validate(), Ok(()), "as it was");
    });
}

#[test]
fn as_many_lists_as_an_id_can_name_are_a_matter_of_memory() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        memory.refuse(Refusals::From(0));
        let refused = pool.try_reserve_lists(1 << 24);
        assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
    });
}

#[test]
#[cfg(any(unix, windows))]
fn a_list_beyond_the_last_that_an_id_can_name_is_refused() {
    let pages = PageAllocator::new("lists");
    let mut pool: ListPool<'_, u32, PageAllocator, 4> = ListPool::new_in(&pages);
    let heads = pool.heads.try_extend_uninit(1 << 24, |room| {
        // SAFETY: the block is fresh from the system, which gives zeroed pages, and a head may be
        // zeros. They are not written, so that the test takes no memory for them.
        unsafe { core::slice::from_raw_parts_mut(room.as_mut_ptr().cast::<Head>(), room.len()) }
    });
    assert_eq!((heads, pool.heads.len()), (Ok(()), 1 << 24), "as many heads as there may be");
    let limit = 1 << 24;
    let beyond = GrowError::Length { wanted: limit + 1, limit };
    assert_eq!(pool.try_create().map(|_| ()), Err(beyond), "one more");
    assert_eq!(pool.lists_len(), 0, "nothing was counted");
    drop(pool);
    assert_eq!(pages.stats().live, 0, "all memory was given back");
}

#[test]
fn bytes_are_those_that_were_granted() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u64, 1> = ListPool::new_in(memory);
        assert_eq!(pool.stats().bytes, 0, "nothing at first");
        for round in 1..=4_u64 {
            let list = pool.create();
            assert_eq!(pool.stats().bytes, memory.stats().granted as u64, "a list, round {round}");
            pool.extend(list, 0..round * 90);
            assert_eq!(pool.stats().bytes, memory.stats().granted as u64, "items, round {round}");
        }
        pool.clear();
        assert_eq!(pool.stats().bytes, memory.stats().granted as u64, "a clear keeps it");
    });
}
