//! Names there and back, merged, refused; and bytes that are wrong in every way.

mod bytes;
mod names;

use std::string::String;
use std::vec::Vec;

use super::*;
use crate::hash::random::Random;
use crate::hash::test_memory::with_memory;

/// Returns names as assets have them, all different, one of them empty.
fn names(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    (0..count).map(|number| if number == 1 { String::new() } else { random.name(number) }).collect()
}

/// Returns the bytes of a table of these names.
fn saved<I: IdString>(names: &[String], seed: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<I>::with_seed_in(memory, seed);
        for name in names {
            builder.insert(name).expect("no collision, and enough memory");
        }
        bytes = builder.save().expect("enough memory").to_vec();
    });
    bytes
}
