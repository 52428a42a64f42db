//! The three forms through their trait, compared with vectors.

use std::format;
use std::vec::Vec;

use crate::error::GrowError;
use crate::pools::array_of_arrays::{ArrayOfArrays, FixedRows, LinkedRows, RowError, RowId, Rows};
use crate::testing::test_memory::{Memory, Random, with_memory};

/// Drives a form with rows of at most `most` elements.
fn does_as_vectors_do(rows: &mut impl Rows<u16>, most: usize, seed: u64) {
    std::println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut model: Vec<(RowId<u16>, Vec<u16>)> = Vec::new();
    for step in 0..4000_u32 {
        if model.is_empty() || random.below(10) == 0 {
            model.push((rows.try_add_row().expect("there is memory"), Vec::new()));
        }
        let at = random.below(model.len());
        let (row, elements) = &mut model[at];
        match random.below(10) {
            0..6 if elements.len() < most => {
                rows.try_push(*row, step as u16).expect("there is memory");
                elements.push(step as u16);
            }
            0..9 => assert_eq!(rows.pop(*row), elements.pop()),
            _ => {
                let (row, _) = model.swap_remove(at);
                assert!(rows.remove_row(row) && !rows.remove_row(row));
                assert!(rows.row_len(row).is_none() && !rows.visit_row(row, |_| ()));
                assert_eq!(rows.pop(row), None);
                assert!(matches!(rows.try_push(row, 1), Err(RowError::Unknown { .. })));
            }
        }
        if step % 50 == 0 {
            check(rows, &model);
        }
    }
}

fn check(rows: &impl Rows<u16>, model: &[(RowId<u16>, Vec<u16>)]) {
    assert_eq!(rows.row_count(), model.len());
    let mut seen = Vec::new();
    rows.visit_rows(|row, run| seen.extend(run.iter().map(|element| (row, *element))));
    assert_eq!(seen.len(), model.iter().map(|(_, elements)| elements.len()).sum::<usize>());
    for (row, elements) in model {
        assert_eq!(rows.row_len(*row), Some(elements.len()));
        let mut runs: Vec<Vec<u16>> = Vec::new();
        assert!(rows.visit_row(*row, |run| runs.push(run.to_vec())));
        // The linked form shows its last run first.
        runs.reverse();
        assert_eq!(runs.concat(), *elements);
        let of_row = seen.iter().filter(|(other, _)| other == row).map(|(_, element)| element);
        let mut of_row: Vec<u16> = of_row.copied().collect();
        let mut sorted = elements.clone();
        of_row.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(of_row, sorted);
    }
}

#[test]
fn every_form_does_as_vectors_do() {
    for seed in 0..4 {
        with_memory(|memory| {
            does_as_vectors_do(&mut ArrayOfArrays::<'_, u16, _>::new_in(memory), 70, seed);
            does_as_vectors_do(&mut FixedRows::<'_, u16, 5, _>::new_in(memory), 5, seed);
            does_as_vectors_do(&mut LinkedRows::<'_, u16, 1, _>::new_in(memory), 9, seed);
            does_as_vectors_do(&mut LinkedRows::<'_, u16, 4, _>::new_in(memory), 70, seed);
        });
    }
}

#[test]
fn fixed_rows_are_full_at_their_limit() {
    with_memory(|memory: &Memory<'_>| {
        let mut rows: FixedRows<'_, u16, 2, _> = FixedRows::new_in(memory);
        let row = rows.add_row();
        rows.try_push(row, 1).expect("room");
        rows.try_push(row, 2).expect("room");
        let full = RowError::Grow(GrowError::Length { wanted: 3, limit: 2 });
        assert_eq!(rows.try_push(row, 3), Err(full));
        rows.row_mut(row).expect("a row").reverse();
        assert_eq!((rows.row(row), rows.iter().count()), (Some(&[2, 1][..]), 1));
        assert_eq!(format!("{rows:?}"), "{Id(0v1): [2, 1]}");
    });
}

#[test]
fn linked_rows_use_nodes_again() {
    with_memory(|memory: &Memory<'_>| {
        let mut rows: LinkedRows<'_, u16, 2, _> = LinkedRows::new_in(memory);
        let mut taken = 0;
        for round in 0..100 {
            let row = rows.add_row();
            for number in 0..9 {
                rows.push(row, number);
            }
            assert_eq!(rows.pop(row), Some(8));
            assert!(rows.remove_row(row));
            if round == 0 {
                taken = memory.requests();
            }
        }
        assert_eq!(memory.requests(), taken, "the nodes of the first row serve all others");
        let row = rows.add_row();
        rows.push(row, 1);
        assert_eq!(format!("{rows:?}"), format!("{{{row:?}: [1]}}"));
    });
}

#[test]
#[should_panic(expected = "3 elements were wanted where there may be 2 at most")]
fn a_row_of_fixed_length_that_is_full_takes_no_more() {
    with_memory(|memory| {
        let mut fixed: FixedRows<'_, u32, 2, Memory<'_>> = FixedRows::new_in(memory);
        let row = fixed.add_row();
        (0..3).for_each(|element| fixed.push(row, element));
    });
}
