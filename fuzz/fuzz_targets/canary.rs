//! A heap with a planted fault: a fuzzer that does not find it sees nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_tests::Limits;
use loligo_tests::models::{Fault, FaultyAllocator};

fuzz_target!(|bytes: &[u8]| {
    let faulty = FaultyAllocator::new(Fault::WritesOnFree, 64 << 10);
    loligo_fuzz::run(&faulty, Limits::region(64 << 10), bytes);
});
