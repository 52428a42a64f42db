//! Tables filled to the last slot, out of memory, out of lives, and in memory of the caller.

use core::mem::MaybeUninit;
use std::string::ToString;
use std::vec::Vec;

use crate::error::{InsertAtError, InsertError};
use crate::id::{Id, SmallId, TableId};
use crate::policy::{Fifo, FreeList, Lifo, Refuse, Retire, Wrap};
use crate::table::shape::Shape;
use crate::table::{HoleTable, Holes, Packed, PackedTable, Table};
use crate::test_backing::TestBacking;

/// Fills every slot that the index can name, checks the last, and finds the next refused.
fn fill_up<S: Shape, I: TableId>() {
    let backing = TestBacking::new();
    let mut table = Table::<S, u32, I, Lifo, Retire, _>::new_in(&backing);
    let ids: Vec<I> =
        (0..I::SLOTS as u32).map(|value| table.insert(value).expect("a slot is left")).collect();
    let full = table.insert(0).expect_err("no slot is left");
    assert!(matches!(full, InsertError::Full { limit, live, .. } if limit == live), "{full}");
    assert_eq!(
        ids.last().map(|id| id.bits() & I::INDEX_MASK),
        Some(I::INDEX_MASK),
        "the last slot"
    );
    for (value, &id) in ids.iter().enumerate() {
        assert_eq!(table.get(id), Some(&(value as u32)), "{id:?}");
    }
    table.validate().expect("a full table is whole");
    // The last slot dies and lives again, and so do all.
    for &id in ids.iter().rev() {
        assert!(table.remove(id).is_some(), "{id:?} was live");
    }
    table.validate().expect("an empty table is whole");
    let again = table.insert_batch(0..I::SLOTS as u32, |_| ());
    let lives = I::GENERATIONS > 1;
    assert_eq!(again.is_ok(), lives, "every slot has another life, if it has two");
    table.validate().expect("a table is whole after it is filled again");
}

#[test]
fn every_slot_of_a_split_can_be_used() {
    fill_up::<Holes, Id<u8, u32, 16, 16>>();
    fill_up::<Packed, Id<u8, u32, 16, 16>>();
    fill_up::<Holes, Id<u8, u32, 20, 12>>();
    fill_up::<Packed, Id<u8, u32, 20, 12>>();
    fill_up::<Holes, Id<u8, u32, 22, 10>>();
    fill_up::<Holes, Id<u8, u32, 3, 5>>();
    fill_up::<Packed, Id<u8, u32, 3, 5>>();
    fill_up::<Holes, Id<u8, u64, 3, 61>>();
    fill_up::<Packed, Id<u8, u64, 5, 32>>();
    fill_up::<Holes, Id<u8, u32, 1, 1>>();
    fill_up::<Packed, Id<u8, u32, 1, 31>>();
}

/// A ring of free slots that begins after its first position keeps its order when the table grows.
#[test]
fn a_ring_that_was_turned_keeps_its_order_as_it_grows() {
    fn turned<S: Shape>(turns: usize) {
        let backing = TestBacking::new();
        let mut table = Table::<S, usize, Id<u8>, Fifo<0>, Wrap, _>::new_in(&backing);
        let ids = [0; 8].map(|_| table.insert(0).expect("room"));
        assert_eq!((table.capacity(), table.remove_batch(ids)), (8, 8), "all slots are free");
        for _ in 0..turns {
            let id = table.insert(0).expect("room");
            assert!(table.remove(id).is_some(), "it goes to the end");
        }
        table.reserve(20).expect("memory");
        assert_eq!(table.validate(), Ok(()), "whole after {turns} turns");
        for number in 0..8 {
            let id = table.insert(number).expect("room");
            assert_eq!(id.index() as usize, (number + turns) % 8, "in turn after {turns}");
        }
    }
    for turns in 0..9 {
        turned::<Holes>(turns);
        turned::<Packed>(turns);
    }
}

/// The bitmap of 65 places has a word for the last one, which moves along as the table grows.
#[test]
fn a_table_grows_from_one_place_more_than_a_word_has() {
    let backing = TestBacking::new();
    let mut table = Table::<Holes, usize, Id<u8>, Lifo, Retire, _>::new_in(&backing);
    table.reserve(65).expect("memory");
    assert_eq!(table.capacity(), 65, "as many as were reserved");
    let ids: Vec<_> = (0..66).map(|number| table.insert(number).expect("memory")).collect();
    assert!(table.capacity() > 65 && table.validate().is_ok(), "it grew by the last one");
    assert!(table.iter().copied().eq(0..66), "all are visited");
    assert_eq!(table.get(ids[64]), Some(&64), "the one in the second word");
}

/// A tag of one bit, which is the highest of the id, does not look like the last generation.
#[test]
fn a_slot_with_a_tag_of_one_bit_lives_all_its_lives() {
    let backing = TestBacking::new();
    let table = Table::<Holes, u8, Id<u8, u32, 29, 2>, Lifo, Retire, _>::new_in(&backing);
    let mut table = table.with_tag(1);
    for (index, generation) in [(0, 1), (0, 2), (0, 3), (1, 1)] {
        let id = table.insert(1).expect("room");
        assert_eq!((id.index(), id.generation(), id.tag()), (index, generation, 1), "in turn");
        assert_eq!(table.remove(id), Some(1), "it was live");
    }
}

/// Where index and generation leave no bits there is no tag, neither of a table nor of an id.
#[test]
fn an_id_of_all_bits_has_no_tag() {
    let backing = TestBacking::new();
    let mut table = Table::<Holes, u8, Id<u8, u64, 32, 32>, Lifo, Retire, _>::new_in(&backing);
    let id = table.insert(1).expect("a slot is left");
    assert_eq!((table.tag(), id.tag()), (0, 0), "none");
}

/// Every slot of a full index is free, so the list has every position that there can be; each slot
/// in turn is taken out by its id, and then all the others come.
fn all_free<S: Shape, F: FreeList, const BITS: u32>() {
    type All<const BITS: u32> = Id<u8, u32, BITS, 9>;
    let slots = 1 << BITS;
    for taken in 0..slots {
        for turn in 0..slots {
            let backing = TestBacking::new();
            let mut table = Table::<S, u32, All<BITS>, F, Retire, _>::new_in(&backing);
            let ids: Vec<_> = (0..slots).map(|n| table.insert(n).expect("room")).collect();
            for at in 0..slots {
                table.remove(ids[(at + turn) as usize % ids.len()]);
            }
            table.validate().expect("whole with nothing in it");
            table.insert_at(ids[taken as usize], 77).expect("the slot is free");
            table.validate().expect("whole with one object");
            let mut image = std::vec![0; table.saved_len()];
            table.save(&mut image).expect("the length is right");
            let mut restored =
                Table::<S, u32, All<BITS>, F, Retire, _>::restore_in(&image, &backing)
                    .expect("whole");
            for n in 1..slots {
                let id = table.insert(n).expect("the others are free");
                assert_ne!(id, ids[taken as usize], "the slot is not");
                assert_eq!(restored.insert(n), Ok(id), "restored, it goes on alike");
            }
            assert!(table.insert(0).is_err(), "full");
            assert_eq!(table.get(ids[taken as usize]), Some(&77), "the object under its id");
            table.validate().expect("whole when it is full again");
        }
    }
}

#[test]
fn a_slot_is_taken_by_its_id_where_all_are_free() {
    all_free::<Holes, Lifo, 1>();
    all_free::<Packed, Lifo, 1>();
    all_free::<Holes, Lifo, 4>();
    all_free::<Packed, Lifo, 4>();
    all_free::<Holes, Fifo, 1>();
    all_free::<Packed, Fifo, 3>();
    all_free::<Holes, Fifo, 4>();
}

/// Splits whose index names more slots than there is memory for: the limit is the index's, and a
/// slot beyond what memory there is is refused as that.
#[test]
fn wide_splits_end_where_memory_does() {
    type Far = Id<u8, u64, 48, 16>;
    // Where the index names more than can be counted, all that can be.
    let slots = |named: u64| usize::try_from(named).unwrap_or(usize::MAX);
    let backing = TestBacking::new();
    let mut table = Table::<Holes, u8, Far, Lifo, Retire, _>::new_in(&backing);
    assert_eq!(table.limit(), slots(Far::SLOTS), "as many as the index names");
    backing.refuse_from(0);
    let last = Far::from_bits(1 << 48 | (table.limit() as u64 - 1)).expect("its first life");
    let refused = table.insert_at(last, 1).expect_err("so much memory there is not");
    let InsertAtError::Memory { slots: wanted, .. } = refused else { panic!("{refused}") };
    assert_eq!(wanted, table.limit() as u64, "all slots up to the last");
    backing.refuse_none();
    let mut wide = Table::<Packed, u8, Id<u8, u64, 32, 32>, Lifo, Retire, _>::new_in(&backing);
    assert_eq!(wide.limit(), slots(1 << 32), "as many as the index names");
    let far = Id::from_bits(u64::MAX << 32 | 70_000).expect("the last life of a slot");
    wide.insert_at(far, 3).expect("there is memory for 70 001 slots");
    assert_eq!(wide.get(far), Some(&3), "under its id");
    assert_eq!(wide.remove(far), Some(3), "and out again");
    assert_eq!(wide.stats().retired, 1, "it was the slot's last life");
    wide.validate().expect("whole");
}

#[test]
fn a_queue_is_full_early_and_says_so() {
    let backing = TestBacking::new();
    let mut table = Table::<Holes, u8, Id<u8>, Fifo<3>, Retire, _>::with_limit_in(10, &backing);
    let ids: Vec<_> = (0..10).map(|value| table.insert(value).expect("fresh slots")).collect();
    assert_eq!(table.remove_batch(ids.into_iter().take(4)), 4, "four die");
    table.insert(0).expect("more than three are free");
    let full = table.insert(0).expect_err("three are held back");
    let expected = InsertError::Full { limit: 10, live: 7, reserved: 0, retired: 0, held_back: 3 };
    assert_eq!(full, expected, "the error names the limit");
    assert!(full.to_string().contains("of 10 slots 7 are live"), "{full}");
    // Free slots that are not held back do not count there, though they are too few.
    let mut table = Table::<Holes, u8, Id<u8>, Lifo, Retire, _>::with_limit_in(10, &backing);
    let id = table.insert(0).expect("fresh slots");
    table.remove(id);
    let full = table.reserve(11).expect_err("there are ten");
    let expected = InsertError::Full { limit: 10, live: 0, reserved: 0, retired: 0, held_back: 0 };
    assert_eq!(full, expected, "a stack holds nothing back");
}

/// All lives of a table of few slots, one slot after the other.
fn live_out<S: Shape>() {
    type Brief = Id<u8, u32, 2, 3>;
    let backing = TestBacking::new();
    let mut table = Table::<S, u8, Brief, Lifo, Retire, _>::new_in(&backing).with_tag(3);
    let mut given = 0;
    assert_eq!(table.stats().ids_left, 28, "four slots of seven lives");
    while let Ok(id) = table.insert(0) {
        given += 1;
        assert_eq!(table.stats().ids_left, 28 - given, "each id is one less");
        table.remove(id);
        assert!(!table.contains(id), "{id:?} is dead");
        table.validate().expect("whole while slots retire");
    }
    assert_eq!((given, table.stats().retired), (28, 4), "every life was lived");
    assert_eq!(table.stats().generation_highest, 7, "to the last generation");
    let full = table.insert(0).expect_err("all slots are retired");
    assert!(matches!(full, InsertError::Full { retired: 4, .. }), "{full}");
    // Undo of the last removal brings a retired slot back.
    let last = Brief::from_bits(3 << 5 | 7 << 2).expect("the last life of slot 0");
    table.insert_at(last, 9).expect("a retired slot may come back");
    assert_eq!((table.get(last), table.stats().retired), (Some(&9), 3), "it did");

    let mut table = Table::<S, u8, Brief, Lifo, Refuse, _>::new_in(&backing);
    for _ in 0..7 {
        let id = table.insert(0).expect("lives are left");
        table.remove(id);
    }
    let spent = InsertError::Spent { index: 0, generations: 7 };
    assert_eq!(table.insert(0), Err(spent), "the end is an error");
    assert_eq!(table.reserve_id(), Err(spent), "for reserving, too");
    table.validate().expect("whole after refusing");

    let mut table = Table::<S, u8, Brief, Lifo, Wrap, _>::new_in(&backing);
    let first = table.insert(0).expect("room");
    let mut id = first;
    for _ in 0..7 {
        table.remove(id);
        id = table.insert(0).expect("room");
    }
    assert_eq!(id, first, "the first id comes back");
}

#[test]
fn the_end_of_the_generations_is_a_choice() {
    live_out::<Holes>();
    live_out::<Packed>();
}

/// The last life of the first slot, whose bits are the least that have the last generation, and the
/// life before of the last slot, whose bits are the greatest that have not.
fn last_life<I: TableId>() {
    let backing = TestBacking::new();
    let mut table = Table::<Holes, u8, I, Fifo, Retire, _>::with_limit_in(8, &backing).with_tag(0);
    let last_slot = I::INDEX_MASK.min(7);
    let first = I::checked(I::GENERATION_MASK).expect("the last generation");
    let other = I::GENERATION_MASK - I::GENERATION_ONE + last_slot;
    let other = I::checked(other).expect("a generation before it");
    table.insert_at(first, 1).expect("room");
    table.insert_at(other, 2).expect("room");
    assert_eq!((table.remove(first), table.stats().retired), (Some(1), 1), "it was the last");
    assert_eq!((table.remove(other), table.stats().retired), (Some(2), 1), "one is left");
    table.validate().expect("whole");
    let mut again = Vec::new();
    while let Ok(id) = table.insert(0) {
        again.push(id.bits());
    }
    assert!(again.contains(&(I::GENERATION_MASK | last_slot)), "that one is lived");
    assert!(again.iter().all(|bits| bits & I::INDEX_MASK != 0), "the first slot is out of use");
}

#[test]
fn the_first_slot_retires_as_the_others() {
    last_life::<Id<u8>>();
    last_life::<SmallId<u8>>();
    last_life::<Id<u8, u32, 3, 29>>();
    last_life::<Id<u8, u32, 3, 28>>();
    last_life::<Id<u8, u64, 48, 16>>();
    last_life::<Id<u8, u64, 3, 5>>();
}

/// The `n`th request for memory is refused, for every n, and every operation that may ask.
fn run_out<S: Shape>() {
    for n in 0..8 {
        let backing = TestBacking::new();
        let mut table = Table::<S, u64, Id<u8>, Lifo, Retire, _>::new_in(&backing).with_tag(1);
        backing.refuse_from(n);
        let mut ids = Vec::new();
        let refused = loop {
            match table.insert(ids.len() as u64) {
                Ok(id) => ids.push(id),
                Err(error) => break error,
            }
        };
        assert!(
            matches!(refused, InsertError::Memory { slots, bytes } if bytes > slots),
            "{refused}"
        );
        assert_eq!(ids.len(), if n == 0 { 0 } else { 8 << (n - 1) }, "each block is used up");
        assert_eq!(table.reserve(1), Err(refused), "reserving asks, too");
        assert_eq!(table.reserve_id(), Err(refused), "so does an id");
        assert_eq!(table.insert_batch([1], |_| ()), Err(refused), "so does a batch");
        let far = Id::from_bits(1 << 56 | 1 << 32 | 5000).expect("an id");
        let at = table.insert_at(far, 1).expect_err("so does a far id");
        assert!(matches!(at, InsertAtError::Memory { slots: 5001, .. }), "{at}");
        table.validate().expect("whole after refusals");
        assert!(table.iter().copied().eq(0..ids.len() as u64), "nothing changed");
        backing.refuse_none();
        table.insert(0).expect("memory is back");
    }
}

#[test]
fn memory_refused_changes_nothing() {
    run_out::<Holes>();
    run_out::<Packed>();
}

#[test]
fn an_empty_table_takes_nothing() {
    let backing = TestBacking::new();
    let table = Table::<Holes, u64, Id<u8>, Lifo, Retire, _>::new_in(&backing);
    let first = Id::from_bits(table.tag() << 56 | 1 << 32).expect("an id");
    assert!(!table.contains(first), "nothing is there");
    assert!(table.iter().next().is_none(), "nothing to visit");
    table.validate().expect("an empty table is whole");
    assert_eq!((backing.requests(), table.stats().bytes), (0, 0), "and no memory");
}

/// A table in memory of the caller at every offset, with objects of a large alignment.
fn fixed<S: Shape>() {
    #[derive(Debug, PartialEq)]
    #[repr(align(64))]
    struct Wide(u8);
    type Few<'a, S> = Table<'a, S, Wide>;
    let slots = 5;
    let len = Few::<S>::fixed_len(slots);
    let mut memory = std::vec![MaybeUninit::<u64>::uninit(); len + 8];
    for offset in 0..8 {
        let memory = &mut memory[offset..offset + len];
        let mut table = Few::<S>::fixed(memory, slots).expect("the length is enough");
        let ids: Vec<_> = (0..5).map(|n| table.insert(Wide(n)).expect("five fit")).collect();
        let full = table.insert(Wide(9)).expect_err("six do not");
        assert!(matches!(full, InsertError::Full { limit: 5, live: 5, .. }), "{full}");
        for (n, &id) in ids.iter().enumerate() {
            let wide = table.get(id).expect("live");
            assert_eq!(core::ptr::from_ref(wide).addr() % 64, 0, "aligned");
            assert_eq!(*wide, Wide(n as u8), "its own object");
        }
        table.validate().expect("whole");
    }
    let short = Few::<S>::fixed(&mut memory[..len - 1], slots).err();
    assert!(matches!(short, Some(InsertError::Memory { slots: 5, .. })), "{short:?}");
    let none = Few::<S>::fixed(&mut [], 0).expect("no slots need no memory");
    assert_eq!(none.capacity(), 0, "none");
    let mut one = Few::<S>::fixed(&mut memory, 1).expect("the length is enough");
    one.insert(Wide(1)).expect("one fits");
    assert_eq!((one.capacity(), one.len()), (1, 1), "just one");
    drop(one);
    let many = Table::<S, u8, Id<u8, u32, 2, 2>>::fixed(&mut memory, 5).err();
    assert!(matches!(many, Some(InsertError::Full { limit: 4, .. })), "{many:?}");
}

#[test]
fn a_fixed_table_lives_in_any_memory() {
    fixed::<Holes>();
    fixed::<Packed>();
}

#[test]
fn tables_are_small_and_cross_threads() {
    use loligo_allocators::Allocator;
    fn crosses<T: Send + Sync>() {}
    crosses::<HoleTable<'_, u8, Id<u8>, Lifo, Retire, dyn Allocator + Sync>>();
    let shown: fn(&HoleTable<'_, u8>) -> std::string::String = |table| std::format!("{table:?}");
    let none: HoleTable<'_, u8> = HoleTable::fixed(&mut [], 0).expect("no memory for no slots");
    assert_eq!(shown(&none), "{}", "a map");
    crosses::<PackedTable<'_, u8, Id<u8>, Lifo, Retire, dyn Allocator + Sync>>();
    let words = size_of::<HoleTable<'_, u8>>().max(size_of::<PackedTable<'_, u8>>());
    assert!(words <= 16 * size_of::<usize>(), "{words} bytes");
}

#[test]
fn objects_without_a_size_and_small_ones() {
    let backing = TestBacking::new();
    let mut table = Table::<Holes, (), Id<u8>, Lifo, Retire, _>::new_in(&backing);
    let ids: Vec<_> = (0..100).map(|_| table.insert(()).expect("room")).collect();
    assert_eq!(table.remove_batch(ids.iter().copied().step_by(2)), 50, "half go");
    table.validate().expect("whole");
    let mut table = Table::<Packed, (), Id<u8>, Lifo, Retire, _>::new_in(&backing);
    let ids: Vec<_> = (0..100).map(|_| table.insert(()).expect("room")).collect();
    assert_eq!(table.remove_batch(ids.iter().copied().step_by(2)), 50, "half go");
    table.validate().expect("whole");
    let mut table = Table::<Holes, [u8; 5], Id<u8, u64, 48, 16>, Lifo, Retire, _>::new_in(&backing);
    let ids: Vec<_> = (0..9).map(|n| table.insert([n; 5]).expect("room")).collect();
    table.remove(ids[3]);
    assert_eq!(table.get(ids[4]), Some(&[4; 5]), "links do not reach into neighbours");
    table.validate().expect("whole");
}
