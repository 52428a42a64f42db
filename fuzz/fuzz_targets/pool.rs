//! Programs on pools, for one thread and for several.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::run_base;
use loligo_tests::compose::Base;

fuzz_target!(|bytes: &[u8]| run_base(&[Base::Pool, Base::SharedPool], bytes));
