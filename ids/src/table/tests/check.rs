//! What `validate` finds, each rule by its own words.

use crate::id::Id;
use crate::policy::{Fifo, FreeList, GenerationEnd, Lifo, Retire, Wrap};
use crate::table::shape::{Parts, Shape};
use crate::table::{Holes, Packed, Table};
use crate::test_backing::TestBacking;

type Of<'a, S, F, E> = Table<'a, S, u64, Id<u8, u32, 8, 4>, F, E, TestBacking>;

/// Breaks a table of 5 objects, 2 free slots (3 and 0), a reserved one (7) and 8 more places, and
/// returns what is said of it.
fn found<S: Shape, F: FreeList, E: GenerationEnd>(
    damage: fn(&mut Of<'_, S, F, E>),
) -> Option<&'static str> {
    let backing = TestBacking::new();
    let mut table = Of::<S, F, E>::with_limit_in(100, &backing).with_tag(0);
    let ids = [0; 7].map(|_| table.insert(0).expect("room"));
    table.reserve_id().expect("room");
    table.reserve(8).expect("memory");
    table.remove_batch([ids[3], ids[0]]);
    table.validate().expect("whole before it is broken");
    damage(&mut table);
    table.validate().err().map(|damage| damage.what)
}

fn of_any_arrangement<S: Shape>() {
    let start = Some("the free list does not begin where it should");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.head = 1), start, "a stack has no head");
    assert_eq!(found::<S, Fifo, Retire>(|table| table.head = table.capacity), start, "the head");
    let more = Some("more slots are in use than there are");
    assert_eq!(found::<S, Fifo, Retire>(|table| table.used = 101), more, "used");
    assert_eq!(found::<S, Fifo, Retire>(|table| table.limit = 9), more, "the limit");
    let sum = Some("free, reserved and retired slots are more than all");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.retired = 6), sum, "retired");
    let none = Some("a slot is retired though none should be");
    assert_eq!(found::<S, Lifo, Wrap>(|table| table.retired = 1), none, "retired");
    let count = Some("slots of some state are miscounted");
    let named_other: fn(&mut Of<'_, S, Lifo, Retire>) = |table| {
        (table.reserved, table.retired) = (0, 1);
    };
    assert_eq!(found(named_other), count, "reserved");
    let mask = Some("the mask does not fit the number of slots");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.mask = 7), mask, "the mask");
    let fresh = Some("a slot that was never used is written");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.parts.set_word(9, 1)), fresh, "a word");
    let stranger = Some("a live slot has no generation or another table's tag");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.parts.set_word(1, 1)), stranger, "no life");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.tag = 1 << 12), stranger, "the tag");
    let tag = Some("a dead slot has a tag");
    let tagged: fn(&mut Of<'_, S, Lifo, Retire>) = |table| table.parts.set_word(0, 1 << 12 | 1);
    assert_eq!(found(tagged), tag, "a tag");
    let even = Some("a dead slot has the lowest bit of its own index");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.parts.set_word(0, 1 << 8 | 16)), even, "2^4");
    let odd: fn(&mut Of<'_, S, Lifo, Retire>) = |table| table.parts.set_word(3, 1 << 8 | 17);
    assert_eq!(found(odd), even, "an odd one of an odd slot");
    let list = Some("a slot on no list leads on");
    assert_eq!(found::<S, Lifo, Retire>(|table| table.parts.set_word(3, 1 << 8)), list, "lost");
    let spent = Some("a slot is free that has lived all its lives");
    let last: fn(&mut Of<'_, S, Lifo, Retire>) = |table| table.parts.set_word(0, 15 << 8 | 1);
    assert_eq!(found(last), spent, "the last generation");
    // Slot 3 is there twice, instead of slot 0.
    let twice: fn(&mut Of<'_, S, Fifo, Retire>) = |table| {
        table.place_free(3, 1 << 8, 1);
        table.parts.set_word(0, 1);
    };
    assert_eq!(found(twice), count, "twice on the list");
}

#[test]
fn every_rule_is_looked_at() {
    of_any_arrangement::<Holes>();
    of_any_arrangement::<Packed>();
    // What one arrangement alone has.
    let bit = Some("the bitmap and the slot differ on its being live");
    let fresh: fn(&mut Of<'_, Holes, Lifo, Retire>) = |table| {
        table.parts.put(9, 1, 0, 0);
        table.parts.set_word(9, 0);
    };
    assert_eq!(found(fresh), bit, "a bit of a place that was never used");
    let dead: fn(&mut Of<'_, Holes, Lifo, Retire>) = |table| {
        let word = table.parts.word(0);
        table.parts.put(0, 1, 0, 0);
        table.parts.set_word(0, word);
    };
    assert_eq!(found(dead), bit, "a bit of a dead slot");
    let second: fn(&mut Of<'_, Holes, Lifo, Retire>) = |table| {
        table.reserve(59).expect("room");
        assert_eq!(table.capacity, 65, "a word of the bitmap, and a bit");
        table.parts.put(64, 1, 0, 0);
        table.parts.set_word(64, 0);
    };
    assert_eq!(found(second), bit, "a bit of the last place, in the next word");
    let lost: fn(&mut Of<'_, Holes, Lifo, Retire>) = |table| {
        table.parts.take(1, 0, 0);
    };
    assert_eq!(found(lost), bit, "a live slot without a bit");
    let beyond: fn(&mut Of<'_, Packed, Lifo, Retire>) = |table| table.parts.set_place(1, 5);
    let far = Some("the place of the slot is beyond the last object");
    assert_eq!(found(beyond), far, "a place");
    let other: fn(&mut Of<'_, Packed, Lifo, Retire>) = |table| table.parts.set_place(1, 3);
    assert_eq!(found(other), Some("the id beside the object is another"), "a place");
}
