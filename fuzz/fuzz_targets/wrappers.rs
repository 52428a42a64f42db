//! Programs on any base under any two wrappers.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| loligo_fuzz::run_wrapped(bytes));
