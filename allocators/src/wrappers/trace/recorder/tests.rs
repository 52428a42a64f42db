//! Damage of a recorder that `validate` finds.

use super::Recorder;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::TestBacking;
use crate::wrappers::trace::array::tests::{NO_ROOM, TOO_LONG};
use crate::wrappers::trace::{TraceAllocator, TraceSink, WriteSink};

impl Recorder<'_> {
    /// Counts one slot too many, or restores the count.
    pub(in crate::wrappers::trace) fn lose_slot(&self, is_lost: bool) {
        let next = self.slots_next.get();
        self.slots_next.set(if is_lost { next + 1 } else { next - 1 });
    }
}

/// The error of `validate` for a recorder that lost a slot.
pub(in crate::wrappers::trace) const MISCOUNTED: &str = "the slots of the recording are miscounted";

#[test]
fn what_is_broken_is_told() {
    let sink = WriteSink::new(std::vec::Vec::new());
    let books = TestBacking::new();
    let recorder = Recorder::new();
    recorder.validate(0).expect("it is off");
    recorder.validate(7).expect("nothing is recorded, whatever lives");
    recorder.start(&sink as &dyn TraceSink, "recorder", 1, 1, &books).expect("the books have room");
    recorder.validate(0).expect("no slot is in use");
    assert_eq!(recorder.validate(1), Err(MISCOUNTED), "a block without a slot");
    recorder.lose_slot(true);
    assert_eq!(recorder.validate(0), Err(MISCOUNTED), "a slot without a block");
    recorder.validate(1).expect("a slot for each block");
    recorder.slots_free.push(0);
    recorder.validate(0).expect("the slot is free");
    let was = recorder.slots_free.claim_capacity(0);
    assert_eq!(recorder.validate(0), Err(NO_ROOM), "free slots without room");
    recorder.slots_free.claim_capacity(was);
    recorder.validate(0).expect("mended");
    recorder.sites.push(0);
    recorder.sites.push(0);
    let was = recorder.sites.claim_capacity(1);
    assert_eq!(recorder.validate(0), Err(TOO_LONG), "sites without room");
    recorder.sites.claim_capacity(was);
    recorder.validate(0).expect("mended");
    recorder.finish(&books).expect("a vector takes everything");
    assert_eq!(recorder.bytes(), 0, "all is freed");
}

#[test]
fn its_bytes_are_those_of_the_buffer_and_both_tables() {
    let sink = WriteSink::new(std::vec::Vec::new());
    let books = TestBacking::new();
    let recorder = Recorder::new();
    for (live, groups) in [(0, 0), (1, 0), (0, 1), (1, 1), (40, 20)] {
        recorder.start(&sink, "recorder", live, groups, &books).expect("the books have room");
        let room = |count: usize| if count == 0 { 0 } else { count.max(16) };
        assert_eq!(recorder.bytes(), 4096 + 4 * (room(live) + room(groups)), "{live} {groups}");
        assert_eq!(recorder.bytes(), books.stats().granted, "{live} {groups}");
        recorder.finish(&books).expect("a vector takes everything");
        assert_eq!((recorder.bytes(), books.stats().live), (0, 0), "all is freed");
    }
    let trace = TraceAllocator::new_in("trace", &books, &books);
    assert_eq!(trace.ledger.bytes(), 0, "nothing is taken before it is needed");
}
