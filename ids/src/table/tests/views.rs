//! The objects as a slice, as a walk and as a map, and the parts of a table in another block.

use core::mem::MaybeUninit;
use std::format;
use std::vec::Vec;

use crate::id::{Id, SmallId};
use crate::policy::{Fifo, Lifo, Retire};
use crate::table::shape::{Measures, Parts, Shape, align, fixed_len, offsets, slots_for};
use crate::table::{HoleTable, Holes, Packed, PackedTable, Table};
use crate::test_backing::TestBacking;

type Of<'a, S> = Table<'a, S, u64, Id<u8>, Lifo, Retire, TestBacking>;

#[test]
fn a_packed_table_shows_its_objects_as_a_slice() {
    let backing = TestBacking::new();
    let mut table = Of::<Packed>::new_in(&backing);
    assert!(table.as_slice().is_empty() && table.as_mut_slice().is_empty(), "nothing");
    assert_eq!(table.id_at(0), None, "and no id");
    let ids = [10, 20, 30, 40].map(|value| table.insert(value).expect("room"));
    assert_eq!(table.as_slice(), [10, 20, 30, 40], "as they came");
    for (place, id) in ids.into_iter().enumerate() {
        assert_eq!(table.id_at(place), Some(id), "the id at place {place}");
        assert_eq!(table.index_of(id), Some(place), "and back");
    }
    assert_eq!((table.id_at(4), table.id_at(usize::MAX)), (None, None), "after the last");
    assert_eq!(table.remove(ids[1]), Some(20), "it was there");
    assert_eq!(table.as_slice(), [10, 40, 30], "the last one moves into the gap");
    assert_eq!((table.id_at(1), table.id_at(2)), (Some(ids[3]), Some(ids[2])), "with its id");
    assert_eq!(table.id_at(3), None, "the last place is free, though there is memory");
    table.as_mut_slice().swap(0, 2);
    let seen = ids.map(|id| table.get(id).copied());
    assert_eq!(seen, [Some(30), None, Some(10), Some(40)], "ids stay with their places");
    table.as_mut_slice()[1] = 41;
    assert_eq!(table.get(ids[3]), Some(&41), "a write is seen under the id");
    table.validate().expect("whole");
}

fn walked<S: Shape>() {
    let backing = TestBacking::new();
    let mut table = Of::<S>::new_in(&backing).with_tag(5);
    let ids = [1, 2, 3].map(|value| table.insert(value).expect("room"));
    table.remove(ids[1]);
    for value in &mut table {
        *value += 10;
    }
    let seen: Vec<u64> = (&table).into_iter().copied().collect();
    assert_eq!(seen, [11, 13], "every object, changed");
    let last = format!("{table:?}");
    assert_eq!(last, "{Id(0v1@5): 11, Id(2v1@5): 13}", "a map from ids");
    assert_eq!(table.iter_mut().len(), 2, "the walk knows its length");
    let mut walk = table.iter_with_ids();
    assert_eq!(walk.next(), Some((ids[0], &11)), "the first");
    assert_eq!(walk.len(), 1, "one is left");
    assert_eq!(table.ids().fold(0, |sum, id| sum + id.index()), 2, "of slots 0 and 2");
    assert!(!table.is_empty(), "two objects");
    table.clear();
    assert!(table.is_empty() && (&table).into_iter().next().is_none(), "none is left");
}

#[test]
fn a_table_is_walked_in_a_loop() {
    walked::<Holes>();
    walked::<Packed>();
}

/// A table in one block is moved to one that is larger, by its parts.
fn moved<S: Shape>() {
    fn cloned<P: Clone>(parts: &P) -> P {
        parts.clone()
    }
    let (mut small, mut large) = (Vec::new(), Vec::new());
    small.resize(Of::<S>::fixed_len(5), MaybeUninit::uninit());
    large.resize(Of::<S>::fixed_len(70), MaybeUninit::uninit());
    let mut from = Of::<S>::fixed(&mut small, 5).expect("as long as it says").with_tag(7);
    let mut to = Of::<S>::fixed(&mut large, 70).expect("as long as it says").with_tag(7);
    let ids = [10, 20, 30, 40].map(|value| from.insert(value).expect("room"));
    // SAFETY: both are parts of tables, and those that are left hold plain numbers.
    unsafe { cloned(&from.parts).move_to(cloned(&to.parts), 4, 4) };
    (from.used, to.used) = (0, 4);
    to.validate().expect("the same table elsewhere");
    assert_eq!(ids.map(|id| to.get(id).copied()), [Some(10), Some(20), Some(30), Some(40)]);
    to.insert(50).expect("there is room for more");
    assert!(to.iter().eq(&[10, 20, 30, 40, 50]), "in their order");
}

#[test]
fn the_parts_of_a_table_move_to_another_block() {
    moved::<Holes>();
    moved::<Packed>();
}

#[test]
fn several_objects_are_lent_at_once_or_none() {
    let backing = TestBacking::new();
    let mut table = Of::<Packed>::new_in(&backing);
    let ids = [1, 2, 3].map(|value| table.insert(value).expect("room"));
    let [third, first] = table.get_many_mut([ids[2], ids[0]]).expect("both live");
    core::mem::swap(first, third);
    assert_eq!(table.as_slice(), [3, 2, 1], "both were changed");
    assert!(table.get_many_mut([ids[0], ids[1], ids[0]]).is_none(), "one twice");
    assert!(table.get_many_mut([ids[1], ids[1]]).is_none(), "one twice");
    assert!(table.get_many_mut::<0>([]).is_some(), "none at all");
    table.remove(ids[2]);
    assert!(table.get_many_mut([ids[0], ids[2]]).is_none(), "one is dead");
    assert!(table.get_many_mut([ids[2], ids[0]]).is_none(), "one is dead");
    assert!(table.get_many_mut([ids[1]]).is_some(), "one that lives");
}

/// The largest power of two.
const TOP: usize = 1 << (usize::BITS - 1);

#[test]
fn tables_larger_than_memory_have_no_layout() {
    let measures = Measures { slot: 4, bitmap: true, beside: 0, free: 4, object: 8, align: 8 };
    // Objects, slots, a bit each and the free list: 20 + 1/8 bytes a slot.
    let full = 1 << 20;
    let bytes = offsets(measures, full).map(|offsets| offsets.bytes);
    assert_eq!(bytes, Some(full * 16 + full / 8), "all arrays");
    assert_eq!(offsets(measures, full).map(|offsets| offsets.slots), Some(full * 8), "the objects");
    let beside = offsets(measures, full).map(|offsets| offsets.beside);
    assert_eq!(beside, Some(full * 12), "and the slots");
    for capacity in [usize::MAX, TOP, TOP >> 1, TOP >> 3, TOP >> 4] {
        assert!(offsets(measures, capacity).is_none(), "{capacity} objects");
        assert_eq!(fixed_len(measures, capacity), None, "{capacity} objects");
    }
    // Bytes alone, to the last that can be asked for: two slots less one bit for each.
    let bytes = |object| Measures { slot: 4, bitmap: false, beside: 0, free: 0, object, align: 1 };
    let most = isize::MAX as usize - 8 - 8 - 7;
    let largest = offsets(bytes(most / 8 * 8), 1).expect("just as much as there may be");
    assert!(largest.bytes <= isize::MAX as usize - 8, "{largest:?}");
    assert!(offsets(bytes(most / 8 * 8 + 8), 1).is_none(), "one word more");
    assert_eq!(align(bytes(1)), 8, "never less than a word");
    assert_eq!(align(Measures { align: 64, ..measures }), 64, "what the objects want");
    assert_eq!(align(Measures { align: 16, ..measures }), 16, "what the objects want");
    let slots = [0, 1, 2, 3, 4, 5, TOP].map(slots_for);
    let expected = [2, 2, 2, 4, 4, 8, TOP].map(Some);
    assert_eq!(slots, expected, "a power of two, two at least");
    assert_eq!(slots_for(TOP + 1), None, "there is none above");
}

#[test]
#[should_panic(expected = "no memory is as large as a table of so many slots")]
fn a_fixed_table_larger_than_memory_is_a_bug() {
    let _ = HoleTable::<u64>::fixed_len(usize::MAX / 8);
}

/// Lengths in words: objects, slots, the data that accompanies them and the free list.
#[test]
fn a_fixed_table_takes_what_its_arrays_take() {
    let word = align_of::<u64>();
    let len = |bytes: usize, align: usize| (bytes + align - word).div_ceil(8);
    let holes = HoleTable::<u64>::fixed_len(5);
    assert_eq!(holes, len(5 * 8 + 8 * 8 + 8 + 5 * 8, 8), "objects, slots, bits, list");
    let packed = PackedTable::<u64>::fixed_len(5);
    assert_eq!(packed, len(5 * 8 + 8 * 16 + 5 * 8, 8), "objects, slots, ids");
    let ring = PackedTable::<u64, Id<u64>, Fifo>::fixed_len(5);
    assert_eq!(ring, len(5 * 8 + 8 * 16 + 5 * 8 + 5 * 8, 8), "and a separate list");
    type Small = SmallId<u64>;
    let holes = HoleTable::<u64, Small>::fixed_len(5);
    assert_eq!(holes, len(5 * 8 + 8 * 4 + 8 + 5 * 4, 8), "half of each but the objects");
    let packed = PackedTable::<u64, Small>::fixed_len(5);
    assert_eq!(packed, len(5 * 8 + 8 * 8 + 5 * 4, 8), "objects, slots, ids");
    let ring = PackedTable::<u64, Small, Fifo>::fixed_len(5);
    assert_eq!(ring, len(5 * 8 + 8 * 8 + 5 * 4 + 5 * 4, 8), "and a separate list");
    let bytes = HoleTable::<u8, Id<u8, u64, 32, 32>>::fixed_len(65);
    assert_eq!(bytes, len(72 + 128 * 8 + 16 + 65 * 8, 8), "two words of bits");
}

/// A batch that promises less than it gives, and one whose promise cannot be kept.
#[test]
fn a_batch_is_all_or_what_was_not_promised() {
    let backing = TestBacking::new();
    let mut table = Table::<Packed, u64, Id<u8>, Lifo, Retire, _>::with_limit_in(10, &backing);
    let mut made = Vec::new();
    assert_eq!(table.insert_batch([1, 2, 3], |id| made.push(id)), Ok(3), "three");
    assert!(made.iter().map(|&id| table.get(id).copied()).eq([1, 2, 3].map(Some)), "in order");
    let refused = table.insert_batch(0..8, |id| made.push(id));
    assert!(refused.is_err() && table.len() == 3 && made.len() == 3, "eight do not fit");
    assert_eq!(table.insert_batch(0..7, |id| made.push(id)), Ok(7), "seven do");
    assert_eq!(table.remove_batch(made.drain(3..)), 7, "and go again");
    let unknown = (0..20).filter(|_| true);
    assert!(table.insert_batch(unknown, |id| made.push(id)).is_err(), "not twenty");
    assert_eq!((table.len(), made.len()), (10, 10), "but those that fit, each with its id");
    assert_eq!(table.remove_batch([made[0], made[0], made[9]]), 2, "one is named twice");
    table.validate().expect("whole");
}

/// Every counter of a table with slots of each state.
fn counted<S: Shape>(bytes: u64) {
    type Brief = Id<u8, u32, 8, 2>;
    let backing = TestBacking::new();
    let table = Table::<S, u64, Brief, Fifo<2>, Retire, _>::with_limit_in(20, &backing);
    let mut table = table.with_tag(0);
    let fresh = table.stats();
    assert_eq!((fresh.fresh, fresh.bytes, fresh.ids_left), (20, 0, 60), "nothing yet");
    assert_eq!((fresh.generation_highest, fresh.limit), (0, 20), "nothing yet");
    let last = Brief::from_bits(3 << 8 | 1).expect("the last life of slot 1");
    table.insert_at(last, 1).expect("room");
    assert_eq!(table.remove(last), Some(1), "it was there");
    let ids = [2, 3, 4, 5, 6].map(|value| table.insert(value).expect("room"));
    table.reserve_id().expect("room");
    table.remove_batch([ids[0], ids[1]]);
    let expected = crate::table::TableStats {
        live: 3,
        reserved: 1,
        free: 3,
        held_back: 2,
        retired: 1,
        fresh: 12,
        capacity: 8,
        limit: 20,
        bytes,
        generations: 3,
        generation_highest: 3,
        // 12 slots of three lives; slot 0 never lived; six had one life, slot 1 all.
        ids_left: 36 + 3 + 6 * 2,
    };
    assert_eq!(table.stats(), expected, "every counter");
    table.validate().expect("whole");
}

#[test]
fn stats_tell_every_state_of_a_slot() {
    // Objects, slots, bits or ids, and the list.
    counted::<Holes>(8 * 8 + 8 * 4 + 8 + 8 * 4);
    counted::<Packed>(8 * 8 + 8 * 8 + 8 * 4 + 8 * 4);
}

/// How large the block is: eight at first, then twice as many, and never more than the limit.
fn grown<S: Shape>() {
    let backing = TestBacking::new();
    let mut table = Table::<S, u64, Id<u8>, Lifo, Retire, _>::with_limit_in(20, &backing);
    let mut seen = Vec::new();
    for value in 0..20 {
        table.insert(value).expect("room");
        if seen.last() != Some(&table.capacity()) {
            seen.push(table.capacity());
        }
    }
    assert_eq!(seen, [8, 16, 20], "twice as many, up to the limit");
    let mut table = Table::<S, u64, Id<u8>, Lifo, Retire, _>::with_limit_in(100, &backing);
    let id = table.insert(1).expect("room");
    table.reserve(7).expect("seven are free");
    assert_eq!(table.capacity(), 8, "there was room");
    table.remove(id);
    table.reserve(8).expect("eight are free");
    assert_eq!(table.capacity(), 8, "there was room");
    table.reserve(9).expect("memory");
    assert_eq!(table.capacity(), 16, "twice as many");
    table.reserve(50).expect("memory");
    assert_eq!(table.capacity(), 50, "as many as needed");
    table.reserve(100).expect("memory");
    assert_eq!(table.capacity(), 100, "all of them");
    assert!(table.reserve(101).is_err() && table.reserve(usize::MAX).is_err(), "no more");
    table.validate().expect("whole");
}

#[test]
fn a_table_grows_to_twice_its_size() {
    grown::<Holes>();
    grown::<Packed>();
}
