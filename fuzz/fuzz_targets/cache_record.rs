//! A record of a team's cache from any bytes: refused and named, or exactly what was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::cache;

fuzz_target!(|bytes: &[u8]| cache::cache_record(bytes));
