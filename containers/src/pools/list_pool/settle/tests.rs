//! Each look of the sorting, and how many nodes it moves.

use super::Frontier;
use crate::pools::list_pool::{List, ListPool};
use crate::testing::test_memory::{Memory, with_memory};

type Pool<'a, const K: usize> = ListPool<'a, u32, Memory<'a>, K>;

fn frontier<const K: usize>(pool: &Pool<'_, K>) -> (u32, u32, bool) {
    let Frontier { node, list, begun } = pool.frontier;
    (node, list, begun)
}

/// Two lists that grow in turn, so that their nodes are mixed.
fn mixed<const K: usize>(pool: &mut Pool<'_, K>, items: u32) -> [List<u32>; 2] {
    let lists = [pool.create(), pool.create()];
    for number in 0..2 * items {
        pool.push(lists[number as usize % 2], number);
    }
    assert!(!pool.is_settled(), "they are mixed");
    lists
}

#[test]
fn moves_are_counted() {
    with_memory(|memory| {
        let mut pool: Pool<'_, 1> = ListPool::new_in(memory);
        let lists = mixed(&mut pool, 4);
        // 1 3 5 7 and 2 4 6 8: 3 goes to 2, 5 to 3, 7 to 4, and of 5 7 6 8 then 7 to 6.
        assert_eq!((pool.settle(0), pool.settle(1), pool.settle(2)), (0, 1, 2), "the first three");
        assert!(!pool.is_settled(), "one is left");
        assert_eq!((pool.settle(9), pool.settle(9)), (1, 0), "the last one");
        assert!(pool.is_settled(), "done");
        assert_eq!(pool.as_slice(lists[0]), Some(&[0, 2, 4, 6][..]), "the first list");
        assert_eq!(pool.as_slice(lists[1]), Some(&[1, 3, 5, 7][..]), "the second list");
        assert_eq!(pool.validate(), Ok(()), "and whole");
    });
}

#[test]
fn sixteen_lists_are_passed_for_a_move() {
    with_memory(|memory| {
        let mut pool: Pool<'_, 1> = ListPool::new_in(memory);
        for _ in 0..70 {
            pool.create();
        }
        mixed(&mut pool, 3);
        for (budget, list) in [(1, 16), (2, 48), (0, 48), (1, 64)] {
            assert_eq!(pool.settle(budget), 0, "empty lists have no nodes to move");
            assert_eq!(frontier(&pool), (1, list, false), "after {budget} more");
        }
    });
}

#[test]
fn what_lies_together_is_passed_where_it_lies() {
    with_memory(|memory| {
        let mut pool: Pool<'_, 2> = ListPool::new_in(memory);
        let [one, gone, two] = [pool.create(), pool.create(), pool.create()];
        pool.extend_from_slice(one, &[1, 2, 3, 4]);
        pool.extend_from_slice(gone, &[5, 6]);
        pool.extend_from_slice(two, &[7, 8, 9]);
        mixed(&mut pool, 7);
        assert!(pool.destroy(gone), "it was there");
        let at = pool.as_slice(two).expect("it is contiguous").as_ptr();
        for (after, what) in [
            ((3, 1, false), "the first list is in 1 and 2"),
            ((3, 2, false), "the second slot has none"),
            ((6, 3, false), "3 is free, and the third list is in 4 and 5"),
        ] {
            assert!(pool.next_to_bring().is_none(), "{what}");
            assert_eq!(frontier(&pool), after, "{what}");
        }
        while !pool.is_settled() {
            pool.settle(1);
        }
        let now = pool.as_slice(two).expect("it still does").as_ptr();
        assert_eq!((now, pool.validate()), (at, Ok(())), "it was not moved");
    });
}

#[test]
fn a_frontier_at_the_end_starts_again() {
    with_memory(|memory| {
        let mut pool: Pool<'_, 1> = ListPool::new_in(memory);
        mixed(&mut pool, 3);
        for (list, begun) in [(0, false), (2, false)] {
            pool.frontier = Frontier { node: pool.nodes.count(), list, begun };
            assert!(pool.next_to_bring().is_none(), "there is no room after the last node");
            assert_eq!(frontier(&pool), (1, 0, false), "list {list}");
        }
    });
}

#[test]
fn a_pool_that_is_cleared_is_sorted_from_its_first_node_on() {
    with_memory(|memory| {
        let mut pool: Pool<'_, 1> = ListPool::new_in(memory);
        mixed(&mut pool, 8);
        pool.settle(3);
        assert_ne!(frontier(&pool), (1, 0, false), "it has come some way");
        pool.clear();
        assert_eq!(frontier(&pool), (1, 0, false), "nothing is left to have passed");
    });
}
