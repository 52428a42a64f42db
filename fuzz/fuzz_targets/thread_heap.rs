//! Programs of several threads in turn on a heap for threads, with a share of the requests for
//! memory refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::programs::run_input;

fuzz_target!(|bytes: &[u8]| run_input("thread_heap", bytes));
