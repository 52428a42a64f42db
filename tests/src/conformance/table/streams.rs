//! The streams of events of the table. No other crate has one that is read and written as plain
//! bytes.

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::EventStream;

use crate::conformance::stream::some_stream_outcomes;
use crate::conformance::{Stream, StreamLimits};
use crate::models::{FaultyStream, StreamFault};

use super::{Family, Subject, Whose};

impl Stream for EventStream<'_> {
    fn append(&mut self, kind: u32, payload: &[u8]) -> bool {
        self.try_push_bytes(kind, payload).is_ok()
    }

    fn read(&self, each: &mut dyn FnMut(u32, &[u8])) {
        self.iter().for_each(|record| each(record.kind(), record.payload()));
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// Returns ours and one with a planted fault.
pub(super) fn subjects() -> Vec<Subject> {
    vec![
        Subject::new(Family::Streams, "EventStream", Whose::Ours, None, |wanted| {
            some_stream_outcomes(&StreamLimits::growing(4), wanted, |test| {
                let pages = PageAllocator::new("pages");
                let heap = HeapAllocator::new_in("heap", &pages);
                let mut stream: EventStream<'_> = EventStream::new_in(&heap);
                test(&mut stream);
            })
        }),
        Subject::new(Family::Streams, "words", Whose::Planted, None, |wanted| {
            some_stream_outcomes(&StreamLimits::growing(8), wanted, |test| {
                test(&mut FaultyStream::new(StreamFault::RoundsLength, None));
            })
        }),
    ]
}
