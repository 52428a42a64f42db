//! Small cases of contiguous lists, of empty lists, and of what is dropped.

use core::cell::Cell;

use super::{Noisy, Pool};
use crate::pools::list_pool::{ListPool, ListPoolStats};
use crate::testing::test_memory::with_memory;

#[test]
fn a_list_is_empty_until_it_has_an_item() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 1> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create()];
        assert!(lists.iter().all(|list| pool.is_empty(*list)), "nothing was pushed");
        pool.push(lists[1], 5);
        assert!(pool.is_empty(lists[0]) && !pool.is_empty(lists[1]), "the second has an item");
        assert_eq!(pool.pop(lists[1]), Some(5), "the only one");
        assert!(pool.is_empty(lists[1]), "it was taken");
    });
}

#[test]
fn each_item_is_dropped_once() {
    with_memory(|memory| {
        let dropped = Cell::new(0);
        let noisy = || Noisy { dropped: &dropped, panics: false };
        let mut pool: ListPool<'_, Noisy<'_>, _, 2> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create()];
        for number in 0..20 {
            pool.push(lists[number % 2], noisy());
        }
        let mut number = 0;
        pool.retain(lists[0], |_| {
            number += 1;
            number % 3 == 0
        });
        assert_eq!((pool.len(lists[0]), dropped.get()), (3, 7), "seven of ten went");
        pool.truncate(lists[1], 6);
        assert_eq!((pool.len(lists[1]), dropped.get()), (6, 11), "four of ten went");
        drop(pool);
        assert_eq!(dropped.get(), 20, "with the pool all go");
    });
}

#[test]
fn what_is_left_may_lie_together() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 1> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create(), pool.create()];
        // 1, 2 and 4 with 3 between, which is another's.
        pool.extend(lists[0], [10, 11]);
        pool.push(lists[1], 20);
        pool.push(lists[0], 12);
        assert_eq!((pool.as_slice(lists[0]), pool.is_settled()), (None, false), "it is scattered");
        let stats = pool.stats();
        let counted = ListPoolStats {
            lists: 3,
            together: 2,
            items: 4,
            links: 2,
            adjacent: 1,
            // What the allocator granted decides of these.
            nodes: stats.free + 4,
            free: stats.free,
            bytes: stats.bytes,
        };
        assert_eq!(stats, counted, "one of three is scattered");
        assert_eq!(pool.pop(lists[0]), Some(12), "the one that was scattered");
        assert_eq!(pool.as_slice(lists[0]), Some(&[10, 11][..]), "now it is contiguous");
        assert_eq!((pool.is_settled(), pool.validate()), (true, Ok(())), "as all do");
    });
}

#[test]
fn a_list_has_as_many_slices_as_runs() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 2> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create(), pool.create()];
        for number in 0..5 {
            pool.push(lists[0], number);
            pool.push(lists[1], number);
        }
        for (list, expected) in [(lists[0], 3), (lists[1], 3), (lists[2], 0)] {
            let empty = pool.chunks(list).any(<[u32]>::is_empty);
            assert_eq!((pool.chunks(list).count(), empty), (expected, false), "slices one by one");
            let folded = pool.chunks(list).fold(0, |count, chunk| {
                assert!(!chunk.is_empty(), "no slice is empty");
                count + 1
            });
            assert_eq!(folded, expected, "all slices at once");
        }
    });
}
