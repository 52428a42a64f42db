//! Traces of allocations from any bytes: refused, or written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_replay::trace::{Trace, write_trace};

fuzz_target!(|bytes: &[u8]| {
    let Ok(trace) = Trace::read("fuzzed", bytes) else { return };
    let mut written = Vec::new();
    write_trace(&mut written, &trace.events).expect("memory takes all");
    assert_eq!(written, bytes, "what was read is written back");
    let again = Trace::from_events("fuzzed", trace.events.clone()).expect("they were checked");
    assert_eq!(again, trace);
    assert!(trace.allocations <= trace.events.len() as u64, "each is an event");
    assert!(u64::from(trace.peak_live_blocks) <= trace.allocations, "each was allocated");
});
