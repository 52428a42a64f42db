//! The array against a map, out of memory, and with destructors that panic.

use core::panic::AssertUnwindSafe;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, resume_unwind};
use std::rc::Rc;

use crate::error::InsertError;
use crate::id::{Id, TableId};
use crate::secondary::Secondary;
use crate::test_backing::{Random, TestBacking};

/// Values by slot, with the id that gave them.
fn program<I: TableId>(seed: u64, slots: usize) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    let mut array: Secondary<'_, I, Rc<u64>, TestBacking> = Secondary::new_in(&backing);
    let mut model: BTreeMap<u64, (I, u64)> = BTreeMap::new();
    let counter = Rc::new(0);
    for step in 0..3000_u64 {
        let index = random.below(slots) as u64 & I::INDEX_MASK;
        let generation = (1 + random.next() % 3) << I::INDEX_BITS & I::GENERATION_MASK;
        let Some(id) = I::checked(generation | index) else { continue };
        let known = model.get(&index).filter(|(owner, _)| *owner == id).map(|&(_, value)| value);
        match random.below(8) {
            0..=2 => {
                let old = array.insert(id, Rc::new(step)).expect("there is memory");
                assert_eq!(old.map(|old| *old), known, "what {id:?} had");
                model.insert(index, (id, step));
            }
            3 | 4 => {
                assert_eq!(array.remove(id).map(|value| *value), known, "what {id:?} had");
                if known.is_some() {
                    model.remove(&index);
                }
            }
            5 => {
                assert_eq!(array.get(id).map(|value| **value), known, "what {id:?} has");
                assert_eq!(array.contains(id), known.is_some(), "whether {id:?} has any");
            }
            6 => {
                if let Some(value) = array.get_mut(id) {
                    *value = counter.clone();
                    model.insert(index, (id, 0));
                }
            }
            _ => {
                let odd = |value: u64| value % 7 != 3;
                array.retain(|_, value| odd(**value));
                model.retain(|_, (_, value)| odd(*value));
            }
        }
        assert_eq!(array.len(), model.len(), "how many at step {step}");
    }
    let seen = array.iter().map(|(id, value)| (id, **value));
    assert!(seen.eq(model.values().copied()), "all of them, in order");
    drop(array);
    assert_eq!(Rc::strong_count(&counter), 1, "every value was dropped");
}

#[test]
fn the_array_does_what_a_map_does() {
    for seed in 0..4 {
        program::<Id<u8>>(seed, 300);
        program::<Id<u8, u32, 3, 5>>(seed + 10, 8);
        program::<Id<u8, u64, 48, 16>>(seed + 20, 70);
        program::<Id<u8, u32, 1, 2>>(seed + 30, 2);
    }
}

#[test]
fn memory_refused_changes_nothing() {
    for n in 0..4 {
        let backing = TestBacking::new();
        let mut array: Secondary<'_, Id<u8>, u64, TestBacking> = Secondary::new_in(&backing);
        let id = |index: u32| Id::from_bits(1 << 20 | index).expect("generation 1");
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
            resume_unwind(std::boxed::Box::new("planned"));
        }
    }
}

#[test]
fn a_destructor_that_panics_leaves_the_array_whole() {
    let backing = TestBacking::new();
    let mut array: Secondary<'_, Id<u8>, Bad, TestBacking> = Secondary::new_in(&backing);
    let id = |generation: u32, index| Id::from_bits(generation << 20 | index).expect("an id");
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
    let backing = TestBacking::new();
    let counter = Rc::new(());
    let mut array: Secondary<'_, Id<u8>, (Rc<()>, Bad), TestBacking> = Secondary::new_in(&backing);
    for index in 0..5 {
        let id = Id::from_bits(1 << 20 | index).expect("an id");
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
    let id = |generation: u32, index| Id::from_bits(generation << 20 | index).expect("an id");
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
    assert_eq!(array.iter().map(|(_, value)| *value).collect::<std::string::String>(), "bcd");
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
