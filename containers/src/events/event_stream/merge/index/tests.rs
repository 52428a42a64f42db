//! Runs of all lengths and keys, against a stable sort.

use std::vec::Vec;

use super::{Entry, merge_two};
use crate::testing::test_memory::Random;

/// Returns a run of keys in order, each with a number.
fn run(random: &mut Random, count: usize, keys: usize, number: u32) -> Vec<Entry<'static, usize>> {
    let mut all: Vec<usize> = (0..count).map(|_| random.below(keys)).collect();
    all.sort_unstable();
    let entry = |(key, bytes)| Entry { key, bytes, from: &[] };
    all.into_iter().zip(number..).map(entry).collect()
}

#[test]
fn two_runs_are_merged_as_a_stable_sort_does() {
    let mut random = Random::new(4);
    for (left, right) in (0..40).flat_map(|left| (0..40).map(move |right| (left, right))) {
        for keys in [1, 3, 50] {
            let (left, right) =
                (run(&mut random, left, keys, 0), run(&mut random, right, keys, 1000));
            let mut sorted = [&left[..], &right[..]].concat();
            let mut merged = Vec::with_capacity(sorted.len());
            merge_two(&left, &right, &mut merged.spare_capacity_mut()[..sorted.len()]);
            // SAFETY: it writes to each place that it is given.
            unsafe { merged.set_len(sorted.len()) };
            sorted.sort_by_key(|entry| entry.key);
            let numbers = |all: &[Entry<'_, usize>]| -> Vec<(usize, u32)> {
                all.iter().map(|entry| (entry.key, entry.bytes)).collect()
            };
            assert_eq!(numbers(&merged), numbers(&sorted), "{} and {}", left.len(), right.len());
        }
    }
}
