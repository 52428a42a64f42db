//! Programs on open arrays of both layouts beside maps, with a share of the requests for memory
//! refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::programs::run_input;

fuzz_target!(|bytes: &[u8]| run_input("open_rows", bytes));
