//! The series against values computed the slow way.

use super::{POINTS_MAX, Timeline};
use crate::report::data::{Bucket, Operations};
use crate::report::tests::{random_trace, trace};
use crate::trace::{Op, Trace};

/// Live bytes after each event, from nothing but the definition.
fn live_after_each(trace: &Trace) -> Vec<u64> {
    let mut slots = std::collections::BTreeMap::new();
    trace
        .events
        .iter()
        .map(|event| {
            slots.insert(event.slot, event.bytes);
            slots.values().sum()
        })
        .collect()
}

#[test]
fn a_short_trace_is_shown_event_by_event() {
    let trace = trace(&[
        (Op::Allocate, 0, 100),
        (Op::AllocateZeroed, 1, 28),
        (Op::Reallocate, 0, 300),
        (Op::Free, 1, 0),
        (Op::Free, 0, 0),
    ]);
    let line = Timeline::of(&trace);
    assert_eq!(line.at, [1, 2, 3, 4, 5], "every event is a moment");
    assert_eq!(line.live_bytes, [100, 128, 328, 300, 0], "live bytes");
    assert_eq!(line.peak_at, 3, "most is live after the third");
    assert_eq!(line.threads, 1, "one thread");
    let operations = Operations { allocate: 1, zeroed: 1, reallocate: 1, free: 2 };
    assert_eq!(line.operations, operations, "operations");
}

#[test]
fn an_empty_trace_has_no_points() {
    let line = Timeline::of(&trace(&[]));
    assert!(line.at.is_empty() && line.histogram.is_empty(), "nothing to draw: {line:?}");
}

#[test]
fn the_points_are_the_greatest_of_their_stretches() {
    let trace = random_trace(11, 3001);
    let line = Timeline::of(&trace);
    let live = live_after_each(&trace);
    assert_eq!(line.at.len(), POINTS_MAX, "as many points as are allowed");
    assert!(line.at.is_sorted(), "in order");
    for (stretch, at) in line.at.iter().enumerate() {
        let inside = |index: &usize| index * POINTS_MAX / live.len() == stretch;
        let most = (0..live.len()).filter(inside).map(|index| live[index]).max();
        assert!(inside(&(at - 1)), "moment {at} is in stretch {stretch}");
        assert_eq!(Some(live[at - 1]), most, "stretch {stretch} shows its greatest");
        assert_eq!(line.live_bytes[stretch], live[at - 1], "and the value of that moment");
    }
    let peak = live.iter().max().copied();
    assert_eq!(line.live_bytes.iter().max().copied(), peak, "the peak is among the points");
    assert_eq!(peak, Some(trace.peak_live_bytes), "and is the trace's own");
    assert_eq!(Some(live[line.peak_at - 1]), peak, "peak_at points to it");
}

#[test]
fn sizes_fall_into_their_buckets() {
    let trace = trace(&[
        (Op::Allocate, 0, 16),
        (Op::Allocate, 1, 31),
        (Op::Reallocate, 1, 64),
        (Op::Free, 0, 0),
    ]);
    let expected = [(4, 2, 47), (5, 0, 0), (6, 1, 64)].map(|(log2, count, bytes)| Bucket {
        log2,
        count,
        bytes,
    });
    assert_eq!(Timeline::of(&trace).histogram, expected, "with the empty bucket between");
}

#[test]
fn the_histogram_adds_up() {
    let trace = random_trace(5, 2000);
    let line = Timeline::of(&trace);
    let asked = trace.events.iter().filter(|event| event.op != Op::Free);
    let bytes: u64 = asked.clone().map(|event| event.bytes).sum();
    assert_eq!(line.histogram.iter().map(|bucket| bucket.count).sum::<u64>(), asked.count() as u64);
    assert_eq!(line.histogram.iter().map(|bucket| bucket.bytes).sum::<u64>(), bytes);
}
