//! Lists as others see them, the words of errors, limits, and damage.

use std::format;
use std::string::ToString;
use std::vec::Vec;

use super::Pool;
use crate::error::GrowError;
use crate::pools::list_pool::{List, ListDamage, ListError, ListPool};
use crate::testing::test_memory::{Memory, with_memory};

#[test]
fn an_error_says_what_is_wrong() {
    assert_eq!(ListError::Gone.to_string(), "the list is gone; its id was kept too long", "why");
    let grow = GrowError::Length { wanted: 2, limit: 1 };
    let error = ListError::from(grow);
    assert_eq!((error, error.to_string()), (ListError::Grow(grow), grow.to_string()), "the cause");
    let damage = ListDamage { what: "a list leads in a circle", list: 3, node: 7 };
    assert_eq!(damage.to_string(), "a list leads in a circle at list 3, node 7", "where");
}

#[test]
fn a_pool_prints_its_lists() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 2> = ListPool::new_in(memory);
        assert_eq!(format!("{pool:?}"), "{}", "no lists");
        assert!(core::ptr::eq(pool.memory(), memory), "the allocator that was given");
        let lists = [pool.create(), pool.create(), pool.create()];
        pool.extend(lists[0], [1, 2, 3]);
        pool.push(lists[2], 4);
        let said = "{Id(0v1): [1, 2, 3], Id(1v1): [], Id(2v1): [4]}";
        assert_eq!(format!("{pool:?}"), said, "every list by its id");
        assert!(pool.destroy(lists[1]) && !pool.destroy(lists[1]), "it ends once");
        let said = "{Id(0v1): [1, 2, 3], Id(2v1): [4]}";
        assert_eq!(format!("{pool:?}"), said, "two are left");
        assert!(pool.iter_all().eq(&[1, 2, 3, 4]), "every item");
        let chunks: Vec<(List<u32>, &[u32])> = pool.chunks_all().collect();
        assert_eq!(chunks, [(lists[0], &[1, 2, 3][..]), (lists[2], &[4][..])], "every slice");
    });
}

#[test]
fn items_are_found_by_place_and_by_what_they_are() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 3> = ListPool::new_in(memory);
        let (list, other) = (pool.create(), pool.create());
        // Two lists that grow in turn, so that neither is contiguous.
        for number in 0..10 {
            pool.push(list, number * 10);
            pool.push(other, number);
        }
        for at in 0..10 {
            assert_eq!(pool.get(list, at), Some(&(at as u32 * 10)), "item {at}");
            assert_eq!(pool.find(list, |item| *item == at as u32 * 10), pool.get(list, at), "{at}");
            assert_eq!(pool.position(list, |item| *item == at as u32 * 10), Some(at), "item {at}");
        }
        for beyond in [10, 11, 12, usize::MAX] {
            assert_eq!(pool.get(list, beyond), None, "{beyond} is after the last");
            assert_eq!(pool.get_mut(list, beyond), None, "{beyond} is after the last");
        }
        let found = pool.find_mut(list, |item| *item > 40).expect("50 is there");
        assert_eq!(core::mem::replace(found, 55), 50, "the first that is");
        assert_eq!(pool.get(list, 5), Some(&55), "it was changed");
        assert!(pool.find_mut(list, |item| *item == 50).is_none(), "it is not there any more");
        *pool.get_mut(list, 9).expect("the last") = 99;
        assert_eq!(pool.pop(list), Some(99), "it was changed");
        assert!(pool.destroy(list), "it was there");
        assert!(pool.find_mut(list, |_| true).is_none(), "nothing is in a list that is gone");
        assert_eq!((pool.get(list, 0), pool.as_slice(list)), (None, None), "nor there");
        assert_eq!((pool.len(list), pool.is_empty(list)), (0, true), "it has no items");
        assert_eq!((pool.try_push(list, 1), pool.pop(list)), (Err(ListError::Gone), None), "gone");
        assert_eq!((pool.iter(list).count(), pool.iter_mut(list).count()), (0, 0), "none");
    });
}

#[test]
fn a_list_is_a_slice_where_it_lies_together() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 2> = ListPool::new_in(memory);
        let list = pool.create();
        assert_eq!(pool.as_slice(list), Some(&[][..]), "an empty one does");
        pool.extend(list, 0..7);
        assert_eq!(pool.as_slice(list), Some(&[0, 1, 2, 3, 4, 5, 6][..]), "set together");
        let (one, two) = (pool.create(), pool.create());
        for number in 0..40 {
            pool.push(one, number);
            pool.push(two, number);
        }
        let apart = [one, two].iter().filter(|list| pool.as_slice(**list).is_none()).count();
        assert!(apart > 0, "lists that grow in turn are scattered");
        for list in [one, two] {
            let chunks: Vec<u32> = pool.chunks(list).flatten().copied().collect();
            assert!(chunks.into_iter().eq(0..40), "its slices are all of it");
        }
    });
}

#[test]
fn more_lists_than_an_id_can_name_are_refused() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        let limit = u64::from(Pool::<'_, u32, 4>::LISTS_MAX);
        assert_eq!(limit, 1 << 24, "as many as 24 bits name");
        let refused = pool.try_reserve_lists(limit as usize + 1);
        assert_eq!(refused, Err(GrowError::Length { wanted: limit + 1, limit }), "one more");
        let refused = pool.try_reserve_lists(usize::MAX);
        let wanted = usize::MAX as u64;
        assert_eq!(refused, Err(GrowError::Length { wanted, limit }), "far more");
        let list = pool.create();
        let refused = pool.try_reserve_lists(limit as usize);
        assert_eq!(refused, Err(GrowError::Length { wanted: limit + 1, limit }), "one is there");
        assert!(pool.destroy(list), "it was there");
        let requests = memory.requests();
        assert_eq!(pool.try_reserve_lists(1), Ok(()), "the slot is free again");
        assert_eq!(memory.requests(), requests, "so nothing is asked for");
        assert_eq!(pool.validate(), Ok(()), "as it was");
    });
}

#[test]
fn every_life_of_a_slot_is_told_apart() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        let first = pool.create();
        assert_eq!((first.index(), first.generation()), (0, 1), "the first life");
        let mut before = first;
        for life in 2..=255 {
            assert!(pool.destroy(before), "it was there");
            let list = pool.create();
            assert_eq!((list.index(), list.generation()), (0, life), "the same slot");
            assert!(!pool.contains(before) && pool.contains(list), "life {life}");
            before = list;
        }
        assert!(pool.destroy(before), "it was there");
        assert_eq!(pool.create(), first, "after 255 lives it begins again");
        assert_eq!((pool.lists_len(), pool.lists().count()), (1, 1), "one list");
    });
}

/// Breaks a pool of three lists of single items, of which the first two are scattered and the third
/// contiguous, and a slot without one; returns what is reported.
fn damaged(harm: impl FnOnce(&mut Pool<'_, u32, 1>)) -> Option<(&'static str, u32)> {
    let mut found = None;
    with_memory(|memory| {
        let mut pool: ListPool<'_, u32, Memory<'_>, 1> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create(), pool.create(), pool.create()];
        for number in 0..8 {
            pool.push(lists[number as usize % 2], number);
        }
        pool.push(lists[2], 9);
        assert!(pool.destroy(lists[3]), "it was there");
        assert_eq!(pool.validate(), Ok(()), "whole before it is broken");
        harm(&mut pool);
        found = pool.validate().err().map(|damage| (damage.what, damage.list));
        // What is left is plain numbers, and their memory is given back however broken the lists
        // are.
        pool.heads.clear();
        pool.lives.clear();
    });
    found
}

#[test]
fn every_rule_is_looked_at() {
    let apart = Some(("node 0 is not set apart", 0));
    assert_eq!(damaged(|pool| pool.nodes.give(0)), apart, "it is free");
    let heads = Some(("heads and lives are not as many", 0));
    assert_eq!(damaged(|pool| pool.lives.truncate(3)), heads, "a life less");
    assert_eq!(damaged(|pool| pool.heads.truncate(3)), heads, "a head less");
    let lone = |pool: &mut Pool<'_, u32, 1>| {
        pool.heads[2].first = pool.heads[2].first();
        pool.broken += 1;
    };
    let one = Some(("a list of one node is said to lie apart", 2));
    assert_eq!(damaged(lone), one, "a single node");
    let lists = "lists or broken lists are miscounted";
    assert_eq!(damaged(|pool| pool.lists += 1), Some((lists, 3)), "a list more");
    assert_eq!(damaged(|pool| pool.broken += 1), Some((lists, 3)), "a broken list more");
    let vacant = "the vacant slots lead to one with a list";
    assert_eq!(damaged(|pool| pool.vacant = 1), Some((vacant, 0)), "the first");
    assert_eq!(damaged(|pool| pool.vacant = 0), Some((vacant, u32::MAX)), "none");
    assert_eq!(damaged(|pool| pool.vacant = 5), Some((vacant, 4)), "beyond the last");
    let beyond = Some(("the vacant slots lead on beyond the last", 2));
    assert_eq!(damaged(|pool| pool.heads[3].end = 2), beyond, "to a list");
    let node = Some(("an empty list has a node", 2));
    assert_eq!(damaged(|pool| pool.heads[2].end = 0), node, "no items");
    let out = Some(("a list leads out of the array", 2));
    assert_eq!(damaged(|pool| pool.heads[2].first = super::super::TOGETHER), out, "to node 0");
    let nodes = |pool: &mut Pool<'_, u32, 1>| {
        pool.heads[2].first = super::super::TOGETHER | pool.nodes.count();
    };
    assert_eq!(damaged(nodes), out, "just beyond");
    let number = Some(("a list has another number of items than its head says", 2));
    assert_eq!(damaged(|pool| pool.heads[2].len += 1), number, "one more");
    assert_eq!(damaged(|pool| pool.heads[2].len -= 1), number, "one less");
}
