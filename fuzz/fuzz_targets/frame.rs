//! Programs on frames, for one thread and for several, and on what falls back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::run_base;
use loligo_tests::compose::Base;

fuzz_target!(|bytes: &[u8]| run_base(
    &[Base::Frame, Base::SharedFrame, Base::Scratch, Base::Temp],
    bytes
));
