//! Programs on a heap of blocks that may move, compared with vectors, with a share of the requests
//! for memory refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::programs::run_input;

fuzz_target!(|bytes: &[u8]| run_input("handle_heap", bytes));
