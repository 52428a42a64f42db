//! What an array does beside std's vector.

use super::Array;
use crate::error::GrowError;
use crate::test_memory::{Memory, Random, every_refusal, with_memory};

#[test]
fn does_as_a_vector_does() {
    with_memory(|memory| {
        let seed = 1;
        let mut random = Random::new(seed);
        let mut array: Array<'_, std::string::String, _> = Array::new_in(memory);
        let mut model = std::vec::Vec::new();
        for step in 0..2000 {
            match random.below(5) {
                0..3 => {
                    array.push(std::format!("{step}"));
                    model.push(std::format!("{step}"));
                }
                3 => assert_eq!(array.pop(), model.pop(), "seed {seed}, step {step}"),
                _ => {
                    let len = random.below(model.len() + 2);
                    array.truncate(len.max(model.len() / 2));
                    model.truncate(len.max(model.len() / 2));
                }
            }
            assert_eq!(array, model, "seed {seed}, step {step}");
        }
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let mut array: Array<'_, u16, _> = Array::new_in(memory);
        let mut first: Result<(), GrowError> = Ok(());
        for number in 0..100 {
            let before = array.len();
            let pushed = array.try_push(number);
            assert_eq!(array.len(), before + usize::from(pushed.is_ok()));
            first = first.and(pushed);
        }
        let before = array.len();
        let extended = array.try_extend_from_slice(&[7; 300]);
        assert_eq!(array.len(), before + if extended.is_ok() { 300 } else { 0 });
        assert!(array.iter().take(before).is_sorted(), "the numbers are as they were");
        first.and(extended)
    });
}
