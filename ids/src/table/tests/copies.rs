//! Tables that are cloned, shrunk, taken apart, indexed and made from iterators.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::format;
use std::panic::{catch_unwind, resume_unwind};
use std::rc::Rc;
use std::string::String;
use std::vec::Vec;

use crate::error::InsertError;
use crate::id::Id;
use crate::policy::{Fifo, FreeList, Lifo, Retire};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::TestBacking;

type Of<'a, S, T, F = Lifo> = Table<'a, S, T, Id<u8, u32, 12, 12>, F, Retire, TestBacking>;

/// A table of ten objects, of which three were removed and one id is reserved.
fn used<'a, S: Shape, F: FreeList>(backing: &'a TestBacking) -> Of<'a, S, Rc<usize>, F> {
    let mut table = Of::<S, Rc<usize>, F>::new_in(backing).with_tag(7);
    let ids: Vec<_> = (0..10).map(|n| table.insert(Rc::new(n)).expect("room")).collect();
    table.reserve_id().expect("room");
    table.remove_batch([ids[8], ids[1], ids[5]]);
    table
}

fn cloned<S: Shape, F: FreeList>() {
    let (backing, other) = (TestBacking::new(), TestBacking::new());
    let mut table = used::<S, F>(&backing);
    let mut copy = table.try_clone_in(&other).expect("there is memory");
    assert_eq!((copy.validate(), copy.tag()), (Ok(()), 7), "whole");
    assert!(copy.iter_with_ids().eq(table.iter_with_ids()), "the same objects");
    assert!(copy.iter().all(|object| Rc::strong_count(object) == 2), "cloned once");
    for n in 0..5 {
        assert_eq!(copy.insert(Rc::new(n)), table.insert(Rc::new(n)), "the same ids");
    }
    drop(table);
    assert!(copy.iter().all(|object| Rc::strong_count(object) == 1), "its own");
}

#[test]
fn a_clone_has_the_same_ids_and_goes_on_alike() {
    cloned::<Holes, Lifo>();
    cloned::<Packed, Lifo>();
    cloned::<Holes, Fifo<2>>();
    cloned::<Packed, Fifo<2>>();
}

/// Panics when it is cloned for the last time that `left` allows.
struct Delicate<'a> {
    left: &'a Cell<usize>,
    living: &'a Cell<usize>,
}

impl Clone for Delicate<'_> {
    fn clone(&self) -> Self {
        if self.left.get() == 0 {
            resume_unwind(Box::new("planned"));
        }
        self.left.set(self.left.get() - 1);
        self.living.set(self.living.get() + 1);
        Self { left: self.left, living: self.living }
    }
}

impl Drop for Delicate<'_> {
    fn drop(&mut self) {
        self.living.set(self.living.get() - 1);
    }
}

fn clone_panics<S: Shape>() {
    for last in 0..6 {
        let backing = TestBacking::new();
        let (left, living) = (Cell::new(last), Cell::new(6));
        let mut table = Of::<S, Delicate<'_>>::new_in(&backing);
        for _ in 0..6 {
            let inserted = table.insert(Delicate { left: &left, living: &living });
            assert!(inserted.is_ok(), "there is room");
        }
        let copied = catch_unwind(AssertUnwindSafe(|| table.clone().len()));
        assert!(copied.is_err(), "the clone after {last} panics");
        assert_eq!((living.get(), table.len()), (6, 6), "the clones made before are dropped");
    }
}

#[test]
fn a_clone_that_panics_drops_what_was_cloned() {
    clone_panics::<Holes>();
    clone_panics::<Packed>();
}

#[test]
fn without_memory_there_is_no_clone() {
    let backing = TestBacking::new();
    let table = used::<Packed, Lifo>(&backing);
    backing.refuse_from(0);
    let refused = table.try_clone_in(&backing).map(drop).unwrap_err();
    assert!(matches!(refused, InsertError::Memory { slots: 11, .. }), "{refused}");
    let cloned = catch_unwind(AssertUnwindSafe(|| table.clone().len()));
    let message = cloned.unwrap_err().downcast::<String>().expect("a message");
    assert!(message.starts_with("no memory for a table of 11 slots"), "{message}");
    assert!(table.iter().all(|object| Rc::strong_count(object) == 1), "nothing was cloned");
    // A table in memory of the caller has no allocator to clone into, but can be given one.
    backing.refuse_none();
    type Fixed<'a> = Table<'a, Holes, u64, Id<u8>, Lifo, Retire, TestBacking>;
    let mut memory = [MaybeUninit::uninit(); Fixed::fixed_len(3)];
    let mut fixed = Fixed::fixed(&mut memory, 3).expect("as long as it says");
    let id = fixed.insert(5).expect("room");
    assert!(catch_unwind(AssertUnwindSafe(|| fixed.clone().len())).is_err(), "no allocator");
    let copy = fixed.try_clone_in(&backing).expect("there is memory");
    assert_eq!((copy.get(id), copy.limit()), (Some(&5), 3), "the limit as well");
}

fn shrunk<S: Shape, F: FreeList>() {
    let backing = TestBacking::new();
    let mut table = used::<S, F>(&backing);
    table.reserve(100).expect("there is memory");
    let (before, bytes) = (table.try_clone_in(&backing).expect("memory"), table.stats().bytes);
    backing.refuse_from(0);
    let refused = table.try_shrink_to_fit().unwrap_err();
    assert!(matches!(refused, InsertError::Memory { slots: 11, .. }), "{refused}");
    table.shrink_to_fit();
    assert!(table.capacity() > 100, "it keeps its block");
    backing.refuse_none();
    assert_eq!((table.try_shrink_to_fit(), table.capacity()), (Ok(()), 11), "every slot used");
    assert!(table.stats().bytes < bytes / 4, "less memory");
    table.validate().expect("whole");
    assert!(table.iter_with_ids().eq(before.iter_with_ids()), "the same objects");
    let requests = backing.requests();
    assert_eq!((table.try_shrink_to_fit(), backing.requests()), (Ok(()), requests), "once");
    let mut before = before;
    for n in 0..30 {
        assert_eq!(table.insert(Rc::new(n)), before.insert(Rc::new(n)), "the same ids");
    }
    table.validate().expect("whole");
    let mut empty = Of::<S, u8, F>::new_in(&backing);
    empty.reserve(9).expect("memory");
    empty.shrink_to_fit();
    assert_eq!((empty.capacity(), empty.validate(), empty.stats().bytes), (0, Ok(()), 0), "none");
    assert!(empty.insert(1).is_ok(), "it takes a block again");
}

#[test]
fn a_shrunk_table_has_a_place_for_each_slot_used() {
    shrunk::<Holes, Lifo>();
    shrunk::<Packed, Lifo>();
    shrunk::<Holes, Fifo<2>>();
    shrunk::<Packed, Fifo<2>>();
}

fn taken<S: Shape>() {
    let backing = TestBacking::new();
    let table = used::<S, Lifo>(&backing);
    let expected: Vec<usize> = table.iter().map(|object| **object).collect();
    let mut all = table.into_iter();
    assert_eq!((all.len(), all.next().map(|object| *object)), (7, Some(expected[0])), "first");
    assert_eq!(all.next_back().map(|object| *object), Some(expected[6]), "last");
    assert_eq!(format!("{all:?}"), format!("{:?}", &expected[1..6]), "what is left");
    assert!(all.by_ref().map(|object| *object).eq(expected[1..6].iter().copied()), "the rest");
    assert!(all.next().is_none() && all.next_back().is_none(), "and stays at its end");
    assert_eq!(Of::<S, u8>::new_in(&backing).into_iter().count(), 0, "of an empty table");
}

#[test]
fn a_table_taken_apart_gives_its_objects_in_order() {
    taken::<Holes>();
    taken::<Packed>();
    fn crosses<T: Send + Sync>() {}
    type Shared = dyn loligo_allocators::Allocator + Sync;
    crosses::<crate::TableIntoIter<'_, Holes, u8, Id<u8>, Lifo, Retire, Shared>>();
}

#[test]
fn walks_are_cloned_and_print_what_is_left() {
    let backing = TestBacking::new();
    let mut table = Of::<Holes, char>::new_in(&backing).with_tag(0);
    table.extend("abc".chars());
    let mut walk = table.iter();
    walk.next();
    let copy = walk.clone();
    assert!(walk.eq(copy.clone()), "both go on from there");
    assert_eq!(format!("{copy:?}"), "['b', 'c']", "objects");
    let pairs = "{Id(0v1): 'a', Id(1v1): 'b', Id(2v1): 'c'}";
    assert_eq!(format!("{:?}", table.ids()), "[Id(0v1), Id(1v1), Id(2v1)]", "ids");
    assert_eq!(format!("{:?}", table.iter_with_ids().clone()), pairs, "both");
    assert_eq!(format!("{:?}", table.iter_with_ids_mut()), pairs, "both");
    let mut walk = table.iter_mut();
    let last = walk.next_back();
    assert_eq!(format!("{walk:?}"), "['a', 'b']", "without the one that is lent");
    *last.expect("three") = 'd';
    assert!(table.ids().rev().map(|id| table[id]).eq("dba".chars()), "backwards");
}

#[test]
fn an_index_that_names_nothing_panics_with_id_and_table() {
    let backing = TestBacking::new();
    let mut table = Of::<Holes, char>::new_in(&backing).with_tag(3);
    table.extend(['a', 'b']);
    let first = table.ids().next().expect("two");
    table[first] = 'c';
    assert_eq!(table[first], 'c', "what was written");
    table.remove(first);
    let mut message = |id| {
        let read = catch_unwind(AssertUnwindSafe(|| table[id])).map(drop);
        let written = catch_unwind(AssertUnwindSafe(|| table[id] = 'x'));
        let [read, written] = [read, written]
            .map(|panic| *panic.unwrap_err().downcast::<String>().expect("a message"));
        assert_eq!(read, written, "one message");
        read
    };
    let dead = "Id(0v1@3) names nothing in this table of 1 `char`: its object was removed";
    assert_eq!(message(first), dead, "of a dead object");
    let foreign = Id::from_bits(5 << 24 | 1 << 12).expect("generation 1");
    let expected = "Id(0v1@5) is not of this table of 1 `char`, whose ids have the tag 3";
    assert_eq!(message(foreign), expected, "of another table");
}

#[test]
fn a_table_is_extended_as_far_as_there_is_memory() {
    let backing = TestBacking::new();
    let mut table: Of<'_, Packed, u32> = Of::from_iter_in(0..4, &backing).expect("memory");
    table.try_extend(4..9).expect("memory");
    assert!(table.iter().copied().eq(0..9), "in order");
    backing.refuse_from(0);
    assert!(matches!(table.try_extend(0..100), Err(InsertError::Memory { .. })), "refused");
    assert_eq!(table.len(), 9, "none of them");
    assert!(catch_unwind(AssertUnwindSafe(|| table.extend(0..100))).is_err(), "it panics");
    assert_eq!(table.len(), 9, "none of them");
    assert!(Of::<Holes, u32>::from_iter_in(0..4, &backing).is_err(), "no memory for a table");
}
