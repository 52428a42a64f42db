//! Programs on a map with many values a key beside a map of vectors, with a share of the requests
//! for memory refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::programs::run_input;

fuzz_target!(|bytes: &[u8]| run_input("multi_map", bytes));
