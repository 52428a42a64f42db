//! A pool of lists compared with a vector of vectors, how well it settles, and what it does without
//! memory.

mod edges;
mod room;
mod views;

use core::cell::{Cell, RefCell};
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use super::nodes::LAST;
use super::{List, ListError, ListPool};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

type Pool<'a, T, const K: usize> = ListPool<'a, T, Memory<'a>, K>;

/// Lists as vectors, with their ids.
type Model<T> = Vec<(List<T>, Vec<T>)>;

fn assert_equal<T: PartialEq + core::fmt::Debug, const K: usize>(
    pool: &Pool<'_, T, K>,
    model: &Model<T>,
    at: &str,
) {
    assert_eq!(pool.validate(), Ok(()), "{at}");
    assert_eq!(pool.lists_len(), model.len(), "{at}");
    for (list, items) in model {
        assert!(pool.iter(*list).eq(items), "{at}: {:?} is not {items:?}", pool);
        assert_eq!(pool.len(*list), items.len(), "{at}");
        let mut visit = pool.iter(*list);
        for visited in 0..=items.len() {
            assert_eq!(visit.len(), items.len() - visited, "{at}, after {visited}");
            visit.next();
        }
        let folded = pool.iter(*list).fold(0, |place, item| {
            assert_eq!(item, &items[place], "{at}");
            place + 1
        });
        assert_eq!(folded, items.len(), "{at}");
    }
}

/// Changes a list of the pool and its model alike.
fn change<const K: usize>(
    pool: &mut Pool<'_, String, K>,
    model: &mut Model<String>,
    random: &mut Random,
    step: u32,
) {
    let which = random.below(model.len());
    let (list, items) = &mut model[which];
    let (list, len) = (*list, items.len());
    let text = || format!("{step}");
    match random.below(20) {
        0..6 => {
            pool.push(list, text());
            items.push(text());
        }
        6..8 => assert_eq!(pool.pop(list), items.pop()),
        8..10 => {
            let at = random.below(len + 1);
            pool.insert(list, at, text());
            items.insert(at, text());
        }
        10..12 => {
            let at = random.below(len + 1);
            let removed = (at < len).then(|| items.remove(at));
            assert_eq!(pool.remove(list, at), removed);
        }
        12..14 => {
            let at = random.below(len + 1);
            let removed = (at < len).then(|| items.swap_remove(at));
            assert_eq!(pool.swap_remove(list, at), removed);
        }
        14 => {
            let keep = |item: &mut String| item.len().is_multiple_of(2) || item.ends_with('3');
            pool.retain(list, keep);
            items.retain_mut(keep);
        }
        15 => {
            let to = random.below(len + 2);
            pool.truncate(list, to);
            items.truncate(to);
        }
        16 => {
            let more: Vec<_> = (0..random.below(12)).map(|number| format!("m{number}")).collect();
            pool.extend(list, more.clone());
            items.extend(more);
        }
        17 => {
            assert!(pool.destroy(list) && !pool.contains(list));
            assert_eq!(pool.try_push(list, text()), Err(ListError::Gone));
            model.swap_remove(which);
            model.push((pool.create(), Vec::new()));
        }
        18 => {
            let at = random.below(len + 1);
            assert_eq!(pool.get(list, at), items.get(at));
            if let (Some(item), Some(other)) = (pool.get_mut(list, at), items.get_mut(at)) {
                item.push('!');
                other.push('!');
            }
            let found = items.iter().find(|item| item.ends_with('!'));
            assert_eq!(pool.find(list, |item| item.ends_with('!')), found);
            let place = items.iter().position(|item| item.ends_with('!'));
            assert_eq!(pool.position(list, |item| item.ends_with('!')), place);
        }
        _ => {
            pool.iter_mut(list).for_each(|item| item.push('+'));
            items.iter_mut().for_each(|item| item.push('+'));
        }
    }
}

fn behaves<const K: usize>() {
    for seed in 0..8 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut pool: Pool<'_, String, K> = ListPool::new_in(memory);
            let mut model: Model<String> = (0..9).map(|_| (pool.create(), Vec::new())).collect();
            for step in 0..900 {
                change(&mut pool, &mut model, &mut random, step);
                if seed % 2 == 1 {
                    let budget = random.below(4) as u32;
                    assert!(pool.settle(budget) <= budget);
                }
                assert_equal(&pool, &model, &format!("K {K}, seed {seed}, step {step}"));
            }
            let all = model.iter().map(|(_, items)| items.len()).sum::<usize>();
            assert_eq!(pool.iter_all().count(), all);
            assert_eq!(pool.chunks_all().map(|(_, chunk)| chunk.len()).sum::<usize>(), all);
            assert_eq!(pool.stats().items, all as u64);
            pool.clear();
            assert_eq!((pool.lists_len(), pool.stats().items), (0, 0));
            assert_eq!(pool.stats().free, pool.stats().nodes, "K {K}, seed {seed}");
            assert_eq!(pool.validate(), Ok(()), "K {K}, seed {seed}");
        });
    }
}

#[test]
fn does_as_vectors_do() {
    behaves::<1>();
    behaves::<2>();
    behaves::<3>();
    behaves::<4>();
    behaves::<8>();
}

/// Puts items into lists in no order.
fn scattered<'a, const K: usize>(
    memory: &'a Memory<'a>,
    lists: usize,
    items: usize,
    seed: u64,
) -> (Pool<'a, u64, K>, Model<u64>) {
    let mut random = Random::new(seed);
    let mut pool = ListPool::new_in(memory);
    let mut model: Model<u64> = (0..lists).map(|_| (pool.create(), Vec::new())).collect();
    for item in 0..items as u64 {
        let (list, into) = &mut model[random.below(lists)];
        pool.push(*list, item);
        into.push(item);
    }
    (pool, model)
}

fn settles<const K: usize>() {
    with_memory(|memory| {
        for (lists, items) in [(1, 50), (2, 600), (40, 1000), (300, 1500)] {
            let (mut pool, model) = scattered::<K>(memory, lists, items, 5);
            let (nodes, mut moved) = (pool.stats().nodes - pool.stats().free, 0);
            let mut calls = 0;
            while !pool.is_settled() {
                let now = pool.settle(4);
                assert!(now <= 4, "{now} nodes were moved where 4 were allowed");
                moved += u64::from(now);
                calls += 1;
                assert!(calls <= nodes + 1, "{lists} lists do not settle");
                if calls % 16 == 0 {
                    assert_equal(&pool, &model, &format!("K {K}, {lists} lists, call {calls}"));
                }
            }
            assert!(moved <= nodes, "{moved} moves for {nodes} nodes");
            assert_equal(&pool, &model, &format!("K {K}, {lists} lists, settled"));
            let stats = pool.stats();
            assert_eq!((stats.adjacent, stats.together), (stats.links, stats.lists));
            let starts: Vec<_> = (model.iter())
                .map(|(list, _)| pool.as_slice(*list).expect("it is contiguous").as_ptr())
                .filter(|start| !start.is_null())
                .collect();
            assert_eq!(starts.len(), lists);
            assert_eq!(pool.settle(u32::MAX), 0, "nothing is left to do");
        }
    });
}

#[test]
fn settles_in_one_way_through_the_array() {
    settles::<1>();
    settles::<2>();
    settles::<4>();
    settles::<8>();
}

/// One change for each hundred accesses, `settle(4)` at every access: returns the worst share of
/// adjacent links, in thousandths, looked at before every hundredth change.
fn share_of_adjacent<const K: usize>(
    pool: &mut Pool<'_, u64, K>,
    model: &mut Model<u64>,
    mut change: impl FnMut(&mut Pool<'_, u64, K>, &mut (List<u64>, Vec<u64>), &mut Random, u64),
) -> u64 {
    let mut random = Random::new(11);
    while !pool.is_settled() {
        pool.settle(64);
    }
    let mut worst = 1000;
    for step in 0..6000 {
        let which = random.below(model.len());
        change(pool, &mut model[which], &mut random, step);
        for _ in 0..100 {
            pool.settle(4);
        }
        if step % 100 == 0 {
            let stats = pool.stats();
            worst = worst.min(stats.adjacent * 1000 / stats.links.max(1));
        }
    }
    assert_equal(pool, model, &format!("K {K}"));
    worst
}

/// Pushes and removals as many.
fn push_or_remove<const K: usize>(
    pool: &mut Pool<'_, u64, K>,
    (list, items): &mut (List<u64>, Vec<u64>),
    random: &mut Random,
    step: u64,
) {
    if random.below(2) == 0 {
        pool.push(*list, step);
        items.push(step);
    } else if !items.is_empty() {
        let at = random.below(items.len());
        assert_eq!(pool.swap_remove(*list, at), Some(items.swap_remove(at)));
    }
}

/// A whole list in the place of another.
fn replace_all<const K: usize>(
    pool: &mut Pool<'_, u64, K>,
    (list, items): &mut (List<u64>, Vec<u64>),
    random: &mut Random,
    step: u64,
) {
    *items = vec![step; random.below(17)];
    pool.replace(*list, items);
}

#[test]
fn four_moves_a_call_keep_nine_of_ten_links_adjacent() {
    fn keeps_up<const K: usize>() {
        with_memory(|memory| {
            let (mut pool, mut model) = scattered::<K>(memory, 1000, 8000, 3);
            let pushed = share_of_adjacent(&mut pool, &mut model, push_or_remove);
            assert!(pushed >= 900, "K {K}, items change: {pushed} of 1000 links");
        });
        with_memory(|memory| {
            let (mut pool, mut model) = scattered::<K>(memory, 1000, 8000, 3);
            let replaced = share_of_adjacent(&mut pool, &mut model, replace_all);
            assert!(replaced >= 900, "K {K}, lists change: {replaced} of 1000 links");
        });
    }
    keeps_up::<1>();
    keeps_up::<4>();
}

#[test]
fn a_pool_without_a_free_node_keeps_up_too() {
    with_memory(|memory| {
        let (_, model) = scattered::<1>(memory, 500, 4000, 3);
        let mut pool: Pool<'_, u64, 1> =
            ListPool::try_with_capacity_in(4000, memory).expect("there is memory");
        let mut lists: Model<u64> = Vec::new();
        for (_, items) in &model {
            let list = pool.create();
            pool.extend_from_slice(list, items);
            lists.push((list, items.clone()));
        }
        // An item goes from one list to another: in between one node is free.
        let mut held = None;
        let share = share_of_adjacent(&mut pool, &mut lists, |pool, (list, items), _, _| {
            if let Some(item) = held.take() {
                pool.push(*list, item);
                items.push(item);
            } else {
                held = items.pop();
                assert_eq!(pool.pop(*list), held);
            }
        });
        assert!(pool.stats().nodes < 4100, "it did not grow: {:?}", pool.stats());
        assert!(share >= 900, "{share} of 1000 links");
    });
}

#[test]
fn what_is_set_together_lies_together() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 1> = ListPool::new_in(memory);
        let lists: Vec<_> = (0..100).map(|_| pool.create()).collect();
        for list in &lists {
            pool.replace(*list, &[1, 2, 3, 4, 5]);
        }
        assert!(pool.is_settled(), "{:?}", pool.stats());
        for (at, list) in lists.iter().enumerate().step_by(3) {
            pool.replace(*list, &vec![at as u32; at % 9]);
        }
        let stats = pool.stats();
        assert!(stats.adjacent * 10 >= stats.links * 9, "{stats:?}");
    });
}

#[test]
fn a_list_that_is_gone_is_told_from_the_next_of_its_slot() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        let first = pool.create();
        pool.extend(first, [1, 2]);
        let mut last = first;
        for life in 2..=255 {
            assert!(pool.destroy(last) && !pool.destroy(last));
            last = pool.create();
            assert_eq!((last.index(), last.generation()), (first.index(), life));
            assert!(!pool.contains(first) && pool.iter(first).next().is_none());
            assert!(pool.is_empty(first) && pool.len(first) == 0 && pool.pop(first).is_none());
            assert_eq!(pool.try_insert(first, 0, 4), Err(ListError::Gone));
            assert_eq!(pool.try_extend(first, [4]), Err(ListError::Gone));
            assert_eq!(pool.try_replace(first, &[4]), Err(ListError::Gone));
            assert_eq!((pool.remove(first, 0), pool.swap_remove(first, 0)), (None, None));
        }
        pool.destroy(last);
        let again = pool.create();
        assert_eq!(again, first, "the lives of a slot start again after 255");
        let beyond = List::<u32>::from_bits(1 << 24 | 77).expect("life 1 of slot 77");
        assert!(!pool.contains(beyond) && pool.as_slice(beyond).is_none());
    });
}

/// An item that counts its drops and may panic when it is dropped.
struct Noisy<'c> {
    dropped: &'c Cell<u32>,
    panics: bool,
}

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.dropped.set(self.dropped.get() + 1);
        assert!(!self.panics, "as it was set to");
    }
}

#[test]
fn a_destructor_that_panics_leaves_the_pool_whole() {
    with_memory(|memory| {
        let dropped = Cell::new(0);
        let noisy = |panics| Noisy { dropped: &dropped, panics };
        let mut pool: ListPool<'_, Noisy<'_>, _, 2> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create()];
        for number in 0..20 {
            pool.push(lists[number % 2], noisy(number == 9));
        }
        let truncated = catch_unwind(AssertUnwindSafe(|| pool.truncate(lists[1], 1)));
        assert!(truncated.is_err());
        assert_eq!((pool.validate(), pool.len(lists[1]), dropped.get()), (Ok(()), 1, 9));
        pool.push(lists[0], noisy(true));
        let cleared = catch_unwind(AssertUnwindSafe(|| pool.clear()));
        assert!(cleared.is_err());
        assert_eq!((pool.validate(), pool.lists_len(), dropped.get()), (Ok(()), 0, 21));
    });
}

#[test]
fn a_closure_that_panics_leaves_the_list_whole() {
    with_memory(|memory| {
        let mut pool: Pool<'_, String, 2> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create()];
        for number in 0..20 {
            pool.push(lists[number % 2], format!("{}", number / 2));
        }
        let retained = catch_unwind(AssertUnwindSafe(|| {
            pool.retain(lists[0], |item| {
                assert!(item != "6", "as it was set to");
                item == "1" || item == "4"
            });
        }));
        assert!(retained.is_err());
        assert_eq!(pool.validate(), Ok(()));
        assert!(pool.iter(lists[0]).eq(&["1", "4", "6", "7", "8", "9"]));
        let extended = catch_unwind(AssertUnwindSafe(|| {
            pool.extend(
                lists[1],
                (0..9).map(|number| {
                    assert!(number < 3, "as it was set to");
                    format!("{number}")
                }),
            );
        }));
        assert!(extended.is_err());
        assert_eq!((pool.validate(), pool.len(lists[1])), (Ok(()), 13));
    });
}

#[test]
fn items_without_size_are_counted() {
    with_memory(|memory| {
        let mut pool: Pool<'_, (), 4> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create()];
        for number in 0..1000 {
            pool.push(lists[number % 2], ());
        }
        assert_eq!((pool.len(lists[0]), pool.iter(lists[1]).count()), (500, 500));
        while !pool.is_settled() {
            pool.settle(8);
        }
        assert_eq!(pool.as_slice(lists[0]).map(<[()]>::len), Some(500));
        assert_eq!(pool.validate(), Ok(()));
    });
}

#[test]
fn a_full_node_of_aligned_items_is_exchanged_whole() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(align(64))]
    struct Wide(u8);
    with_memory(|memory| {
        let mut pool: Pool<'_, Wide, 3> = ListPool::new_in(memory);
        let lists: Vec<_> = (0..5).map(|_| pool.create()).collect();
        for number in 0..100 {
            pool.push(lists[number % 5], Wide(number as u8));
        }
        while !pool.is_settled() {
            pool.settle(1);
            assert_eq!(pool.validate(), Ok(()));
        }
        for (at, list) in lists.iter().enumerate() {
            assert!(
                pool.iter(*list).map(|item| item.0).eq((0..20).map(|turn| turn * 5 + at as u8))
            );
        }
    });
}

#[test]
#[should_panic(expected = "an item was to be inserted at 3 into a list of 1")]
fn an_item_cannot_be_inserted_beyond_the_end() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u8, 4> = ListPool::new_in(memory);
        let list = pool.create();
        pool.push(list, 1);
        pool.insert(list, 3, 2);
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    type Step = fn(&mut Pool<'_, u64, 2>, List<u64>) -> Result<(), ListError>;
    const STEPS: [Step; 7] = [
        |pool, list| pool.try_push(list, 7),
        |pool, list| pool.try_insert(list, 1, 7),
        |pool, list| pool.try_extend(list, [7; 90]),
        // Its length is not known beforehand.
        |pool, list| pool.try_extend(list, (0..200).filter(|number| number % 3 == 0)),
        |pool, list| pool.try_extend_from_slice(list, &[7; 300]),
        |pool, list| pool.try_replace(list, &[7; 700]),
        |pool, _| Ok(pool.try_reserve_nodes(1000)?),
    ];
    every_refusal(|memory: &Memory<'_>| {
        let first = Cell::new(Ok(()));
        let note = |result: Result<(), ListError>| first.set(first.get().and(result));
        let mut pool: Pool<'_, u64, 2> = ListPool::new_in(memory);
        let model = RefCell::new(Model::new());
        for number in 0..70 {
            let before = pool.lists_len();
            match pool.try_create() {
                Ok(list) => model.borrow_mut().push((list, Vec::new())),
                Err(error) => note(Err(error.into())),
            }
            assert_eq!(pool.lists_len(), before + usize::from(model.borrow().len() > before));
            let mut model = model.borrow_mut();
            let Some((list, items)) = model.last_mut() else { continue };
            for item in 0..number % 5 {
                match pool.try_push(*list, item) {
                    Ok(()) => items.push(item),
                    refused => note(refused),
                }
            }
            assert_equal(&pool, &model, "after a push");
        }
        note(pool.try_reserve_lists(300).map_err(ListError::from));
        for (number, step) in STEPS.iter().enumerate() {
            let mut model = model.borrow_mut();
            let Some((list, items)) = model.get_mut(number * 9 + 3) else { continue };
            let done = step(&mut pool, *list);
            if done.is_ok() {
                *items = pool.iter(*list).copied().collect();
            }
            note(done);
            assert_equal(&pool, &model, "after a step");
        }
        first.get()
    });
}

#[test]
fn damage_is_found() {
    fn damaged(harm: impl FnOnce(&mut Pool<'_, u32, 1>)) -> Option<&'static str> {
        let mut found = None;
        with_memory(|memory| {
            let mut pool = ListPool::new_in(memory);
            let lists = [pool.create(), pool.create()];
            for number in 0..8 {
                pool.push(lists[number as usize % 2], number);
            }
            assert_eq!(pool.validate(), Ok(()));
            harm(&mut pool);
            found = pool.validate().err().map(|damage| damage.what);
        });
        found
    }
    assert_eq!(damaged(|pool| pool.nodes.set_link(3, 1)), Some("a list leads in a circle"));
    assert_eq!(damaged(|pool| pool.nodes.set_link(3, 9999)), Some("a list leads out of the array"));
    assert_eq!(damaged(|pool| pool.nodes.set_link(3, 6)), Some("a list ends as another's"));
    assert_eq!(damaged(|pool| pool.nodes.give(3)), Some("a list leads to a free node"));
    assert_eq!(
        damaged(|pool| pool.nodes.set_link(3, LAST)),
        Some("a list ends in another node than its head says")
    );
    assert_eq!(
        damaged(|pool| pool.heads[1].first |= super::TOGETHER),
        Some("a list lies apart that is said to lie together")
    );
    assert_eq!(damaged(|pool| pool.broken = 0), Some("lists or broken lists are miscounted"));
    assert_eq!(
        damaged(|pool| {
            pool.nodes.take();
        }),
        Some("a node in use is in no list")
    );
    assert_eq!(damaged(|pool| pool.heads[1].end = 0), Some("an empty list has a node"));
}

#[test]
fn a_pool_goes_where_its_items_and_memory_may() {
    fn assert_send<S: Send>() {}
    fn assert_sync<S: Sync>() {}
    type Shared<'a> = dyn loligo_allocators::Allocator + Sync + 'a;
    assert_send::<ListPool<'_, u32, Shared<'_>>>();
    assert_sync::<ListPool<'_, u32, Shared<'_>>>();
    assert_send::<super::ListChunksMut<'_, Cell<u32>, 4>>();
    assert_sync::<super::ListChunks<'_, u32, 4>>();
}

#[test]
fn the_object_is_as_small_as_it_says() {
    assert!(size_of::<ListPool<'_, u32>>() <= 36 * 8);
    assert_eq!(size_of::<Option<List<u32>>>(), 4);
}

#[test]
fn more_nodes_than_can_be_counted_are_refused() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        for _ in 0..2 {
            let refused = pool.try_reserve_nodes(usize::MAX);
            assert!(matches!(refused, Err(GrowError::Length { .. })), "{refused:?}");
            let list = pool.create();
            pool.push(list, 1);
        }
        // Where a node is an item and that has no size, as many as can be named fit into a slice.
        let mut pool: Pool<'_, (), 1> = ListPool::new_in(memory);
        let list = pool.create();
        pool.push(list, ());
        let refused = pool.try_extend_from_slice(list, &[(); usize::MAX]);
        assert!(matches!(refused, Err(ListError::Grow(GrowError::Length { .. }))), "{refused:?}");
        let refused = pool.try_extend(list, core::iter::repeat(()));
        assert!(matches!(refused, Err(ListError::Grow(GrowError::Length { .. }))), "{refused:?}");
        assert_eq!((pool.len(list), pool.validate()), (1, Ok(())));
    });
}

#[test]
fn what_was_reserved_needs_no_memory() {
    with_memory(|memory| {
        let mut pool: Pool<'_, u32, 4> = ListPool::new_in(memory);
        pool.reserve_lists(5);
        pool.reserve_nodes(10);
        let requests = memory.requests();
        for items in 0..5 {
            let list = pool.create();
            pool.extend(list, 0..items * 2);
        }
        assert_eq!(memory.requests(), requests, "room was made");
    });
}
