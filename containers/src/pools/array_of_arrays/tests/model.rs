//! Random operations compared with vectors of vectors, with compactions in between.

use std::vec::Vec;

use crate::pools::array_of_arrays::{ArrayOfArrays, RowId};
use crate::testing::test_memory::{Memory, Random, with_memory};

/// The container and what must be in it.
struct Pair<'a, T: Copy> {
    all: ArrayOfArrays<'a, T, Memory<'a>>,
    model: Vec<(RowId<T>, Vec<T>)>,
    gone: Vec<RowId<T>>,
}

impl<T: Copy + PartialEq + core::fmt::Debug> Pair<'_, T> {
    fn step(&mut self, random: &mut Random, make: impl Fn(u64) -> T) {
        let Self { all, model, gone } = self;
        if model.is_empty() || random.below(12) == 0 {
            let given: Vec<T> = (0..random.below(9)).map(|_| make(random.next())).collect();
            let row = all.add_row_from(&given);
            assert!(model.iter().all(|(other, _)| *other != row), "an id was given twice");
            model.push((row, given));
            return;
        }
        let at = random.below(model.len());
        let (row, rows) = &mut model[at];
        let row = *row;
        match random.below(40) {
            0..14 => {
                let element = make(random.next());
                all.push(row, element);
                rows.push(element);
            }
            14..22 => assert_eq!(all.pop(row), rows.pop()),
            22..25 => {
                let (place, element) = (random.below(rows.len() + 1), make(random.next()));
                all.insert(row, place, element);
                rows.insert(place, element);
            }
            25..27 => {
                let place = random.below(rows.len() + 1);
                let expected = (place < rows.len()).then(|| rows.remove(place));
                assert_eq!(all.remove(row, place), expected);
            }
            27..29 => {
                let place = random.below(rows.len() + 1);
                let expected = (place < rows.len()).then(|| rows.swap_remove(place));
                assert_eq!(all.swap_remove(row, place), expected);
            }
            29..32 => {
                let more: Vec<T> = (0..random.below(20)).map(|_| make(random.next())).collect();
                all.extend_from_slice(row, &more);
                rows.extend_from_slice(&more);
            }
            32 => all.try_reserve(row, random.below(40)).expect("there is memory"),
            33..35 => {
                let len = random.below(rows.len() + 2);
                assert!(all.truncate(row, len));
                rows.truncate(len);
            }
            35..38 => {
                assert!(all.remove_row(row));
                model.swap_remove(at);
                gone.push(row);
            }
            38 => all.compact(),
            _ if random.below(10) == 0 => {
                all.clear();
                gone.extend(model.drain(..).map(|(row, _)| row));
            }
            _ => {
                let copy = all.try_clone_in(all.memory()).expect("there is memory");
                copy.validate().expect("a copy is whole");
                *all = copy;
            }
        }
    }

    fn check(&self) {
        let Self { all, model, gone } = self;
        all.validate().expect("the container is whole");
        assert_eq!(all.len(), model.len());
        for (row, elements) in model {
            assert_eq!(all.row(*row), Some(&elements[..]), "{row:?}");
        }
        assert!(gone.iter().all(|row| !all.contains(*row)), "an id came back");
        assert_eq!(all.iter().count(), model.len());
        assert!(all.iter().all(|(row, elements)| all.row(row) == Some(elements)));
    }
}

fn does_as_vectors_do<T: Copy + PartialEq + core::fmt::Debug>(make: impl Fn(u64) -> T + Copy) {
    for seed in 0..12 {
        std::println!("seed {seed}");
        with_memory(|memory| {
            let all = ArrayOfArrays::new_in(memory);
            let mut pair = Pair { all, model: Vec::new(), gone: Vec::new() };
            let mut random = Random::new(seed);
            for step in 0..1500 {
                pair.step(&mut random, make);
                if step % 7 == 0 || step < 100 {
                    pair.check();
                }
            }
            pair.check();
        });
    }
}

#[test]
fn words_do_as_vectors_do() {
    does_as_vectors_do(|bits| bits as u32);
}

#[test]
fn bytes_do_as_vectors_do() {
    does_as_vectors_do(|bits| bits as u8);
}

#[test]
fn odd_sizes_do_as_vectors_do() {
    does_as_vectors_do(|bits| [bits as u8, 1, 2]);
    does_as_vectors_do(|bits| [bits as u16; 5]);
    does_as_vectors_do(|bits| [bits; 3]);
}

#[test]
fn wide_elements_do_as_vectors_do() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(align(64))]
    struct Line(u64);
    does_as_vectors_do(Line);
}
