//! Hash maps, multi maps and heaps of relocatable blocks on every allocator that serves blocks of
//! any size, and over memory that runs out.

use std::collections::BTreeMap;

use loligo_allocators::{Allocator, FailingAllocator, HeapAllocator, PageAllocator, Refusals};
use loligo_containers::{
    BlockId, BuildIdHasher, GrowError, HandleHeap, HandleHeapError, HashMap, HashSet, MultiMap,
};
use loligo_ids::IdString32;
use proptest::prelude::*;

use crate::buddy::BUDDY;
use crate::heap::{HEAP, HEAP_IN_REGION};
use crate::locked::LOCKED;
use crate::page::PAGE;
use crate::static_heap::STATIC_HEAP;
use crate::subject::Subject;

/// The allocators that serve blocks of any size.
const GENERAL: [Subject; 6] = [BUDDY, HEAP, HEAP_IN_REGION, LOCKED, PAGE, STATIC_HEAP];

/// Runs a test on each of them; the test must free all its memory.
fn on_each(test: impl Fn(&dyn Allocator)) {
    for subject in GENERAL {
        (subject.make)(&mut |allocator| {
            test(allocator);
            assert_eq!(allocator.stats().live, 0, "{}", subject.name);
        });
    }
}

#[test]
fn hash_maps_and_sets_agree_with_a_tree() {
    on_each(|allocator| {
        let mut map: HashMap<'_, IdString32, String, BuildIdHasher> =
            HashMap::with_hasher_in(BuildIdHasher::new(), allocator);
        let mut set: HashSet<'_, String> = HashSet::new_in(allocator);
        let mut tree = BTreeMap::new();
        for number in 0..700_u32 {
            let name = format!("unit {}", number * 7919 % 400);
            let key = IdString32::new(&name);
            let old = map.try_insert(key, name.clone()).expect("there is room");
            assert_eq!(old, tree.insert(key, name.clone()));
            assert_eq!(set.try_insert(name), Ok(old.is_none()));
            if number % 3 == 0 {
                let gone = IdString32::new(&format!("unit {}", number % 400));
                let removed = map.remove(&gone);
                assert_eq!(removed, tree.remove(&gone));
                assert!(removed.is_none_or(|name| set.remove(&name)), "it is in both");
            }
        }
        assert!(map.iter().all(|(key, name)| tree.get(key) == Some(name)));
        assert_eq!((map.len(), set.len()), (tree.len(), tree.len()));
        let copy = map.try_clone().expect("there is room");
        map.try_shrink_to_fit().expect("there is room");
        assert_eq!(copy, map);
    });
}

#[test]
fn multi_maps_keep_the_order_of_values() {
    on_each(|allocator| {
        let mut map: MultiMap<'_, u32, u32> = MultiMap::new_in(allocator);
        let mut tree: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for number in 0..900 {
            let key = number * 31 % 57;
            map.try_insert(key, number).expect("there is room");
            tree.entry(key).or_default().push(number);
            if number % 5 == 0 {
                let key = number % 57;
                let first = tree.get_mut(&key).filter(|values| !values.is_empty());
                assert_eq!(map.remove_first(&key), first.map(|values| values.remove(0)));
            }
        }
        for (key, values) in &tree {
            assert!(map.values_of(key) == values.as_slice(), "the values of {key}");
        }
        assert_eq!(map.validate(), Ok(()));
    });
}

/// Allocates, frees and compacts, and returns whether all blocks have kept their bytes.
fn exercise_blocks(heap: &mut HandleHeap<'_>) -> Result<(), HandleHeapError> {
    let mut live: Vec<(BlockId, u8, usize)> = Vec::new();
    for number in 0..300_usize {
        let bytes = number * 131 % 500;
        let id = heap.try_allocate(bytes, 16)?;
        let mark = number as u8;
        heap.bytes_mut(id).expect("it is live").fill(mark);
        live.push((id, mark, bytes));
        if number % 3 != 0 {
            let (id, ..) = live.swap_remove(number * 17 % live.len());
            heap.free(id).expect("it is live");
        }
        heap.compact(1_000);
    }
    while !heap.compact(10_000).done {}
    assert_eq!(heap.validate(), Ok(()), "the heap is whole");
    let stats = heap.stats();
    assert_eq!(stats.hole_bytes, stats.tail_hole_bytes, "{stats:?}: only parts end in holes");
    for (id, mark, bytes) in live {
        let all = heap.bytes(id).expect("it is live");
        assert!(all.len() == bytes && all.iter().all(|byte| *byte == mark), "block {id:?}");
    }
    Ok(())
}

#[test]
fn relocatable_blocks_keep_their_bytes() {
    on_each(|allocator| {
        let mut heap = HandleHeap::new_in(allocator);
        exercise_blocks(&mut heap).expect("there is room");
        heap.try_shrink_to_fit().expect("there is room");
        assert_eq!(heap.validate(), Ok(()));
    });
}

#[test]
fn whatever_is_refused_all_three_stay_whole() {
    for number in 0.. {
        let pages = PageAllocator::new("pages");
        let backing = HeapAllocator::new_in("heap", &pages);
        let memory = FailingAllocator::new_in("failing", Refusals::Nth(number), &backing);
        let (mut refused, mut inserted) = (0, 0);
        {
            let dynamic: &dyn Allocator = &memory;
            let mut map: HashMap<'_, u32, u32> = HashMap::new_in(dynamic);
            let mut multi: MultiMap<'_, u32, u32> = MultiMap::new_in(dynamic);
            let mut heap = HandleHeap::new_in(dynamic);
            let mut count = |outcome: Result<(), GrowError>| match outcome {
                Ok(()) => inserted += 1,
                Err(_) => refused += 1,
            };
            for number in 0..200 {
                count(map.try_insert(number, number).map(|_| ()));
                count(multi.try_insert(number % 9, number));
            }
            assert_eq!(map.len() + multi.len(), inserted);
            assert_eq!(multi.validate(), Ok(()));
            match exercise_blocks(&mut heap) {
                Ok(()) => {}
                Err(HandleHeapError::Memory { .. } | HandleHeapError::Ids(_)) => refused += 1,
                Err(other) => panic!("{other}"),
            }
            assert_eq!(heap.validate(), Ok(()));
        }
        assert_eq!(memory.stats().live, 0, "refusing request {number}");
        // A block that is refused in double its length may be had in the length that is needed.
        assert!(refused <= usize::from(memory.refused() > 0), "one request, {refused} refusals");
        if memory.refused() == 0 {
            assert!(number > 15, "the test asks for memory often");
            break;
        }
    }
}

/// What is done with a multi map.
#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u8, u16),
    RemoveFirst(u8),
    RemoveAll(u8),
    KeepOdd(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..20_u8, any::<u16>()).prop_map(|(key, value)| Step::Insert(key, value)),
        3 => (0..20_u8).prop_map(Step::RemoveFirst),
        1 => (0..20_u8).prop_map(Step::RemoveAll),
        1 => (0..20_u8).prop_map(Step::KeepOdd),
    ];
    proptest::collection::vec(step, 0..200)
}

proptest! {
    #[test]
    fn a_multi_map_is_a_tree_of_vectors(steps in steps()) {
        let pages = PageAllocator::new("pages");
        let mut map: MultiMap<'_, u8, u16> = MultiMap::new_in(&pages);
        let mut tree: BTreeMap<u8, Vec<u16>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Insert(key, value) => {
                    map.insert(key, value);
                    tree.entry(key).or_default().push(value);
                }
                Step::RemoveFirst(key) => {
                    let values = tree.entry(key).or_default();
                    let first = (!values.is_empty()).then(|| values.remove(0));
                    prop_assert_eq!(map.remove_first(&key), first);
                }
                Step::RemoveAll(key) => {
                    let count = tree.remove(&key).map_or(0, |values| values.len());
                    prop_assert_eq!(map.remove_all(&key), count);
                }
                Step::KeepOdd(key) => {
                    map.retain_of(&key, |value| *value % 2 == 1);
                    tree.entry(key).or_default().retain(|value| value % 2 == 1);
                }
            }
            prop_assert_eq!(map.validate(), Ok(()));
            for (key, values) in &tree {
                prop_assert!(map.values_of(key) == values.as_slice());
            }
        }
    }
}
