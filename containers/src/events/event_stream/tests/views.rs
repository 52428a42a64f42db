//! Streams, readers and tails as others see them, and the words of errors.

use std::format;
use std::string::ToString;
use std::vec::Vec;

use super::{Any, Hit, Lamp, SAID, Said, Shape, Step, Tick, all, drawn};
use crate::error::GrowError;
use crate::events::event_stream::event::{
    header, kind_of, payload_bytes, record_bytes, size_of_payload, type_and_size,
};
use crate::events::event_stream::{EventError, EventErrorKind, EventReader, EventStream};
use crate::testing::test_memory::{Memory, Random, with_memory};

type Stream<'a> = EventStream<'a, Memory<'a>>;

#[test]
fn a_fault_is_told_in_words() {
    let said = |kind| EventError { offset: 24, kind }.to_string();
    let faults = [
        (EventErrorKind::Header { left: 3 }, "has 3 bytes left for its header, which is 8"),
        (
            EventErrorKind::Payload { size: 9, left: 8 },
            "says that it is 9 bytes long where 8 are left",
        ),
        (EventErrorKind::Filling, "is filled up with bytes that are not zero"),
        (EventErrorKind::Size { size: 4, expected: 8 }, "is 4 bytes long; those of its type are 8"),
        (EventErrorKind::Bits, "has bits that none of its type can have"),
    ];
    for (kind, words) in faults {
        assert_eq!(said(kind), format!("the event at byte 24 {words}"), "{kind:?}");
    }
}

#[test]
fn a_header_holds_type_and_size() {
    for (kind, size) in [(0, 0), (1, 2), (u32::MAX, 0), (0, u32::MAX), (7, u32::MAX - 3)] {
        let both = header(kind, size);
        assert_eq!((kind_of(both), size_of_payload(both)), (kind, size), "type {kind}");
        let words: [u32; 2] = bytemuck::cast(both);
        assert_eq!(words, [kind, size], "the type is first");
    }
    assert_eq!(type_and_size::<Step>(), header(2, 9), "neither of words nor aligned");
    assert_eq!(type_and_size::<Tick>(), header(4, 0), "nothing but its type");
    let lengths = [0, 1, 3, 4, 5, u32::MAX].map(record_bytes);
    assert_eq!(lengths, [8, 12, 12, 12, 16, 8 + (1 << 32)], "header and whole words");
    let limit = u64::from(u32::MAX);
    let wanted = (usize::MAX as u64).saturating_add(usize::MAX as u64);
    let refused = payload_bytes(usize::MAX, usize::MAX);
    assert_eq!(refused, Err(GrowError::Length { wanted, limit }), "no sum overflows");
}

#[test]
fn readers_and_tails_print_what_they_read() {
    with_memory(|memory| {
        let mut stream = Stream::new_in(memory);
        assert!(stream.is_empty() && stream.reader().is_empty(), "nothing yet");
        assert_eq!(format!("{stream:?}"), "[]", "nothing yet");
        stream.push(Tick);
        assert!(!stream.is_empty() && !stream.reader().is_empty(), "an event of no bytes");
        stream.try_push_bytes(9, &[1, 2]).expect("there is memory");
        let said = "[EventRecord { kind: 4, payload: [] }, \
                    EventRecord { kind: 9, payload: [1, 2] }]";
        assert_eq!(format!("{stream:?}"), said, "each record");
        assert_eq!(format!("{:?}", stream.reader()), said, "as its reader");
        assert!(core::ptr::eq(stream.memory(), memory), "the allocator that was given");
        stream.clear();
        assert!(stream.is_empty() && all(&stream).is_empty(), "nothing any more");
        stream.try_push_with_tail(Said { unit: 7 }, &[10_u16, 20, 30]).expect("there is memory");
        let record = stream.iter().next().expect("it was pushed");
        let (_, mut tail) = record.get_with_tail::<Said, u16>().expect("it is one");
        assert_eq!(format!("{tail:?}"), "[10, 20, 30]", "each item");
        assert_eq!(tail.next(), Some(10), "the first");
        let copy = tail.clone();
        assert_eq!((tail.len(), copy.len()), (2, 2), "both have the rest");
        assert_eq!((tail.get(0), tail.get(1), tail.get(2)), (Some(20), Some(30), None), "by index");
        assert_eq!(tail.by_ref().collect::<Vec<_>>(), [20, 30], "the rest");
        assert_eq!((tail.next(), tail.len()), (None, 0), "at its end");
        assert_eq!(copy.collect::<Vec<_>>(), [20, 30], "the copy goes on by itself");
        assert_eq!(tail.as_bytes(), [0_u8; 0], "nothing is left");
        assert_eq!(record.kind(), SAID, "the type of the record");
    });
}

#[test]
fn what_is_of_no_type_is_none() {
    with_memory(|memory| {
        let mut stream = Stream::new_in(memory);
        let lamp = Lamp { id: 1, is_on: 1, shape: Shape::Round };
        stream.push(Hit { time: 1, force: 0.5, actors: [1, 2] });
        stream.push(lamp);
        stream.push(Step { bytes: [3; 9] });
        assert_eq!(stream.of::<Lamp>().collect::<Vec<_>>(), [lamp], "of one type");
        assert_eq!(stream.reader().check::<Lamp>(), Ok(()), "each is one");
        let hit = stream.iter().next().expect("it was pushed");
        assert!(hit.is::<Hit>() && !hit.is::<Lamp>(), "by its type");
        assert_eq!(hit.get::<Lamp>(), None, "of another type");
        assert!(hit.get_with_tail::<Lamp, u8>().is_none(), "of another type");
        assert_eq!(hit.field::<u32>(20), Some(2), "the last number");
        assert_eq!((hit.field::<u32>(21), hit.field::<u32>(24)), (None, None), "beyond it");
        assert_eq!(hit.field::<u64>(usize::MAX), None, "far beyond");
        assert_eq!(hit.payload().len(), 24, "without the header");
        assert_eq!(hit.reader().as_bytes(), hit.as_bytes(), "a record is a stream of one");
        let mut bytes = stream.as_bytes().to_vec();
        let shape = 32 + 8 + 8;
        bytes[shape] = 3;
        let reader = EventReader::open(&bytes).expect("the records are whole");
        let error = EventError { offset: 32, kind: EventErrorKind::Bits };
        assert_eq!(reader.check::<Lamp>(), Err(error), "no shape is 3");
        assert_eq!(reader.of::<Lamp>().next(), None, "and it is none");
        assert_eq!(reader.check::<Hit>(), Ok(()), "others are as they were");
    });
}

#[test]
#[should_panic(expected = "words are written where there is room for")]
fn a_stream_longer_than_its_block_is_damage() {
    with_memory(|memory| {
        let mut stream = Stream::new_in(memory);
        stream.push(Tick);
        stream.len = stream.buffer.capacity();
        let _ = stream.validate();
        stream.len += 1;
        let _ = stream.validate();
    });
}

#[test]
fn capacity_is_told_in_bytes() {
    with_memory(|memory| {
        let mut stream = Stream::try_with_capacity_in(1001, memory).expect("there is memory");
        assert!(stream.capacity() >= 1004, "whole words: {}", stream.capacity());
        let requests = memory.requests();
        let free = stream.capacity() / 8;
        (0..free).for_each(|_| stream.push(Tick));
        assert_eq!(memory.requests(), requests, "as many as there is room for");
        stream.clear();
        stream.try_shrink_to_fit().expect("the block goes back");
        assert_eq!(stream.capacity(), 0, "all of it");
        stream.try_reserve(9).expect("there is memory");
        assert!(stream.capacity() >= 12, "whole words: {}", stream.capacity());
    });
}

#[test]
fn a_fold_visits_what_steps_visit() {
    let mut random = Random::new(25);
    with_memory(|memory| {
        for count in 0..60 {
            let (mut stream, model) = drawn(&mut random, count, memory);
            for event in &model {
                // Several of one header follow one another.
                for _ in 0..random.below(4) {
                    event.push(&mut stream).expect("there is memory");
                }
            }
            let (records, mut stepped) = (stream.iter(), Vec::new());
            for record in records {
                stepped.push((record.as_bytes(), Any::of(&record)));
            }
            let mut folded = Vec::new();
            stream.iter().for_each(|record| folded.push((record.as_bytes(), Any::of(&record))));
            assert_eq!(folded, stepped, "{count} events, and some again");
            assert!(folded.len() >= count, "all are visited");
        }
    });
}
