//! Memory that runs out at every point: nothing is lost, nothing changes.

use std::vec::Vec;

use crate::error::GrowError;
use crate::pools::array_of_arrays::{ArrayOfArrays, FixedRows, LinkedRows, RowError, RowId, Rows};
use crate::testing::test_memory::{Memory, every_refusal, with_memory};

type Words<'a> = ArrayOfArrays<'a, u32, Memory<'a>>;
type Kept = Vec<(RowId<u32>, Vec<u32>)>;

fn kept(all: &Words<'_>) -> Kept {
    all.iter().map(|(row, elements)| (row, elements.to_vec())).collect()
}

/// Tries a change; where it is refused all must be as before.
fn attempt<'a, E: Into<RowError>>(
    all: &mut Words<'a>,
    first: &mut Result<(), RowError>,
    change: impl FnOnce(&mut Words<'a>) -> Result<(), E>,
) -> bool {
    let before = kept(all);
    let result = change(all).map_err(Into::into);
    all.validate().expect("the container is whole");
    if let Err(error) = result {
        assert!(matches!(error, RowError::Grow(GrowError::Memory { .. })), "{error}");
        assert_eq!(kept(all), before, "a refusal changed something");
        if first.is_ok() {
            *first = Err(error);
        }
    }
    result.is_ok()
}

#[test]
fn a_refusal_changes_nothing() {
    every_refusal(|memory: &Memory<'_>| {
        let mut all = Words::new_in(memory);
        let mut first = Ok(());
        let mut rows = Vec::new();
        for number in 0..12 {
            attempt(&mut all, &mut first, |all| all.try_add_row().map(|row| rows.push(row)));
            attempt(&mut all, &mut first, |all| {
                all.try_add_row_from(&[number; 6]).map(|row| rows.push(row))
            });
            for row in rows.clone().into_iter().rev().take(9) {
                attempt(&mut all, &mut first, |all| all.try_push(row, number));
                attempt(&mut all, &mut first, |all| all.try_insert(row, 0, number));
            }
            if let Some(row) = rows.first().copied() {
                attempt(&mut all, &mut first, |all| all.try_extend_from_slice(row, &[1; 9]));
                attempt(&mut all, &mut first, |all| all.try_reserve(row, 20));
            }
            if number % 3 == 0 && !rows.is_empty() {
                assert!(all.remove_row(rows.swap_remove(0)));
            }
        }
        attempt(&mut all, &mut first, |all| all.try_compact());
        let mut copy = None;
        attempt(&mut all, &mut first, |all| all.try_clone_in(memory).map(|done| copy = Some(done)));
        if let Some(copy) = copy {
            assert!(copy.iter().eq(all.iter()));
        }
        let mut target = Words::new_in(memory);
        if target.try_add_row_from(&[1, 2]).is_ok() {
            let before = kept(&target);
            if attempt(&mut all, &mut first, |all| target.try_copy_from(all)) {
                assert_eq!(kept(&target), kept(&all));
            } else {
                assert_eq!(kept(&target), before);
            }
            target.validate().expect("whole");
        }
        first
    });
}

#[test]
fn where_the_buffer_cannot_grow_rows_are_moved_together() {
    with_memory(|memory| {
        let mut all = Words::new_in(memory);
        let rows: Vec<_> = (0..64).map(|number| all.add_row_from(&[number; 8])).collect();
        let units = all.space.units();
        // Free less than a quarter, in single blocks that cannot serve a larger one.
        let filler = all.add_row();
        let left = (all.space.units() - all.space.frontier()) as usize;
        let short: Vec<_> = (0..left).map(|_| all.add_row_from(&[1; 4])).collect();
        for row in rows.iter().step_by(7) {
            all.remove_row(*row);
        }
        assert!(all.space.free() < units / 4, "or they would be moved anyway");
        memory.refuse(loligo_allocators::Refusals::Larger(units as usize * 16 + 8));
        all.try_extend_from_slice(filler, &[3; 4 * 4]).expect("moved together");
        all.validate().expect("whole");
        assert_eq!((all[filler].len(), all.space.units()), (16, units));
        assert!(short.iter().all(|row| all[*row] == [1; 4]));
    });
}

/// Fills rows, tolerating refusals, and checks after each that what was there is there.
fn fill(rows: &mut impl Rows<u32>) -> Result<(), RowError> {
    let mut first = Ok(());
    let mut model: Vec<(RowId<u32>, u32)> = Vec::new();
    for number in 0..40 {
        match rows.try_add_row() {
            Ok(row) => model.push((row, 0)),
            Err(error) => first = first.and(Err(RowError::Grow(error))),
        }
        for (row, len) in &mut model {
            match rows.try_push(*row, number) {
                Ok(()) => *len += 1,
                Err(error) => first = first.and(Err(error)),
            }
        }
        assert_eq!(rows.row_count(), model.len());
        assert!(model.iter().all(|(row, len)| rows.row_len(*row) == Some(*len as usize)));
    }
    first
}

#[test]
fn the_other_forms_lose_nothing_either() {
    every_refusal(|memory: &Memory<'_>| fill(&mut FixedRows::<'_, u32, 40, _>::new_in(memory)));
    every_refusal(|memory: &Memory<'_>| fill(&mut LinkedRows::<'_, u32, 3, _>::new_in(memory)));
    every_refusal(|memory: &Memory<'_>| fill(&mut Words::new_in(memory)));
}
