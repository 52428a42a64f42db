//! What rows promise: ids, blocks, memory.

use std::format;
use std::vec::Vec;

use crate::error::GrowError;
use crate::pools::array_of_arrays::word::{LEN_MAX, ROWS_MAX};
use crate::pools::array_of_arrays::{ArrayOfArrays, RowError, RowId};
use crate::testing::test_memory::{Memory, Random, backing, with_memory};

type Words<'a> = ArrayOfArrays<'a, u32, Memory<'a>>;

#[test]
fn nothing_is_taken_while_it_is_empty() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        assert!(all.is_empty() && all.bytes() == 0);
        all.compact();
        all.clear();
        assert_eq!(all.iter().count(), 0);
        assert_eq!(memory.requests(), 0);
        assert!(size_of::<ArrayOfArrays<'_, u32>>() <= 184);
    });
}

#[test]
fn an_index_names_255_rows_and_then_no_more() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let mut seen: Vec<RowId<u32>> = Vec::new();
        for _ in 0..256 {
            let row = all.add_row_from(&[1]);
            assert!(seen.iter().all(|old| *old != row && !all.contains(*old)));
            seen.push(row);
            assert!(all.remove_row(row) && !all.remove_row(row));
            all.validate().expect("whole");
        }
        assert_eq!((seen[254].index(), seen[254].generation()), (0, 255));
        assert_eq!((seen[255].index(), seen[255].generation()), (1, 1));
    });
}

#[test]
fn clearing_makes_ids_stale_and_keeps_memory() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let rows: Vec<_> = (0..300).map(|number| all.add_row_from(&[number; 5])).collect();
        let (requests, bytes) = (memory.requests(), all.bytes());
        for _ in 0..255 {
            all.clear();
            all.validate().expect("whole");
        }
        assert!(all.is_empty() && rows.iter().all(|row| all.row(*row).is_none()));
        assert_eq!((memory.requests(), all.bytes()), (requests, bytes));
        // A row that was dead all the time has its generations left: it was not alive to lose them.
        assert_eq!((all.add_row().index(), all.add_row().generation()), (0, 2));
    });
}

#[test]
fn rows_filled_one_after_another_are_never_copied() {
    with_memory(|memory| {
        let mut all = Words::try_with_capacity_in(100, 800, memory).expect("room");
        let rows: Vec<_> = (0..100)
            .map(|number| {
                let row = all.add_row();
                (0..8).for_each(|item| all.push(row, number * 8 + item));
                row
            })
            .collect();
        assert_eq!((memory.requests(), all.space.free(), all.space.frontier()), (2, 0, 200));
        assert!((0..).zip(&rows).all(|(at, row)| all.rows[row.index() as usize].start() == 8 * at));
        assert!((0..).zip(rows).all(|(number, row)| all[row][7] == number * 8 + 7));
    });
}

#[test]
fn compaction_leaves_the_least_blocks_in_the_order_of_the_rows() {
    with_memory(|memory| {
        let mut random = Random::new(4);
        let mut all = Words::new_in(memory);
        let rows: Vec<_> = (0..500).map(|_| all.add_row()).collect();
        for number in 0..2000 {
            all.push(rows[random.below(rows.len())], number);
        }
        for row in rows.iter().step_by(3) {
            all.truncate(*row, random.below(3));
        }
        all.compact();
        all.validate().expect("whole");
        let lens = rows.iter().map(|row| all[*row].len());
        let units: usize =
            lens.map(|len| len.div_ceil(4).next_power_of_two() * (len > 0) as usize).sum();
        assert_eq!((all.space.frontier() as usize, all.space.free()), (units, 0));
        assert!(all.bytes() <= 500 * 8 + units * 16 + 64, "{} bytes", all.bytes());
        let blocks = all.rows.iter().filter(|word| word.capacity() > 0);
        assert!(blocks.map(|word| word.start()).is_sorted());
    });
}

#[test]
fn memory_stays_within_a_bound_over_the_blocks_at_their_most() {
    for seed in 0..20 {
        std::println!("seed {seed}");
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut all = Words::new_in(memory);
            let rows: Vec<_> = (0..64).map(|_| all.add_row()).collect();
            let mut most = 16;
            for step in 0..60_000 {
                let row = rows[random.below(rows.len())];
                match random.below(100) {
                    0 => assert!(all.truncate(row, 0)),
                    _ => all.push(row, step),
                }
                most = most.max(all.space.frontier() - all.space.free());
                // A buffer grows when three quarters of it are in use: to twice its length, or half
                // as much.
                let bound = if all.space.units() <= 8192 { 8 * most / 3 } else { 2 * most };
                assert!(all.space.units() <= bound, "{} of {bound} at {step}", all.space.units());
            }
            all.validate().expect("whole");
        });
    }
}

#[test]
fn several_rows_are_changed_at_once() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let [a, b, c] = [&[1, 2][..], &[], &[3]].map(|elements| all.add_row_from(elements));
        let [first, second, third] = all.rows_mut([c, a, b]).expect("three rows");
        core::mem::swap(&mut first[0], &mut second[1]);
        assert!(third.is_empty());
        assert_eq!((&all[a], &all[c]), (&[1, 3][..], &[2][..]));
        assert!(all.rows_mut([a, a]).is_none());
        all.remove_row(b);
        assert!(all.rows_mut([a, b]).is_none());
        for (_, elements) in all.iter_mut() {
            elements.iter_mut().for_each(|element| *element += 10);
        }
        assert_eq!(format!("{all:?}"), "{Id(0v1): [11, 13], Id(2v1): [12]}");
        all[c][0] = 5;
        assert!(all.ids().eq([a, c]) && all[c] == [5]);
    });
}

#[test]
fn what_is_wrong_is_said() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let row = all.add_row();
        let other = all.add_row();
        all.remove_row(other);
        let unknown = RowError::Unknown { index: 1, generation: 1 };
        assert_eq!(all.try_push(other, 1), Err(unknown));
        assert_eq!(all.try_insert(other, 9, 1), Err(unknown));
        assert_eq!(all.try_extend_from_slice(other, &[1]), Err(unknown));
        assert_eq!(all.try_reserve(other, 1), Err(unknown));
        assert_eq!(format!("{unknown}"), "no row has the index 1 and the generation 1");
        assert_eq!((all.pop(other), all.pop(row), all.remove(row, 0)), (None, None, None));
        assert_eq!((all.swap_remove(other, 0), all.truncate(other, 0)), (None, false));
        let limit = u64::from(LEN_MAX);
        let long = RowError::Grow(GrowError::Length { wanted: limit + 1, limit });
        assert_eq!(all.try_reserve(row, LEN_MAX as usize + 1), Err(long));
        assert!(matches!(all.try_reserve(row, usize::MAX), Err(RowError::Grow(_))));
        assert!(Words::try_with_capacity_in(1, usize::MAX, memory).is_err());
    });
}

#[test]
#[should_panic(expected = "no row has the index 0 and the generation 1")]
fn indexing_by_a_stale_id_panics() {
    let memory = backing("rows");
    let mut all: ArrayOfArrays<'_, u32> = ArrayOfArrays::new_in(&memory);
    let row = all.add_row();
    all.remove_row(row);
    let _ = &all[row];
}

#[test]
fn a_row_may_have_its_most_elements_and_the_table_its_most_rows() {
    with_memory(|memory| {
        let mut all: ArrayOfArrays<'_, u8, _> = ArrayOfArrays::new_in(memory);
        let row = all.add_row();
        for part in 0..=LEN_MAX / 4096 {
            let count = 4096.min(LEN_MAX as usize - all[row].len());
            all.extend_from_slice(row, &[part as u8; 4096][..count]);
        }
        assert_eq!(all[row].len(), LEN_MAX as usize);
        let limit = u64::from(LEN_MAX);
        let full = RowError::Grow(GrowError::Length { wanted: limit + 1, limit });
        assert_eq!(all.try_push(row, 1), Err(full));
        assert_eq!(all[row][4096 * 50], 50);
        all.validate().expect("whole");
        for _ in 1..ROWS_MAX {
            all.add_row();
        }
        let limit = u64::from(ROWS_MAX);
        assert_eq!(all.try_add_row(), Err(GrowError::Length { wanted: limit + 1, limit }));
        assert_eq!(all.len(), ROWS_MAX as usize);
    });
}

#[test]
fn a_copy_is_the_same_and_apart() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let rows: Vec<_> = (0..100).map(|number| all.add_row_from(&[number; 7])).collect();
        rows.iter().step_by(4).for_each(|row| assert!(all.remove_row(*row)));
        let mut copy = all.try_clone_in(memory).expect("room");
        assert!(all.iter().eq(copy.iter()));
        assert!(copy.bytes() <= all.bytes());
        copy.push(rows[1], 9);
        assert_ne!(all.row(rows[1]), copy.row(rows[1]));
        // Both continue with the same ids.
        assert_eq!(all.add_row(), copy.add_row());
        let before = memory.requests();
        copy.try_copy_from(&all).expect("room");
        assert_eq!(memory.requests(), before, "there was room");
        assert!(all.iter().eq(copy.iter()));
        copy.validate().expect("whole");
    });
}

#[test]
fn damage_is_found() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let rows: Vec<_> = (0..10).map(|number| all.add_row_from(&[number; 5])).collect();
        all.remove_row(rows[3]);
        all.remove_row(rows[5]);
        let whole = all.rows[7];
        let finds = |all: &mut Words<'_>, change: fn(&mut Words<'_>), what: &str| {
            change(all);
            assert_eq!(all.validate().expect_err(what).what, what);
        };
        let two = "blocks overlap or are lost";
        let long = "a row has more elements than its block has room for";
        let behind = "a block lies behind the frontier";
        let nowhere = "a row begins where no block does";
        finds(&mut all, |all| all.rows[7].set_block(8, 8), two);
        all.rows[7] = whole;
        finds(&mut all, |all| all.rows[7].set_block(56, 16), two);
        all.rows[7] = whole;
        finds(&mut all, |all| all.rows[7].set_len(9), long);
        all.rows[7] = whole;
        finds(&mut all, |all| all.rows[7].set_block(76, 8), behind);
        all.rows[7] = whole;
        finds(&mut all, |all| all.rows[7].set_block(58, 8), nowhere);
        all.rows[7] = whole;
        finds(&mut all, |all| all.live += 1, "living rows are miscounted");
        all.live -= 1;
        finds(&mut all, |all| all.dead = 2, "the list of dead rows leads elsewhere");
        all.dead = 4;
        finds(&mut all, |all| all.dead = 4, "the list of dead rows leads elsewhere");
        all.dead = 6;
        all.validate().expect("whole again");
    });
}

#[test]
fn what_was_reserved_in_a_row_needs_no_memory() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let row = all.add_row();
        all.reserve(row, 100);
        let requests = memory.requests();
        (0..100).for_each(|element| all.push(row, element));
        assert_eq!((memory.requests(), all[row].len()), (requests, 100));
    });
}
