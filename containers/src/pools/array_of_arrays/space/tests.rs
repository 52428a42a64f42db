//! What `validate` finds in rows, in the list of dead ones and in the buffer, each rule by its own
//! words and place.

use loligo_allocators::{Allocator, Refusals};

use crate::error::GrowError;
use crate::pools::array_of_arrays::word::{CLASSES, Word};
use crate::pools::array_of_arrays::{ArrayOfArrays, RowDamage};
use crate::testing::test_memory::{Memory, with_memory};

type Rows<'a> = ArrayOfArrays<'a, u32, Memory<'a>>;

/// Ten rows in units of four elements: 0 is full, 2 has no block, 3 has lived all its lives, and 9,
/// 8 and 5 are dead, in this order. The blocks of 3, 5 and 8 are free; the last of them ends at the
/// frontier, after 15 units.
fn sample<'a>(memory: &'a Memory<'a>) -> Rows<'a> {
    let mut all = Rows::new_in(memory);
    let rows = [8, 5, 0, 5, 5, 5, 5, 3, 5, 5].map(|len| all.add_row_from(&[7; 8][..len]));
    for index in [3, 5, 8, 9] {
        assert!(all.remove_row(rows[index]), "row {index} was alive");
    }
    all.rows[3] = Word::dead(255, 0);
    all.rows[5] = Word::dead(1, 0);
    assert_eq!(all.validate(), Ok(()), "whole before it is broken");
    assert_eq!((all.space.frontier, all.space.free, all.space.stacks[2]), (15, 6, 14), "as said");
    all
}

/// Breaks such rows; returns what is said of them and at which row.
fn found(damage: impl FnOnce(&mut Rows<'_>)) -> Option<(&'static str, u32)> {
    let mut found = None;
    with_memory(|memory| {
        let mut all = sample(memory);
        damage(&mut all);
        found = all.validate().err().map(|RowDamage { what, index }| (what, index));
    });
    found
}

/// A row of the first life of its index, of any parts.
fn row(end: u32, len: u32, full: u32) -> Word {
    // A dead word takes all bits as they are.
    Word::dead(end, 1 << 24 | len << 5 | full)
}

#[test]
fn the_rows_are_looked_at() {
    let long = Some(("a row has more elements than its block has room for", 1));
    assert_eq!(found(|all| all.rows[1].set_len(9)), long, "one too many");
    let full = Some(("a row is not full, or not seen to be", 2));
    assert_eq!(found(|all| all.rows[2] = row(0, 0, 25)), full, "it would take elements");
    let nowhere = Some(("a row begins where no block does", 1));
    assert_eq!(found(|all| all.rows[1].set_block(10, 8)), nowhere, "within a unit");
    assert_eq!(found(|all| all.rows[1] = row(1, 5, 8)), nowhere, "a unit before the first");
    let none = Some(("no block is somewhere", 2));
    assert_eq!(found(|all| all.rows[2] = row(4, 0, 24)), none, "in the second unit");
    let behind = Some(("a block lies behind the frontier", 7));
    assert_eq!(found(|all| all.rows[7].set_block(60, 4)), behind, "just after it");
    assert_eq!(found(|all| all.rows[7].set_block(56, 8)), behind, "by its second half");
    let count = Some(("living rows are miscounted", 10));
    assert_eq!(found(|all| all.live += 1), count, "one more");
    assert_eq!(found(|all| all.live -= 1), count, "one less");
}

#[test]
fn the_dead_rows_are_looked_at() {
    let elsewhere = "the list of dead rows leads elsewhere";
    assert_eq!(found(|all| all.dead = 1), Some((elsewhere, 0)), "to one that lives");
    assert_eq!(found(|all| all.dead = 4), Some((elsewhere, 3)), "to one that lives no more");
    assert_eq!(found(|all| all.dead = 11), Some((elsewhere, 10)), "just beyond the last");
    assert_eq!(found(|all| all.dead = 0), Some((elsewhere, u32::MAX)), "to none");
    let early = |all: &mut Rows<'_>| all.rows[8] = Word::dead(1, 0);
    assert_eq!(found(early), Some((elsewhere, u32::MAX)), "one is not on it");
    let on = |all: &mut Rows<'_>| all.rows[5] = Word::dead(1, 9);
    assert_eq!(found(on), Some(("the list of dead rows does not end", 9)), "in a circle");
}

#[test]
fn the_buffer_is_looked_at() {
    let counters = Some(("the buffer's own counters are wrong", 10));
    assert_eq!(found(|all| all.space.frontier = all.space.units() + 1), counters, "by a unit");
    assert_eq!(found(|all| all.space.filled |= 1 << 7), counters, "a stack without a block");
    assert_eq!(found(|all| all.space.filled = 0), counters, "a stack that is not seen");
    let free = Some(("free blocks are miscounted", 10));
    assert_eq!(found(|all| all.space.free += 1), free, "one more");
    assert_eq!(found(|all| all.space.free -= 1), free, "one less");
    let larger = |all: &mut Rows<'_>| {
        // The three are said to have four units, so that the last one reaches two units too far.
        (all.space.stacks[2], all.space.stacks[3]) = (0, 14);
        (all.space.filled, all.space.free) = (1 << 3, 12);
    };
    assert_eq!(found(larger), free, "beyond the frontier");
    let lost = Some(("blocks overlap or are lost", 10));
    assert_eq!(found(|all| all.space.frontier = all.space.units()), lost, "more after the last");
    assert_eq!(found(|all| all.rows[7].set_block(56, 4)), lost, "two in one place");
    assert_eq!(found(|all| all.rows[4] = Word::empty(1)), lost, "a block of no row");
    let fewer = |all: &mut Rows<'_>| {
        (all.space.stacks[2], all.space.free) = (9, 4);
    };
    assert_eq!(found(fewer), lost, "a block that is neither used nor free");
}

/// What a space counts: frontier, free units, stacks with blocks, and where they begin.
fn counters(all: &Rows<'_>) -> (u32, u32, u32, [u32; CLASSES]) {
    (all.space.frontier, all.space.free, all.space.filled, all.space.stacks)
}

#[test]
fn a_row_that_is_refused_leaves_no_block() {
    with_memory(|memory| {
        let mut all = Rows::try_with_capacity_in(8, 400, memory).expect("there is memory");
        while all.rows.len() < all.rows.capacity() {
            all.add_row_from(&[7; 4]);
        }
        let before = counters(&all);
        memory.refuse(Refusals::From(0));
        for elements in [&[][..], &[9; 4], &[9; 5]] {
            let refused = all.try_add_row_from(elements);
            assert!(matches!(refused, Err(GrowError::Memory { .. })), "{elements:?}: {refused:?}");
            assert_eq!(counters(&all), before, "{elements:?}");
            assert!(all.iter().all(|(_, row)| row == [7; 4]), "{elements:?}");
        }
        assert_eq!(all.validate(), Ok(()), "as it was");
    });
}

#[test]
fn blocks_are_taken_again_before_others() {
    with_memory(|memory| {
        let mut all = Rows::try_with_capacity_in(8, 400, memory).expect("there is memory");
        let [one, _, three] = [1, 2, 3].map(|number| all.add_row_from(&[number; 4]));
        assert!(all.remove_row(three), "it was alive");
        assert_eq!((all.space.frontier, all.space.free), (2, 0), "the last one is room again");
        assert!(all.remove_row(one), "it was alive");
        assert_eq!((all.space.frontier, all.space.free), (2, 1), "the first one is free");
        all.add_row_from(&[4; 4]);
        assert_eq!((all.space.frontier, all.space.free), (2, 0), "and taken again");
        assert_eq!(all.validate(), Ok(()), "whole");
    });
}

#[test]
fn a_row_at_the_frontier_grows_where_it_lies() {
    with_memory(|memory| {
        let mut all = Rows::try_with_capacity_in(8, 400, memory).expect("there is memory");
        let row = all.add_row_from(&[1; 3]);
        let at = all[row].as_ptr();
        assert_eq!((all.try_reserve(row, 1), all.space.frontier), (Ok(()), 1), "there is room");
        assert_eq!(all[row].as_ptr(), at, "so it stays");
        for (more, units) in [(2, 2), (3, 2), (1, 4), (8, 8)] {
            all.extend_from_slice(row, &[1; 8][..more]);
            assert_eq!((all[row].as_ptr(), all.space.frontier), (at, units), "{more} more");
        }
        assert_eq!((all.space.free, all.validate()), (0, Ok(())), "nothing was left over");
    });
}

#[test]
fn bytes_are_those_that_were_granted() {
    with_memory(|memory| {
        let mut all = Rows::new_in(memory);
        for number in 1..60 {
            all.add_row_from(&[number; 40][..number as usize % 40]);
            assert_eq!(all.bytes(), memory.stats().granted, "with {number} rows");
            assert!(!all.is_empty(), "there are {number} rows");
        }
    });
}

#[test]
fn an_index_that_has_lived_all_its_lives_is_not_used_after_a_clear() {
    with_memory(|memory| {
        let mut all = Rows::new_in(memory);
        let mut row = all.add_row();
        for _ in 1..255 {
            assert!(all.remove_row(row), "it was alive");
            row = all.add_row();
        }
        assert_eq!((row.index(), row.generation()), (0, 255), "its last life");
        all.clear();
        assert_eq!((all.len(), all.validate()), (0, Ok(())), "nothing lives");
        let row = all.add_row();
        assert_eq!((row.index(), row.generation()), (1, 1), "the next index");
    });
}
