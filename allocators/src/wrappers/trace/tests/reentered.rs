//! Sinks that use the allocator that they record, which they must not.

use std::string::{String, ToString};
use std::sync::Mutex;
use std::vec::Vec;

use super::recording::{leak, take_apart};
use super::take;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{TestBacking, panic_of};
use crate::wrappers::trace::{SinkError, TraceAllocator, TraceSink};

type Trace = TraceAllocator<'static, TestBacking, TestBacking>;

struct SendRef(&'static Trace);
// SAFETY: the test uses it from one thread only.
unsafe impl Send for SendRef {}

/// Calls the allocator at the first piece, and keeps all pieces.
struct Meddling {
    trace: Mutex<Option<SendRef>>,
    meddle: fn(&'static Trace, &'static Meddling) -> String,
    said: Mutex<String>,
    bytes: Mutex<Vec<u8>>,
}

struct SinkOf(&'static Meddling);

impl TraceSink for SinkOf {
    fn write(&self, bytes: &[u8]) -> Result<(), SinkError> {
        let sink = self.0;
        if let Some(SendRef(trace)) = sink.trace.lock().expect("one thread").take() {
            let said = (sink.meddle)(trace, sink);
            *sink.said.lock().expect("one thread") = said;
        }
        sink.bytes.lock().expect("one thread").extend_from_slice(bytes);
        Ok(())
    }
}

/// Records until the sink has called the allocator, and returns allocator and sink.
fn meddled(
    meddle: fn(&'static Trace, &'static Meddling) -> String,
) -> (&'static Trace, &'static Meddling) {
    // None of them is dropped, since each refers to the others; the books are freed by hand.
    let backing: &'static TestBacking = leak(TestBacking::new());
    let trace: &'static Trace = leak(TraceAllocator::new_in("trace", backing, backing));
    let sink: &'static Meddling = leak(Meddling {
        trace: Mutex::new(Some(SendRef(trace))),
        meddle,
        said: Mutex::default(),
        bytes: Mutex::default(),
    });
    trace.start_recording(leak(SinkOf(sink))).expect("the books have room");
    (0..130).for_each(|value| trace.frame_mark(value));
    (trace, sink)
}

#[test]
fn a_recording_cannot_be_finished_from_its_sink() {
    let (trace, sink) = meddled(|trace, _| match trace.finish_recording() {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    });
    assert_eq!(
        *sink.said.lock().expect("one thread"),
        "the recording ended early: the sink used the allocator that it records"
    );
    assert!(trace.is_recording(), "it was refused and goes on");
    trace.finish_recording().expect("it takes everything");
    let found = take_apart(&sink.bytes.lock().expect("one thread"));
    assert_eq!((found.marks.len(), found.ended), (130, true), "all is there");
}

#[test]
fn no_other_is_started_from_the_sink_of_one_that_was_cut_off() {
    let (trace, sink) = meddled(|trace, sink| {
        let block = take(trace, 8);
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
        assert!(!trace.is_recording(), "that has cut it off");
        panic_of(|| _ = trace.start_recording(leak(SinkOf(sink))))
    });
    assert_eq!(
        *sink.said.lock().expect("one thread"),
        "a recording is running; finish it before another is started"
    );
    assert!(!trace.is_recording(), "it stays cut off");
    let error = trace.finish_recording().expect_err("it was cut off").to_string();
    assert!(error.ends_with("the sink used the allocator that it records"), "{error}");
    assert_eq!(trace.stats().live, 0, "the block of the sink is gone");
}
