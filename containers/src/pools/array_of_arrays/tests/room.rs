//! How long buffers are asked for, when rows are moved together, and into what blocks.

use loligo_allocators::{Allocator, Refusals};

use crate::error::GrowError;
use crate::pools::array_of_arrays::{ArrayOfArrays, RowId};
use crate::testing::test_memory::{Memory, asks_for_more, with_memory};

type Words<'a> = ArrayOfArrays<'a, u32, Memory<'a>>;

/// The bytes of a unit of four elements.
const UNIT: usize = 16;

/// Checks that the longest request of `act` is for `units` units.
fn asks_for(units: usize, act: impl Fn(&Memory<'_>, &mut dyn FnMut())) {
    assert!(asks_for_more(UNIT * units - 1, &act), "as many as {units} units");
    assert!(!asks_for_more(UNIT * units, &act), "no more than {units} units");
}

#[test]
fn a_full_buffer_grows_as_said() {
    for (units, wanted) in [(1, 16), (9, 18), (100, 200), (4096, 8192), (4097, 6145)] {
        asks_for(wanted, |memory, limit| {
            let mut all = Words::try_with_capacity_in(100, 4 * units, memory).expect("memory");
            assert_eq!(all.space.units() as usize, units, "as many as were asked for");
            let mut left = units;
            while left > 0 {
                let block = 1 << left.ilog2();
                all.add_row_from(&std::vec![7; 4 * block]);
                left -= block;
            }
            limit();
            let _ = all.try_add_row_from(&[7; 5]);
            all.validate().expect("whole");
        });
    }
}

#[test]
fn a_long_row_makes_the_buffer_as_long_as_it_needs() {
    // What is in use, and the block.
    asks_for(1 + 64, |memory, limit| {
        let mut all = Words::try_with_capacity_in(4, 48, memory).expect("memory");
        all.add_row_from(&[7; 3]);
        limit();
        let _ = all.try_add_row_from(&[7; 4 * 50]);
    });
    with_memory(|memory| {
        let mut all = Words::try_with_capacity_in(4, 4 * 64, memory).expect("memory");
        all.add_row_from(&[7; 4 * 64]);
        memory.refuse(Refusals::Larger((64 + 16) * UNIT));
        all.add_row_from(&[7; 4 * 16]);
        assert_eq!((all.space.units(), memory.refused()), (64 + 16, 1), "where twice is refused");
        all.validate().expect("whole");
    });
}

/// Twelve rows of a unit each in a buffer of as many, of which some are removed.
fn full<'a>(memory: &'a Memory<'a>, removed: &[usize]) -> (Words<'a>, [RowId<u32>; 12]) {
    let mut all = Words::try_with_capacity_in(20, 48, memory).expect("memory");
    assert_eq!(all.space.units(), 12, "just as many as were asked for");
    let rows = core::array::from_fn(|number| all.add_row_from(&[number as u32; 4]));
    removed.iter().for_each(|&number| assert!(all.remove_row(rows[number]), "row {number}"));
    (all, rows)
}

#[test]
fn rows_are_moved_together_where_a_quarter_is_free() {
    let most: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 10];
    // What is in use then and half as much, or twice the buffer, or, where nearly all is free, as
    // long a one.
    for (removed, wanted) in [(&[1, 4, 7][..], 11 + 5), (&[1, 4], 24), (most, 12)] {
        asks_for(wanted, |memory, limit| {
            let (mut all, _) = full(memory, removed);
            limit();
            let _ = all.try_add_row_from(&[99; 8]);
        });
        with_memory(|memory| {
            let (mut all, rows) = full(memory, removed);
            let row = all.add_row_from(&[99; 8]);
            let left = if wanted == 24 { 2 } else { 0 };
            assert_eq!((all.space.free(), &all[row]), (left, &[99; 8][..]), "{removed:?} removed");
            assert!(all[rows[9]] == [9; 4] && all[rows[11]] == [11; 4], "what it was");
            all.validate().expect("whole");
        });
    }
}

#[test]
fn where_nothing_longer_is_to_be_had_rows_are_moved_together() {
    for (removed, is_enough) in [(&[1, 4][..], true), (&[1], false)] {
        with_memory(|memory| {
            let (mut all, rows) = full(memory, removed);
            memory.refuse(Refusals::Larger(12 * UNIT));
            let done = all.try_add_row_from(&[99; 8]);
            let refused = GrowError::Memory { elements: 4 * 14, bytes: 14 * UNIT as u64 };
            assert_eq!(done.err(), (!is_enough).then_some(refused), "what was needed");
            let left = if is_enough { 0 } else { 1 };
            assert_eq!((all.space.units(), all.space.free()), (12, left), "as long");
            assert_eq!(all[rows[11]], [11; 4], "what it was");
            all.validate().expect("whole");
        });
    }
}

#[test]
fn rows_that_are_moved_keep_room_to_grow() {
    with_memory(|memory| {
        let mut all = Words::try_with_capacity_in(20, 4 * 128, memory).expect("memory");
        let rows = [64, 64, 64].map(|len| all.add_row_from(&std::vec![7; len]));
        let gone = all.add_row_from(&[7; 4 * 32]);
        // These fill what is left of it.
        let others = [32, 16].map(|units| all.add_row_from(&std::vec![8; 4 * units]));
        let last = all.add_row();
        // Four of sixteen units, five, and none.
        assert!(all.truncate(rows[0], 16) && all.truncate(rows[1], 17), "they are there");
        (0..64).for_each(|_| assert_eq!(all.pop(rows[2]), Some(7), "all that are in it"));
        assert!(all.remove_row(gone) && all.space.units() == 128, "a quarter is free");
        all.reserve(last, 4 * 64);
        let capacities = rows.map(|row| all.rows[row.index() as usize].capacity());
        assert_eq!(capacities, [4 * 8, 4 * 16, 0], "twice what is used, all of it, and none");
        assert!(others.iter().all(|row| all[*row].iter().all(|&element| element == 8)), "whole");
        all.validate().expect("whole");
    });
}

/// Rows of two units, one, none, one, eight and none, in a buffer and a table that are longer.
fn sparse<'a>(memory: &'a Memory<'a>) -> (Words<'a>, [RowId<u32>; 6]) {
    let mut all = Words::try_with_capacity_in(20, 400, memory).expect("memory");
    let rows = [5, 4, 0, 1, 25, 0].map(|len| all.add_row_from(&std::vec![len; len as usize]));
    (all, rows)
}

#[test]
fn a_compact_array_asks_for_what_it_holds() {
    asks_for(2 + 1 + 1 + 8, |memory, limit| {
        let (mut all, _) = sparse(memory);
        limit();
        let _ = all.try_compact();
    });
    with_memory(|memory| {
        let (mut all, rows) = sparse(memory);
        all.try_compact().expect("memory");
        assert_eq!((all.space.frontier(), all.space.units()), (12, 12), "without a gap");
        assert_eq!((all.rows.len(), all.rows.capacity()), (6, 6), "nor one in the table");
        let requests = memory.requests();
        all.try_compact().expect("memory");
        assert_eq!(memory.requests(), requests + 1, "a buffer, and no table");
        let mut copy = all.try_clone_in(memory).expect("memory");
        assert_eq!(memory.requests(), requests + 3, "a table and a buffer");
        copy.try_copy_from(&all).expect("memory");
        assert_eq!(memory.requests(), requests + 3, "there was just the room");
        all.push(rows[1], 4);
        all.add_row_from(&[1; 40]);
        copy.try_copy_from(&all).expect("memory");
        assert_eq!(memory.stats().live, 4, "a table and a buffer each");
        assert!(copy.iter().eq(all.iter()), "the same rows");
        copy.validate().expect("whole");
    });
}

#[test]
fn a_capacity_is_asked_for_to_the_unit() {
    for (elements, units) in [(1, 1), (4, 1), (5, 2), (48, 12)] {
        asks_for(units, |memory, limit| {
            limit();
            let _ = Words::try_with_capacity_in(0, elements, memory);
        });
    }
}
