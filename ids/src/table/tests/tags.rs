//! The tags of tables: ids of another table refused, and what keeps a tag.

use core::mem::MaybeUninit;
use std::vec::Vec;

use crate::error::InsertAtError;
use crate::id::{Id, SmallId};
use crate::policy::{Fifo, Lifo, Refuse, Retire, Wrap};
use crate::secondary::{Secondary, SparseSecondary};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::TestBacking;

type Of<'a, S, I = Id<u8>> = Table<'a, S, u64, I, Lifo, Retire, TestBacking>;

/// Returns two tables that took different tags by themselves. Other tests make tables at the same
/// time, so two in a row may have one tag; three pairs in a row have not.
fn two_tables<S: Shape>(backing: &TestBacking) -> [Of<'_, S>; 2] {
    (0..3)
        .map(|_| [Of::<S>::new_in(backing), Of::<S>::new_in(backing)])
        .find(|[one, other]| one.tag() != other.tag())
        .expect("tables count their tags")
}

/// Every operation that takes an id, with one of another table.
fn refused<S: Shape>() {
    let backing = TestBacking::new();
    let [mut one, mut other] = two_tables::<S>(&backing);
    assert!(one.tag() > 0 && other.tag() > 0, "0 is taken by no table itself");
    let own = one.insert(1).expect("memory");
    let foreign = other.insert(2).expect("memory");
    assert_eq!((own.index(), own.generation()), (foreign.index(), foreign.generation()));
    assert_eq!((own.tag(), foreign.tag()), (one.tag(), other.tag()), "ids carry it");
    assert!(!one.contains(foreign) && one.get(foreign).is_none(), "not found");
    assert!(one.get_mut(foreign).is_none() && one.index_of(foreign).is_none(), "not found");
    assert!(one.get_many_mut([own, foreign]).is_none(), "not one of two");
    assert_eq!((one.remove(foreign), one.remove_batch([foreign])), (None, 0), "not removed");
    let tags = InsertAtError::Foreign { tag: other.tag(), own: one.tag() };
    assert_eq!(one.insert_at(foreign, 3), Err(tags), "not inserted at");
    let reserved = one.reserve_id().expect("memory");
    let strange = other.reserve_id().expect("memory");
    assert!(!one.is_reserved(strange) && one.is_reserved(reserved), "not reserved here");
    assert!(one.fill(strange, 3).is_err() && !one.give_up(strange), "not filled, not given up");
    assert_eq!((one.get(own), one.len()), (Some(&1), 1), "the table is as it was");
    one.validate().expect("whole");
}

#[test]
fn an_id_of_another_table_is_refused() {
    refused::<Holes>();
    refused::<Packed>();
}

/// What a tag cannot do: two tables with one tag take each other's ids for their own, and so do all
/// whose ids have no bits for one.
#[test]
fn tables_with_one_tag_are_not_distinguished() {
    let backing = TestBacking::new();
    let mut one = Of::<Holes>::new_in(&backing).with_tag(7);
    let mut other = Of::<Packed>::new_in(&backing).with_tag(7);
    let id = one.insert(1).expect("memory");
    assert_eq!(other.insert(2), Ok(id), "the same id");
    assert_eq!((one.get(id), other.get(id)), (Some(&1), Some(&2)), "and both find an object");
    let mut one = Of::<Holes, SmallId<u8>>::new_in(&backing);
    let mut other = Of::<Holes, SmallId<u8>>::new_in(&backing);
    let id = one.insert(1).expect("memory");
    assert_eq!((other.insert(2), id.tag()), (Ok(id), 0), "no tag");
}

/// Copies of a table are for the ids that it gave out.
fn kept<S: Shape>() {
    let backing = TestBacking::new();
    let mut table = Of::<S>::with_limit_in(30, &backing).with_tag(201);
    let ids = [1, 2, 3].map(|value| table.insert(value).expect("memory"));
    table.remove(ids[0]);
    let copy = table.clone();
    let mut image = std::vec![0; table.saved_len()];
    table.save(&mut image).expect("the length is right");
    let restored = Of::<S>::restore_in(&image, &backing).expect("an image");
    let mut memory = std::vec![MaybeUninit::uninit(); Of::<S>::fixed_len(8)];
    let fixed = Of::<S>::restore_fixed(&image, &mut memory, 8).expect("there is room");
    let next = table.insert(4).expect("memory");
    for mut other in [copy, restored, fixed] {
        assert_eq!((other.tag(), other.get(ids[1])), (201, Some(&2)), "the tag of the original");
        assert_eq!(other.get(ids[0]), None, "what is gone is gone");
        assert_eq!(other.insert(4), Ok(next), "the next id");
        other.validate().expect("whole");
    }
    table.clear();
    table.try_shrink_to_fit().expect("memory");
    assert_eq!(table.insert(5).map(|id| id.tag()), Ok(201), "for good");
}

#[test]
fn a_copy_has_the_tag_of_the_original() {
    kept::<Holes>();
    kept::<Packed>();
}

/// Every way to make a table takes a tag.
#[test]
fn every_new_table_takes_a_tag() {
    let backing = TestBacking::new();
    let mut memory = std::vec![MaybeUninit::uninit(); Of::<Holes>::fixed_len(4)];
    let made = [
        Of::<Holes>::new_in(&backing),
        Of::<Holes>::with_limit_in(4, &backing),
        Of::<Holes>::from_iter_in([1, 2], &backing).expect("memory"),
        Of::<Holes>::fixed(&mut memory, 4).expect("the length is enough"),
    ];
    for mut table in made {
        let tag = table.tag();
        assert!((1..=255).contains(&tag), "{tag}");
        let id = table.insert(3).expect("room");
        assert_eq!((id.tag(), table.get(id)), (tag, Some(&3)), "in its ids");
        table.validate().expect("whole");
    }
}

/// The last of 16 777 215 lives, to which an id inserted at its own place leads.
fn last_life<S: Shape>() {
    type Wide = Id<u8>;
    let backing = TestBacking::new();
    let lives = (1 << 24) - 1;
    let at = |generation: u64| Wide::from_bits(5 << 56 | generation << 32 | 2).expect("an id");
    let mut table = Of::<S, Wide>::with_limit_in(3, &backing).with_tag(5);
    table.insert_at(at(lives - 1), 1).expect("memory");
    assert_eq!(table.remove(at(lives - 1)), Some(1), "one life is left");
    assert_eq!((table.stats().retired, table.stats().generation_highest), (0, lives - 1));
    assert_eq!(table.insert(2), Ok(at(lives)), "the last");
    assert_eq!(table.remove(at(lives)), Some(2), "it was live");
    let stats = table.stats();
    assert_eq!((stats.retired, stats.generations, stats.free), (1, lives, 2), "out of use");
    assert!((0..2).all(|value| table.insert(value).is_ok_and(|id| id.index() < 2)), "the others");
    assert!(table.insert(0).is_err(), "are all");
    table.validate().expect("whole");

    let mut table = Table::<S, u64, Wide, Fifo, Wrap, _>::with_limit_in(3, &backing).with_tag(5);
    table.insert_at(at(lives), 1).expect("memory");
    table.clear();
    let ids: Vec<_> = (0..3).map(|value| table.insert(value).expect("room")).collect();
    assert_eq!((ids[2], table.stats().retired), (at(1), 0), "it begins again");

    let mut table = Table::<S, u64, Wide, Lifo, Refuse, _>::with_limit_in(3, &backing).with_tag(5);
    table.insert_at(at(lives), 1).expect("memory");
    table.clear();
    let spent = crate::InsertError::Spent { index: 2, generations: lives };
    assert_eq!(table.insert(0), Err(spent), "it is an error");
}

#[test]
fn a_slot_of_the_default_id_retires_after_16_777_215_lives() {
    last_life::<Holes>();
    last_life::<Packed>();
}

/// The last slot that the index names, where there is not so much memory, and one in a table that
/// may not have it.
#[test]
fn the_last_slot_of_the_default_id_is_refused_for_its_memory() {
    let backing = TestBacking::new();
    let last = Id::<u8>::from_bits(9 << 56 | 1 << 32 | u64::from(u32::MAX)).expect("an id");
    let mut table = Of::<Holes>::new_in(&backing).with_tag(9);
    // Where an address has 32 bits, the slot is one more than can be counted.
    let most = usize::try_from(1_u64 << 32).unwrap_or(usize::MAX) as u64;
    assert_eq!(table.limit() as u64, most, "all that the index names");
    backing.refuse_from(0);
    let refused = table.insert_at(last, 1).expect_err("so much memory there is not");
    let is_right = match refused {
        InsertAtError::Memory { slots, .. } => slots == 1 << 32,
        InsertAtError::Beyond { index, limit } => index == limit && limit == most,
        _ => false,
    };
    assert!(is_right && !table.contains(last), "{refused}");
    let mut few = Of::<Holes>::with_limit_in(100, &backing).with_tag(9);
    let beyond = InsertAtError::Beyond { index: u32::MAX.into(), limit: 100 };
    assert_eq!(few.insert_at(last, 1), Err(beyond), "no memory is asked for");
}

/// A map by ids has no tag, but compares all bits.
#[test]
fn a_map_does_not_find_the_value_of_another_table_s_id() {
    let backing = TestBacking::new();
    let [mut one, mut other] = two_tables::<Holes>(&backing);
    let (id, foreign) = (one.insert(1).expect("memory"), other.insert(2).expect("memory"));
    let mut dense: Secondary<'_, Id<u8>, char, TestBacking> = Secondary::new_in(&backing);
    let mut sparse: SparseSecondary<'_, Id<u8>, char, TestBacking> = Secondary::new_in(&backing);
    assert_eq!((dense.insert(id, 'a'), sparse.insert(id, 'a')), (Ok(None), Ok(None)), "new");
    assert_eq!((dense.get(foreign), sparse.get(foreign)), (None, None), "another's");
    assert_eq!((dense.remove(foreign), sparse.remove(foreign)), (None, None), "another's");
    assert_eq!((dense.get(id), sparse.get(id)), (Some(&'a'), Some(&'a')), "its own");
    // One value a slot: the last id given is taken for the living one.
    assert_eq!((dense.insert(foreign, 'b'), sparse.insert(foreign, 'b')), (Ok(None), Ok(None)));
    assert_eq!((dense.get(id), sparse.get(id), dense.len(), sparse.len()), (None, None, 1, 1));
}
