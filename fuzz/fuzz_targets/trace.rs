//! Traces of allocations from any bytes: refused, or written back to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_replay::trace::{Ending, MAGIC, Trace, write_trace};

fuzz_target!(|bytes: &[u8]| {
    let Ok(trace) = Trace::read("fuzzed", bytes) else { return };
    if bytes.starts_with(&MAGIC) {
        let mut written = Vec::new();
        write_trace(&mut written, &trace.events).expect("memory takes all");
        assert_eq!(written, bytes, "what was read is written back");
        let again = Trace::from_events("fuzzed", trace.events.clone()).expect("they were checked");
        assert_eq!(again, trace);
    }
    let mut written = Vec::new();
    trace.write(&mut written).expect("memory takes all");
    let again = Trace::read("fuzzed", &written[..]).expect("what was read is valid");
    if trace.ending() == Ending::Whole {
        assert_eq!(again, trace, "version 2 keeps all");
    }
    assert_eq!(again.events, trace.events, "also of one that is cut");
    assert!(trace.allocations <= trace.events.len() as u64, "each is an event");
    assert!(u64::from(trace.peak_live_blocks) <= trace.allocations, "each was allocated");
    let named = trace.sites().is_none_or(|sites| {
        (0..trace.events.len()).all(|event| sites.of(event) as usize <= sites.count())
    });
    assert!(named, "each site has its name");
    let framed = trace.stacks().is_none_or(|stacks| {
        (0..trace.events.len()).all(|event| stacks.frames(stacks.of(event)).count() <= 1024)
    });
    assert!(framed, "each stack ends");
    assert!(trace.times().is_none_or(|times| times.len() == trace.events.len()), "one for each");
});
