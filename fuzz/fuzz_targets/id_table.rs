//! Programs on id tables of every shape and policy beside a map, with a share of the requests for
//! memory refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::programs::run_input;

fuzz_target!(|bytes: &[u8]| run_input("id_table", bytes));
