//! Programs on pools.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::programs::run_input;

fuzz_target!(|bytes: &[u8]| run_input("pool", bytes));
