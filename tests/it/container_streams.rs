//! Event streams, queued calls and two-way streams from outside: through `dyn Allocator`, across
//! threads, and under bytes of every kind.

use std::thread;

use bytemuck::{AnyBitPattern, CheckedBitPattern, NoUninit};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator, ProxyAllocator, SharedRef};
use loligo_containers::{
    Array, Callback32, CallbackTable, Callbacks, DoubleBufferedEvents, Event, EventReader,
    EventStream, Stream, StreamError, StreamErrorKind, StreamFormat, StreamReader, StreamWriter,
    Streamed,
};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Moved {
    time: u64,
    thread: u32,
    number: u32,
}

impl Event for Moved {
    const TYPE: u32 = 1;
}

#[derive(Clone, Copy, Debug, PartialEq, CheckedBitPattern, NoUninit)]
#[repr(C)]
struct Lit {
    lamp: [u8; 3],
    is_on: bool,
}

impl Event for Lit {
    const TYPE: u32 = 2;
}

/// Neither as long as words are nor aligned as they are.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Typed {
    letters: [u8; 5],
}

impl Event for Typed {
    const TYPE: u32 = 3;
}

/// Runs a test with a heap that must be empty after it.
fn with_heap(test: impl FnOnce(&dyn Allocator)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    test(&heap);
    assert_eq!(heap.stats().live, 0, "all memory was given back");
}

#[test]
fn threads_write_streams_that_are_merged_by_time() {
    let pages = PageAllocator::new("pages");
    let shared: SharedRef<'_> = &pages;
    let streams = thread::scope(|scope| {
        let threads: Vec<_> = (0..4u32)
            .map(|thread| {
                scope.spawn(move || {
                    let mut stream: EventStream<'_, dyn Allocator + Sync> =
                        EventStream::new_in(shared);
                    for number in 0..500 {
                        let time = u64::from(number / 3 * 5 + thread);
                        stream.push(Moved { time, thread, number });
                        if number % 7 == 0 {
                            stream
                                .try_push_with_tail(Lit { lamp: [1, 2, 3], is_on: true }, &[time])
                                .expect("the machine has memory");
                        }
                    }
                    stream
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let streams: Vec<EventStream<'_, dyn Allocator + Sync>> = streams;
    let readers: Vec<EventReader<'_>> = streams.iter().map(EventStream::reader).collect();
    with_heap(|memory| {
        let mut merged: EventStream<'_> = EventStream::new_in(memory);
        // The time is in front of one type and in the tail of the other.
        let time = |record: &loligo_containers::EventRecord<'_>| {
            let tail = record.get_with_tail::<Lit, u64>();
            tail.and_then(|(_, mut tail)| tail.next()).or_else(|| record.field::<u64>(0))
        };
        merged.try_merge(&readers, time).expect("there is memory");
        let moved: Vec<Moved> = merged.of().collect();
        assert_eq!(moved.len(), 2_000);
        assert!(moved.is_sorted_by_key(|event| (event.time, event.thread, event.number)));
        assert_eq!(merged.iter().count(), 2_000 + 4 * 72);
        EventReader::open(merged.as_bytes()).expect("what was merged is a stream");
        drop(moved);
    });
    drop(streams);
    assert_eq!(pages.stats().live, 0);
}

#[test]
fn frames_of_events_take_no_more_memory_than_the_busiest() {
    with_heap(|memory| {
        let mut frames: DoubleBufferedEvents<'_> = DoubleBufferedEvents::new_in(memory);
        let (mut written, mut read) = (0, 0);
        let mut settled = 0;
        for frame in 0..40u32 {
            for number in 0..(frame * 7) % 23 {
                frames.writer().push(Moved { time: frame.into(), thread: 0, number });
                written += 1;
            }
            frames.swap();
            read += frames.last().of::<Moved>().filter(|e| e.time == u64::from(frame)).count();
            if frame == 30 {
                settled = memory.stats().requested;
            }
        }
        assert_eq!(read, written);
        assert_eq!(memory.stats().requested, settled, "later frames have taken no memory");
    });
}

#[test]
fn queues_of_threads_run_as_one() {
    let pages = PageAllocator::new("pages");
    with_heap(|memory| {
        let mut table: CallbackTable<'_, Vec<u64>, Callback32> = CallbackTable::new_in(memory);
        let add = table.add(|sums: &mut Vec<u64>, data: [u64; 3]| sums.push(data.iter().sum()));
        let mut all: Callbacks<'_, Callback32> = Callbacks::new_in(memory);
        let pages = &pages;
        let queues: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..3u64)
                .map(|thread| {
                    scope.spawn(move || {
                        let mut calls: Callbacks<'_, Callback32, PageAllocator> =
                            Callbacks::new_in(pages);
                        (0..100).for_each(|number| calls.queue(add, [thread, number, 1 << 40]));
                        calls
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
        });
        for mut queue in queues {
            all.append(&mut queue);
        }
        let mut sums = Vec::new();
        assert_eq!(all.run(&table, &mut sums), Ok(300));
        let expected: Vec<u64> =
            (0..3).flat_map(|thread| (0..100).map(move |n| thread + n + (1 << 40))).collect();
        assert_eq!(sums, expected);
    });
}

/// An object whose fields are of every kind.
#[derive(Debug, Default, PartialEq)]
struct Ship {
    mass: f64,
    crew: Option<u16>,
    holds: [i32; 3],
    is_docked: bool,
    code: char,
    speed: u8,
}

impl Streamed for Ship {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.field("mass", &mut self.mass)?;
        stream.field("crew", &mut self.crew)?;
        stream.field("holds", &mut self.holds)?;
        stream.added(2, "is_docked", &mut self.is_docked)?;
        stream.added_or(3, "code", &mut self.code, '-')?;
        stream.removed(3, "speed", &mut self.speed)
    }
}

/// Streams an array of ships as the outermost value.
struct Fleet<'a>(Array<'a, Ship>);

impl Streamed for Fleet<'_> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.array("ships", &mut self.0)
    }
}

const FLEET: StreamFormat = StreamFormat::new("fleet", 3);

fn ships() -> impl Strategy<Value = Vec<Ship>> {
    let ship =
        (any::<u32>(), any::<Option<u16>>(), any::<[i32; 3]>(), any::<bool>(), any::<char>());
    let ship = ship.prop_map(|(mass, crew, holds, is_docked, code)| Ship {
        mass: f64::from(mass),
        crew,
        holds,
        is_docked,
        code,
        speed: 9,
    });
    proptest::collection::vec(ship, 0..9)
}

/// What a ship is when it was written in a version and read in the newest.
fn as_of(version: u32, ship: &Ship) -> Ship {
    Ship {
        is_docked: version >= 2 && ship.is_docked,
        code: if version >= 3 { ship.code } else { '-' },
        speed: if version >= 3 { 0 } else { ship.speed },
        holds: ship.holds,
        ..*ship
    }
}

proptest! {
    #[test]
    fn a_fleet_is_read_as_it_was_written_in_any_version(ships in ships(), version in 0u32..4) {
        with_heap(|memory| {
            let expected: Vec<Ship> = ships.iter().map(|ship| as_of(version, ship)).collect();
            let mut fleet = Fleet(Array::new_in(memory));
            ships.into_iter().for_each(|ship| fleet.0.push(ship));
            let mut bytes: Array<'_, u8> = Array::new_in(memory);
            StreamFormat { version, ..FLEET }.save(&mut fleet, &mut bytes).expect("it can be written");
            let mut read = Fleet(Array::new_in(memory));
            FLEET.load(&mut read, &bytes).expect("it can be read");
            assert_eq!(read.0, expected);
        });
    }

    #[test]
    fn no_bytes_break_a_reader(
        ships in ships(),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6),
        cut in any::<usize>(),
    ) {
        with_heap(|memory| {
            let mut fleet = Fleet(Array::new_in(memory));
            ships.into_iter().for_each(|ship| fleet.0.push(ship));
            let mut bytes: Array<'_, u8> = Array::new_in(memory);
            FLEET.save(&mut fleet, &mut bytes).expect("it can be written");
            for (at, byte) in changes {
                // The head is not worth changing: everything but two values of it is refused.
                let at = 8 + at % (bytes.len() - 8);
                bytes[at] = byte;
            }
            let bytes = &bytes[..8 + cut % (bytes.len() - 7)];
            let mut read = Fleet(Array::new_in(memory));
            match FLEET.load(&mut read, bytes) {
                Ok(()) => assert!(read.0.len() <= bytes.len()),
                Err(error) => {
                    assert!(error.offset <= bytes.len() as u64, "{error}");
                    assert!(!matches!(error.kind, StreamErrorKind::Memory(_)), "{error}");
                    assert!(!error.to_string().is_empty());
                }
            }
        });
    }

    #[test]
    fn no_claimed_length_takes_memory(
        numbers in proptest::collection::vec(any::<u64>(), 0..20),
        mut behind in proptest::collection::vec(any::<u8>(), 0..40),
        claimed in prop_oneof![0u32..64, any::<u32>()],
    ) {
        with_heap(|heap| {
            let mut bytes: Array<'_, u8> = Array::new_in(heap);
            let mut writer = StreamWriter::begin(&mut bytes, FLEET).expect("there is memory");
            let mut written: Array<'_, u64> = Array::new_in(heap);
            numbers.iter().for_each(|number| written.push(*number));
            writer.numbers("numbers", &mut written).expect("there is memory");
            writer.bytes(&mut behind).expect("there is memory");
            bytes[8..12].copy_from_slice(&claimed.to_le_bytes());
            let left = bytes.len() as u64 - 12;
            // If a false length were accepted, this budget would run out and not the machine's
            // memory.
            let memory = ProxyAllocator::new_in("claimed", heap).with_budget(64 << 10);
            let mut read: Array<'_, u64> = Array::new_in(&memory);
            let mut reader = StreamReader::open(&bytes, FLEET).expect("the head is right");
            let result = reader.numbers("numbers", &mut read).map_err(|error| error.kind);
            if u64::from(claimed) * 8 > left {
                assert_eq!(result, Err(StreamErrorKind::Length { claimed, left }));
                assert_eq!(memory.stats().requested_total, 0, "nothing was asked for");
            } else {
                assert_eq!((result, read.len()), (Ok(()), claimed as usize));
            }
        });
    }

    #[test]
    fn events_of_any_length_begin_at_a_word(
        payloads in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..12), 0..20),
    ) {
        with_heap(|memory| {
            let mut stream: EventStream<'_> = EventStream::new_in(memory);
            for (kind, payload) in payloads.iter().enumerate() {
                stream.try_push_bytes(kind as u32, payload).expect("there is memory");
                stream.push(Typed { letters: [kind as u8; 5] });
            }
            let begin = stream.as_bytes().as_ptr().addr();
            let mut records = EventReader::open(stream.as_bytes()).expect("just written").iter();
            let mut offset = 0;
            let mut next = |kind: usize, payload: &[u8]| {
                let record = records.next().expect("as many as were written");
                assert_eq!((record.kind() as usize, record.payload()), (kind, payload));
                let lies_at = record.as_bytes().as_ptr().addr() - begin;
                assert_eq!(lies_at, offset, "after the record before, rounded up to a word");
                offset += 8 + payload.len().next_multiple_of(4);
            };
            for (kind, payload) in payloads.iter().enumerate() {
                next(kind, payload);
                next(3, &[kind as u8; 5]);
            }
            assert_eq!(offset, stream.as_bytes().len(), "nothing else is in the stream");
        });
    }

    #[test]
    fn no_words_break_a_stream_of_events(words in proptest::collection::vec(0u32..40, 0..40)) {
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        match EventReader::open(bytes) {
            Ok(reader) => {
                assert_eq!(reader.iter().map(|record| record.as_bytes().len()).sum::<usize>(), bytes.len());
                let _ = (reader.check::<Moved>(), reader.check::<Lit>(), reader.check::<Typed>());
                assert!(reader.of::<Lit>().all(|event| event.lamp.len() == 3));
            }
            Err(error) => {
                let (before, _) = bytes.split_at(error.offset as usize);
                assert!(EventReader::open(before).is_ok(), "the first wrong record is named: {error}");
            }
        }
    }
}

#[test]
fn a_reader_and_a_writer_can_be_driven_by_hand() {
    with_heap(|memory| {
        let mut bytes: Array<'_, u8> = Array::new_in(memory);
        bytes.push(0xee);
        let mut writer = StreamWriter::begin(&mut bytes, FLEET).expect("there is memory");
        writer.field("one", &mut 1u16).expect("there is memory");
        writer.bytes(&mut [7, 8, 9]).expect("there is memory");
        assert_eq!((writer.offset(), writer.version()), (13, 3));
        let mut reader = StreamReader::open(&bytes[1..], FLEET).expect("it begins as it should");
        let mut one = 0u16;
        reader.field("one", &mut one).expect("it is there");
        assert_eq!((one, reader.rest()), (1, &[7u8, 8, 9][..]));
        let error = reader.clone().finish().expect_err("three bytes are left");
        assert_eq!(error.to_string(), "byte 10: 3 bytes follow where the end should be");
        let error = reader.field("many", &mut 0u64).expect_err("three bytes are left");
        assert_eq!(error.to_string(), "`many` at byte 10: 8 bytes are needed where 3 are left");
        reader.value(&mut [0u8; 3]).expect("they are there");
        reader.finish().expect("nothing is left");
    });
}
