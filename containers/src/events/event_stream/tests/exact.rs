//! How much memory streams take, how often a key is asked for, and bytes that do not belong.

use std::vec::Vec;

use loligo_allocators::{Allocator, Refusals};

use super::{Hit, Tick, all};
use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::events::event_stream::{
    EventError, EventErrorKind, EventReader, EventRecord, EventStream,
};
use crate::testing::test_memory::{Memory, with_memory};

type Stream<'a> = EventStream<'a, Memory<'a>>;

/// Returns a stream of the given number of events without bytes, which take two words each.
fn ticks<'a>(count: usize, memory: &'a Memory<'a>) -> Stream<'a> {
    let mut stream = Stream::new_in(memory);
    (0..count).for_each(|_| stream.push(Tick));
    stream
}

#[test]
fn a_stream_has_the_room_that_was_asked_for() {
    with_memory(|memory| {
        for words in 0..200_usize {
            let array: Array<'_, u32, Memory<'_>> =
                Array::try_with_capacity_in(words, memory).expect("there is memory");
            let expected = 4 * array.capacity();
            for bytes in (4 * words).saturating_sub(3)..=4 * words {
                let stream = Stream::try_with_capacity_in(bytes, memory).expect("there is memory");
                assert_eq!(stream.capacity(), expected, "for {bytes} bytes");
            }
        }
    });
}

#[test]
fn joining_streams_takes_the_room_of_their_bytes() {
    with_memory(|memory| {
        for count in 0..100 {
            let (one, two) = (ticks(count, memory), ticks(count / 3, memory));
            let sources = [one.reader(), two.reader()];
            let mut expected = Stream::new_in(memory);
            expected.try_reserve(8 * (count + count / 3)).expect("there is memory");
            let mut joined = Stream::new_in(memory);
            joined.try_append_all(&sources).expect("there is memory");
            assert_eq!(joined.capacity(), expected.capacity(), "{count} events, appended");
            let mut merged = Stream::new_in(memory);
            merged.try_merge(&sources, |_| 0).expect("there is memory");
            assert_eq!(merged.capacity(), expected.capacity(), "{count} events, merged");
            assert_eq!(merged.as_bytes(), joined.as_bytes(), "{count} events of one key");
        }
    });
}

#[test]
fn of_several_streams_all_are_appended_or_none() {
    with_memory(|memory| {
        let mut source = Stream::new_in(memory);
        source.push_all(&[Hit { time: 1, force: 0.5, actors: [1, 2] }; 100]);
        let mut stream = ticks(1, memory);
        let before = all(&stream);
        // Enough for one of them.
        memory.refuse(Refusals::Larger(5000));
        let refused = stream.try_append_all(&[source.reader(), source.reader()]);
        assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
        assert_eq!(all(&stream), before, "as it was");
        stream.try_append_all(&[source.reader()]).expect("there is memory for one");
        assert_eq!(all(&stream).len(), 101, "and what was there");
        memory.refuse(Refusals::None);
    });
}

#[test]
fn a_key_is_asked_for_once_and_of_one_stream_never() {
    with_memory(|memory| {
        for sources in 0..4_usize {
            let streams: Vec<Stream<'_>> = (0..sources).map(|_| ticks(10, memory)).collect();
            let readers: Vec<EventReader<'_>> = streams.iter().map(EventStream::reader).collect();
            let mut merged = Stream::new_in(memory);
            let mut asked = 0;
            let key = |_: &EventRecord<'_>| {
                asked += 1;
                0
            };
            merged.try_merge(&readers, key).expect("there is memory");
            assert_eq!(merged.iter().count(), 10 * sources, "all of {sources}");
            let expected = if sources == 1 { 0 } else { 10 * sources };
            assert_eq!(asked, expected, "of {sources} streams");
        }
    });
}

#[test]
fn merging_takes_an_index_twice_and_gives_it_back() {
    with_memory(|memory| {
        for count in [0, 1, 100_usize] {
            let one = ticks(count, memory);
            let mut merged = Stream::new_in(memory);
            merged.try_reserve(1000 * count).expect("there is memory");
            let (live, before) = (memory.stats().requested, memory.stats().requested_total);
            merged.try_merge(&[one.reader(); 3], |_| 0_u64).expect("there is memory");
            assert_eq!(memory.stats().requested, live, "of {count} records each");
            // For each record a key, a length and a slice; the first of the two grows by doubling.
            let entries = 3 * count * size_of::<(u64, u32, &[u8])>();
            let taken = memory.stats().requested_total - before;
            let ends = 3 * size_of::<usize>();
            assert!(taken as usize >= 2 * entries + ends, "{taken} of {count} records each");
            let growing = 4 * entries + 4 * size_of::<(u64, u32, &[u8])>();
            assert!(taken as usize <= entries + growing + ends, "{taken} of {count} records each");
        }
    });
}

#[test]
#[should_panic(expected = "1 bytes are written where 0 have room")]
fn nothing_is_written_behind_the_block() {
    with_memory(|memory| {
        let mut stream = ticks(1, memory);
        let end = stream.capacity();
        stream.write_at(end, &[]);
        stream.write_at(end, &[1]);
    });
}

#[test]
fn every_byte_that_fills_a_word_is_zero() {
    for size in 1..=8_u32 {
        let words = size.div_ceil(4) as usize;
        let mut bytes = [7, size].map(u32::to_ne_bytes).concat();
        bytes.extend(std::vec![0; 4 * words]);
        let reader = EventReader::open(&bytes).expect("all are zero");
        assert_eq!(reader.iter().count(), 1, "a record of {size} bytes");
        for at in 8..bytes.len() {
            bytes[at] = 1;
            let opened = EventReader::open(&bytes).map(drop);
            let wrong = Err(EventError { offset: 0, kind: EventErrorKind::Filling });
            let expected = if at < 8 + size as usize { Ok(()) } else { wrong };
            assert_eq!(opened, expected, "byte {at} of a record of {size}");
            bytes[at] = 0;
        }
    }
}
