//! The maps against a tree, out of memory, and with destructors that panic.

#[cfg(feature = "serde")]
mod serialized;

use core::any::TypeId;
use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, resume_unwind};
use std::rc::Rc;
use std::string::String;
use std::vec::Vec;

use crate::error::InsertError;
use crate::id::{Id, TableId};
use crate::secondary::{Dense, Entry, Placement, Secondary, Sparse, SparseSecondary};
use crate::test_backing::{Random, TestBacking};

type Map<'a, I, P> = Secondary<'a, I, Rc<u64>, TestBacking, P>;

/// Values by slot, with the id that gave them.
type Model<I> = BTreeMap<u64, (I, u64)>;

fn program<I: TableId, P: Placement>(seed: u64, slots: usize) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    let mut map: Map<'_, I, P> = Secondary::new_in(&backing);
    let mut model = Model::new();
    let counter = Rc::new(0);
    for step in 0..3000_u64 {
        // Most indices in a row, as tables give them out, and some far apart.
        let far = if random.below(8) == 0 { 1000 } else { 1 };
        let index = (random.below(slots) * far) as u64 & I::INDEX_MASK;
        let generation = (1 + random.next() % 3) << I::INDEX_BITS & I::GENERATION_MASK;
        let Some(id) = I::checked(generation | index) else { continue };
        let known = model.get(&index).filter(|(owner, _)| *owner == id).map(|&(_, value)| value);
        match random.below(12) {
            0..=2 => {
                let old = map.insert(id, Rc::new(step)).expect("there is memory");
                assert_eq!(old.map(|old| *old), known, "what {id:?} had");
                model.insert(index, (id, step));
            }
            3 | 4 => {
                assert_eq!(map.remove(id).map(|value| *value), known, "what {id:?} had");
                if known.is_some() {
                    model.remove(&index);
                }
            }
            5 => {
                assert_eq!(map.get(id).map(|value| **value), known, "what {id:?} has");
                assert_eq!(map.contains(id), known.is_some(), "whether {id:?} has any");
            }
            6 => {
                if let Some(value) = map.get_mut(id) {
                    *value = counter.clone();
                    model.insert(index, (id, 0));
                }
            }
            7 | 8 => enter(&mut map, &mut model, (id, index, known), step),
            9 => {
                let other = model.values().nth(random.below(model.len().max(1)));
                let Some(&(other, value)) = other else { continue };
                let both = known.filter(|_| other != id).map(|known| [known, value]);
                let lent = map.get_many_mut([id, other]).map(|lent| lent.map(|value| **value));
                assert_eq!(lent, both, "{id:?} and {other:?} at once");
                assert!(map.get_many_mut([other, other]).is_none(), "one twice");
            }
            _ => whole(&mut map, &mut model, &mut random),
        }
        assert_eq!(map.len(), model.len(), "how many at step {step}");
    }
    compare(&map, &model);
    drop(map);
    assert_eq!(Rc::strong_count(&counter), 1, "every value was dropped");
}

/// One use of the entry of an id, which is at an index and has a known value.
fn enter<I: TableId, P: Placement>(
    map: &mut Map<'_, I, P>,
    model: &mut Model<I>,
    (id, index, known): (I, u64, Option<u64>),
    step: u64,
) {
    let entry = map.entry(id).expect("there is memory");
    assert_eq!(entry.id(), id, "the one asked for");
    match (entry, known) {
        (Entry::Occupied(mut entry), Some(known)) => {
            assert_eq!((entry.id(), **entry.get()), (id, known), "what it has");
            if step.is_multiple_of(2) {
                assert_eq!(*entry.remove(), known, "what it had");
                model.remove(&index);
            } else {
                assert_eq!(*entry.insert(Rc::new(step)), known, "what it had");
                model.insert(index, (id, step));
            }
        }
        (Entry::Vacant(entry), None) if step.is_multiple_of(3) => {
            assert_eq!(entry.id(), id, "unused")
        }
        (entry @ Entry::Vacant(_), None) => {
            let value = entry.and_modify(|_| panic!("there is none")).or_insert(Rc::new(step));
            assert_eq!(**value, step, "what was inserted");
            model.insert(index, (id, step));
        }
        (_, known) => panic!("the entry of {id:?} should have {known:?}"),
    }
}

/// One operation on all values.
fn whole<I: TableId, P: Placement>(
    map: &mut Map<'_, I, P>,
    model: &mut Model<I>,
    random: &mut Random,
) {
    match random.below(6) {
        0 => {
            let (divisor, mut asked) = (2 + random.next() % 6, Vec::new());
            map.retain(|id, value| {
                asked.push((id, **value));
                **value % divisor != 0
            });
            asked.sort_by_key(|(id, _)| id.bits() & I::INDEX_MASK);
            assert!(asked.iter().eq(model.values()), "each is asked about once");
            model.retain(|_, (_, value)| *value % divisor != 0);
        }
        1 => {
            let copy = map.clone();
            assert!(copy.iter().eq(map.iter()), "in one order");
            *map = copy;
        }
        2 => {
            map.shrink_to_fit();
            let capacity = map.capacity();
            assert_eq!((map.try_shrink_to_fit(), map.capacity()), (Ok(()), capacity), "once");
        }
        3 => {
            for (id, value) in &mut *map {
                let index = id.bits() & I::INDEX_MASK;
                *value = Rc::new(**value + 1);
                model.get_mut(&index).expect("it has a value").1 += 1;
            }
        }
        _ => compare(map, model),
    }
}

fn compare<I: TableId, P: Placement>(map: &Map<'_, I, P>, model: &Model<I>) {
    let mut seen: Vec<_> = map.iter().map(|(id, value)| (id, **value)).collect();
    assert!(map.iter().rev().eq(map.iter().collect::<Vec<_>>().into_iter().rev()), "both ways");
    // By slot, which is the order of a dense map.
    if TypeId::of::<P>() == TypeId::of::<Sparse>() {
        seen.sort_by_key(|(id, _)| id.bits() & I::INDEX_MASK);
    }
    assert!(seen.iter().eq(model.values()), "all of them");
    assert!(model.values().all(|&(id, value)| *map[id] == value), "each is found");
}

fn programs<P: Placement>() {
    for seed in 0..4 {
        program::<Id<u8, u32, 20, 12>, P>(seed, 300);
        program::<Id<u8, u32, 3, 5>, P>(seed + 10, 8);
        program::<Id<u8, u64, 48, 16>, P>(seed + 20, 70);
        program::<Id<u8, u32, 1, 2>, P>(seed + 30, 2);
    }
}

#[test]
fn the_map_does_what_a_tree_does() {
    programs::<Dense>();
}

#[test]
fn the_sparse_map_does_what_a_tree_does() {
    programs::<Sparse>();
}

#[test]
fn the_memory_of_a_sparse_map_follows_its_values() {
    let backing = TestBacking::new();
    type Far = Id<u8, u64, 48, 16>;
    let mut map: SparseSecondary<'_, Far, u64, TestBacking> = Secondary::new_in(&backing);
    let id = |n: u64| Far::from_bits(1 << 48 | n << 40 | n).expect("generation 1");
    for n in 0..24 {
        map.insert(id(n), n).expect("memory");
    }
    assert_eq!(map.capacity(), 32, "three of four places");
    map.insert(id(24), 24).expect("memory");
    assert_eq!(map.capacity(), 64, "one more doubles it");
    map.retain(|_, value| *value < 3);
    assert_eq!(map.capacity(), 64, "the memory is kept");
    backing.refuse_from(0);
    assert!(matches!(map.try_shrink_to_fit(), Err(InsertError::Memory { .. })), "refused");
    assert!(map.insert(id(5), 5).is_ok_and(|old| old.is_none()), "there is room");
    backing.refuse_none();
    map.shrink_to_fit();
    assert_eq!((map.capacity(), map.len()), (8, 4), "down to the first block");
    assert_eq!([0, 1, 2, 5].map(|n| map[id(n)]), [0, 1, 2, 5], "all are there");
    map.clear();
    map.shrink_to_fit();
    assert_eq!((map.capacity(), map.get(id(0))), (0, None), "nothing is left");
}

#[test]
fn an_index_without_a_value_panics_with_the_id() {
    let backing = TestBacking::new();
    let mut map: Secondary<'_, Id<u8>, char, TestBacking> = Secondary::new_in(&backing);
    let id = Id::from_bits(1 << Id::<u8>::INDEX_BITS | 4).expect("generation 1");
    map.extend([(id, 'a')]);
    map[id] = 'b';
    assert_eq!(map[id], 'b', "what was written");
    map.clear();
    let message = |panic: Box<dyn core::any::Any + Send>| *panic.downcast::<String>().expect("one");
    let expected = "Id(4v1) has no value in a map of 0 `char`";
    let read = catch_unwind(AssertUnwindSafe(|| map[id]));
    assert_eq!(message(read.unwrap_err()), expected, "to read");
    let written = catch_unwind(AssertUnwindSafe(|| map[id] = 'c'));
    assert_eq!(message(written.unwrap_err()), expected, "to write");
    backing.refuse_from(0);
    assert!(catch_unwind(AssertUnwindSafe(|| map.clone().len())).is_err(), "no memory to clone");
}

#[test]
fn memory_refused_changes_nothing() {
    for n in 0..4 {
        let backing = TestBacking::new();
        let mut array: Secondary<'_, Id<u8>, u64, TestBacking> = Secondary::new_in(&backing);
        let id = |index: u32| Id::from_bits(1 << 32 | u64::from(index)).expect("generation 1");
        backing.refuse_from(n);
        let mut count = 0_u32;
        let refused = loop {
            match array.insert(id(count), u64::from(count)) {
                Ok(old) => assert_eq!(old, None, "new"),
                Err(error) => break error,
            }
            count += 1;
        };
        assert!(matches!(refused, InsertError::Memory { .. }), "{refused}");
        assert_eq!(count, if n == 0 { 0 } else { 8 << (n - 1) }, "each block is used up");
        assert!(array.iter().map(|(_, value)| *value).eq(0..u64::from(count)), "as it was");
        backing.refuse_none();
        array.insert(id(5000), 1).expect("memory is back");
        assert!(array.capacity() > 5000, "up to the index");
    }
}

struct Bad(bool);

impl Drop for Bad {
    fn drop(&mut self) {
        if self.0 {
            resume_unwind(Box::new("planned"));
        }
    }
}

#[test]
fn a_destructor_that_panics_leaves_the_array_whole() {
    let backing = TestBacking::new();
    let mut array: Secondary<'_, Id<u8>, Bad, TestBacking> = Secondary::new_in(&backing);
    let id = |generation: u64, index| Id::from_bits(generation << 32 | index).expect("an id");
    for index in 0..5 {
        array.insert(id(1, index), Bad(index == 2)).unwrap_or_else(|error| panic!("{error}"));
    }
    let replaced = catch_unwind(AssertUnwindSafe(|| array.insert(id(2, 2), Bad(false)).is_ok()));
    assert!(replaced.is_err(), "the stale value's destructor panics");
    assert!(array.contains(id(2, 2)) && array.len() == 5, "the new one stays");
    array.insert(id(1, 1), Bad(true)).unwrap_or_else(|error| panic!("{error}"));
    assert!(catch_unwind(AssertUnwindSafe(|| array.clear())).is_err(), "the destructor panics");
    assert_eq!((array.len(), array.iter().count()), (3, 3), "the rest stays");
    array.insert(id(1, 4), Bad(true)).unwrap_or_else(|error| panic!("{error}"));
    // The memory is given back all the same: the backing looks.
    assert!(catch_unwind(AssertUnwindSafe(|| drop(array))).is_err(), "the destructor panics");
}

#[test]
fn a_destructor_that_panics_keeps_no_other_from_being_dropped() {
    dropped::<Dense>();
    dropped::<Sparse>();
}

fn dropped<P: Placement>() {
    let backing = TestBacking::new();
    let counter = Rc::new(());
    let mut array: Secondary<'_, Id<u8>, (Rc<()>, Bad), TestBacking, P> =
        Secondary::new_in(&backing);
    for index in 0..5 {
        let id = Id::from_bits(1 << 32 | index).expect("an id");
        let value = (Rc::clone(&counter), Bad(index == 2));
        assert!(array.insert(id, value).is_ok_and(|old| old.is_none()), "a new one");
    }
    assert!(catch_unwind(AssertUnwindSafe(|| drop(array))).is_err(), "the destructor panics");
    assert_eq!(Rc::strong_count(&counter), 1, "those after it are dropped as well");
}

#[test]
fn it_counts_and_prints_what_it_holds() {
    let backing = TestBacking::new();
    let mut array: Secondary<'_, Id<u8>, char, TestBacking> = Secondary::new_in(&backing);
    let id = |generation: u64, index| Id::from_bits(generation << 32 | index).expect("an id");
    assert!(array.is_empty(), "nothing yet");
    assert_eq!((array.capacity(), backing.requests()), (0, 0), "and no memory");
    assert_eq!((array.remove(id(1, 0)), array.iter().len()), (None, 0), "nothing is there");
    assert_eq!(std::format!("{array:?}"), "{}", "an empty map");
    array.insert(id(1, 0), 'a').expect("memory");
    assert_eq!(array.capacity(), 8, "the first block");
    array.insert(id(3, 7), 'b').expect("no memory is needed");
    assert_eq!(array.capacity(), 8, "the last slot of it");
    assert!(!array.is_empty(), "two values");
    assert_eq!(std::format!("{array:?}"), "{Id(0v1): 'a', Id(7v3): 'b'}", "in order of the slots");
    array.insert(id(1, 8), 'c').expect("memory");
    assert_eq!((array.capacity(), array.len()), (16, 3), "one slot more doubles it");
    array.insert(id(1, 100), 'd').expect("memory");
    assert_eq!((array.capacity(), array.len()), (101, 4), "as far as the index");
    array.retain(|_, value| *value != 'a');
    assert_eq!(array.iter().map(|(_, value)| *value).collect::<String>(), "bcd");
    array.clear();
    assert!(array.is_empty() && array.capacity() == 101, "the memory is kept");
    assert_eq!(array.get(id(1, 100)), None, "and nothing is found");
}

/// An array for all that the index can name has no slot more.
#[test]
fn it_ends_where_the_index_does() {
    let backing = TestBacking::new();
    type Few = Id<u8, u32, 3, 5>;
    let mut array: Secondary<'_, Few, u8, TestBacking> = Secondary::new_in(&backing);
    let last = Few::from_bits(1 << 3 | 7).expect("the last slot");
    array.insert(last, 1).expect("memory");
    assert_eq!((array.capacity(), array.get(last)), (8, Some(&1)), "all eight");
    type Two = Id<u8, u32, 1, 5>;
    let mut array: Secondary<'_, Two, u8, TestBacking> = Secondary::new_in(&backing);
    array.insert(Two::from_bits(3).expect("slot 1"), 1).expect("memory");
    assert_eq!(array.capacity(), 2, "no more than the index names");
    let requests = backing.requests();
    type Far = Id<u8, u64, 63, 1>;
    let mut array: Secondary<'_, Far, u64, TestBacking> = Secondary::new_in(&backing);
    let far = Far::from_bits(1 << 63 | 1 << 62).expect("an id");
    // Where fewer can be counted, just those are named.
    let slots = ((1 << 62) + 1).min(usize::MAX as u64);
    let refused = InsertError::Memory { slots, bytes: u64::MAX };
    assert_eq!(array.insert(far, 1), Err(refused), "more than can be asked for");
    assert_eq!(backing.requests(), requests, "nobody was asked");
}
