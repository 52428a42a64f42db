//! Streams compared with a vector of an enum, with bad bytes, without memory, and under panics.

mod exact;
mod views;

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::testing::test_memory::{
    LENGTHS_ARE_LONG, Memory, Random, backing, every_refusal, with_memory,
};

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::AnyBitPattern, bytemuck::NoUninit)]
#[repr(C)]
struct Hit {
    time: u64,
    force: f64,
    actors: [u32; 2],
}

impl Event for Hit {
    const TYPE: u32 = 1;
}

/// Neither its size nor its alignment is one of words.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::AnyBitPattern, bytemuck::NoUninit)]
#[repr(C)]
struct Step {
    bytes: [u8; 9],
}

impl Event for Step {
    const TYPE: u32 = 2;
}

/// Not all bits of it are valid.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::CheckedBitPattern, bytemuck::NoUninit)]
#[repr(C)]
struct Lamp {
    id: u32,
    is_on: u32,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::CheckedBitPattern, bytemuck::NoUninit)]
#[repr(u32)]
enum Shape {
    Round = 1,
    Square = 2,
}

impl Event for Lamp {
    const TYPE: u32 = 3;
}

/// Nothing but its type.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::AnyBitPattern, bytemuck::NoUninit)]
#[repr(C)]
struct Tick;

impl Event for Tick {
    const TYPE: u32 = 4;
}

#[derive(Clone, Debug, PartialEq)]
enum Any {
    Hit(Hit),
    Step(Step),
    Lamp(Lamp),
    Tick,
    Said(u32, Vec<u16>),
    Raw(u32, Vec<u8>),
}

const SAID: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::AnyBitPattern, bytemuck::NoUninit)]
#[repr(C)]
struct Said {
    unit: u32,
}

impl Event for Said {
    const TYPE: u32 = SAID;
}

impl Any {
    fn draw(random: &mut Random) -> Self {
        let number = random.next() as u32;
        match random.below(6) {
            0 => Self::Hit(Hit { time: number.into(), force: 0.5, actors: [number, 2] }),
            1 => Self::Step(Step { bytes: [number as u8; 9] }),
            2 => {
                let shape = if number.is_multiple_of(2) { Shape::Round } else { Shape::Square };
                Self::Lamp(Lamp { id: number, is_on: 1, shape })
            }
            3 => Self::Tick,
            4 => Self::Said(number, (0..random.below(9) as u16).collect()),
            _ => Self::Raw(100 + number % 9, std::vec![number as u8; random.below(21)]),
        }
    }

    fn push<A: Allocator + ?Sized>(
        &self,
        stream: &mut EventStream<'_, A>,
    ) -> Result<(), GrowError> {
        match self {
            Self::Hit(event) => stream.try_push(*event),
            Self::Step(event) => stream.try_push(*event),
            Self::Lamp(event) => stream.try_push(*event),
            Self::Tick => stream.try_push(Tick),
            Self::Said(unit, text) => stream.try_push_with_tail(Said { unit: *unit }, text),
            Self::Raw(kind, bytes) => stream.try_push_bytes(*kind, bytes),
        }
    }

    fn of(record: &EventRecord<'_>) -> Self {
        if let Some(event) = record.get::<Hit>() {
            Self::Hit(event)
        } else if let Some(event) = record.get::<Step>() {
            Self::Step(event)
        } else if let Some(event) = record.get::<Lamp>() {
            Self::Lamp(event)
        } else if record.is::<Tick>() {
            Self::Tick
        } else if let Some((said, text)) = record.get_with_tail::<Said, u16>() {
            assert_eq!(text.as_slice().map(<[u16]>::len), Some(text.len()), "it is aligned");
            Self::Said(said.unit, text.collect())
        } else {
            Self::Raw(record.kind(), record.payload().to_vec())
        }
    }
}

fn all<A: Allocator + ?Sized>(stream: &EventStream<'_, A>) -> Vec<Any> {
    stream.validate().expect("the stream is whole");
    stream.iter().map(|record| Any::of(&record)).collect()
}

/// A stream of drawn events, and the same in a vector.
fn drawn<'a>(
    random: &mut Random,
    count: usize,
    memory: &'a Memory<'a>,
) -> (EventStream<'a, Memory<'a>>, Vec<Any>) {
    let mut stream = EventStream::new_in(memory);
    let model: Vec<Any> = (0..count).map(|_| Any::draw(random)).collect();
    for event in &model {
        event.push(&mut stream).expect("nothing is refused here");
    }
    (stream, model)
}

#[test]
fn does_as_a_vector_of_an_enum_does() {
    let seed = 11;
    let mut random = Random::new(seed);
    with_memory(|memory| {
        let mut stream: EventStream<'_, Memory<'_>> = EventStream::new_in(memory);
        let mut model = Vec::new();
        for step in 0..600 {
            let (other, others) = drawn(&mut random, step % 7, memory);
            match random.below(9) {
                0..4 => {
                    let event = Any::draw(&mut random);
                    event.push(&mut stream).expect("nothing is refused here");
                    model.push(event);
                }
                4 => {
                    stream.append(other.reader());
                    model.extend(others);
                }
                5 => {
                    let events = [Step { bytes: [step as u8; 9] }; 3];
                    stream.push_all(&events);
                    model.extend(events.map(Any::Step));
                }
                6 => {
                    let kind = random.below(6) as u32;
                    stream.retain(|record| record.kind() != kind);
                    model.retain(|event| {
                        !matches!(
                            (event, kind),
                            (Any::Hit(_), 1)
                                | (Any::Step(_), 2)
                                | (Any::Lamp(_), 3)
                                | (Any::Tick, 4)
                                | (Any::Said(..), 5)
                        )
                    });
                }
                7 => {
                    let mut raw: EventStream<'_, Memory<'_>> = EventStream::new_in(memory);
                    stream.split(&mut raw, |record| record.kind() >= 100);
                    let split: Vec<Any> =
                        model.extract_if(.., |event| matches!(event, Any::Raw(..))).collect();
                    assert_eq!(all(&raw), split, "seed {seed}, step {step}");
                }
                _ if step % 50 == 0 => {
                    stream.clear();
                    model.clear();
                }
                _ => stream.try_shrink_to_fit().expect("less memory is had"),
            }
            assert_eq!(all(&stream), model, "seed {seed}, step {step}");
            let hits: Vec<Hit> = stream.of().collect();
            let expected = model.iter().filter(|event| matches!(event, Any::Hit(_))).count();
            assert_eq!(hits.len(), expected, "seed {seed}, step {step}");
        }
    });
}

#[test]
fn records_lie_as_drawn() {
    with_memory(|memory| {
        let mut stream: EventStream<'_, _> = EventStream::new_in(memory);
        assert_eq!(
            size_of_val(&stream),
            8 + 3 * size_of::<usize>(),
            "the size that the docs state"
        );
        stream.push(Step { bytes: [7; 9] });
        stream.try_push_with_tail(Said { unit: 1 }, &[2u8]).expect("there is memory");
        let mut bytes = Vec::new();
        for word in [2u32, 9, 0x0707_0707, 0x0707_0707] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend([7, 0, 0, 0]);
        for word in [5u32, 5, 1] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend([2, 0, 0, 0]);
        assert_eq!(stream.as_bytes(), bytes);
    });
}

#[test]
fn a_type_of_another_size_is_another_type() {
    with_memory(|memory| {
        let mut stream: EventStream<'_, _> = EventStream::new_in(memory);
        stream.push(Tick);
        stream.try_push_bytes(Hit::TYPE, &[1; 20]).expect("there is memory");
        let record = stream.iter().last().expect("two were pushed");
        assert_eq!(record.get::<Hit>(), None);
        assert!(record.get_with_tail::<Hit, u8>().is_none(), "it is shorter than a hit");
        assert!(record.get_with_tail::<Tick, u8>().is_none(), "it is no tick");
        assert!(record.field::<u32>(17).is_none(), "three bytes are no number");
        assert!(record.field::<u32>(usize::MAX).is_none());
        assert_eq!(record.field::<u32>(16), Some(0x0101_0101));
        let wrong = stream.reader().check::<Hit>().expect_err("it is shorter than a hit");
        assert_eq!(wrong.offset, 8);
        assert_eq!(wrong.kind, EventErrorKind::Size { size: 20, expected: 24 });
        assert_eq!(
            wrong.to_string(),
            "the event at byte 8 is 20 bytes long; those of its type are 24"
        );
        assert_eq!(stream.reader().check::<Step>(), Ok(()));
    });
}

#[test]
fn bits_that_no_event_can_have_are_none() {
    with_memory(|memory| {
        let mut stream: EventStream<'_, _> = EventStream::new_in(memory);
        stream.push(Lamp { id: 1, is_on: 1, shape: Shape::Square });
        assert_eq!(stream.reader().check::<Lamp>(), Ok(()));
        stream.try_push_bytes(Lamp::TYPE, &[9; 12]).expect("there is memory");
        assert_eq!(stream.of::<Lamp>().count(), 1);
        let wrong = stream.reader().check::<Lamp>();
        assert_eq!(wrong, Err(EventError { offset: 20, kind: EventErrorKind::Bits }));
    });
}

#[test]
fn merging_is_a_stable_sort() {
    with_memory(|memory| {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let mut streams = Vec::new();
            let mut model = Vec::new();
            for source in 0..random.below(8) as u32 {
                let mut stream: EventStream<'_, _> = EventStream::new_in(memory);
                let mut time = 0;
                for _ in 0..random.below(30) {
                    time += random.below(4) as u64 * random.below(3) as u64;
                    let hit = Hit { time, force: 1.0, actors: [source, model.len() as u32] };
                    stream.push(hit);
                    model.push(hit);
                }
                streams.push(stream);
            }
            let sources: Vec<EventReader<'_>> = streams.iter().map(EventStream::reader).collect();
            let mut merged: EventStream<'_, _> = EventStream::new_in(memory);
            merged.push(Tick);
            let mut asked = 0;
            let key = |record: &EventRecord<'_>| {
                asked += 1;
                record.field::<u64>(0)
            };
            merged.try_merge(&sources, key).expect("there is memory");
            model.sort_by_key(|hit| hit.time);
            assert!(asked <= model.len(), "{asked} keys of {} events", model.len());
            assert_eq!(merged.of::<Hit>().collect::<Vec<_>>(), model, "seed {seed}");
            assert_eq!(merged.iter().count(), model.len() + 1, "seed {seed}");
            merged.validate().expect("it is whole");
        }
    });
}

#[test]
fn merging_what_is_in_no_order_keeps_that_of_each_source() {
    with_memory(|memory| {
        let mut one: EventStream<'_, _> = EventStream::new_in(memory);
        let mut two: EventStream<'_, _> = EventStream::new_in(memory);
        for kind in [5, 1, 4] {
            one.try_push_bytes(kind, &[]).expect("there is memory");
        }
        for kind in [3, 9, 2] {
            two.try_push_bytes(kind, &[]).expect("there is memory");
        }
        let mut merged: EventStream<'_, _> = EventStream::new_in(memory);
        merged.try_merge(&[one.reader(), two.reader()], |r| r.kind()).expect("there is memory");
        let kinds: Vec<u32> = merged.iter().map(|record| record.kind()).collect();
        assert_eq!(kinds, [3, 5, 1, 4, 9, 2]);
    });
}

#[test]
fn appending_all_is_one_behind_the_other() {
    with_memory(|memory| {
        let mut random = Random::new(3);
        let (one, ones) = drawn(&mut random, 20, memory);
        let (two, twos) = drawn(&mut random, 20, memory);
        let mut both: EventStream<'_, _> = EventStream::new_in(memory);
        both.try_append_all(&[one.reader(), EventReader::trusted(&[]), two.reader()])
            .expect("there is memory");
        assert_eq!(all(&both), [ones, twos].concat());
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let other = backing("other");
        let mut random = Random::new(8);
        let mut source: EventStream<'_, _> = EventStream::new_in(&other);
        for _ in 0..60 {
            Any::draw(&mut random).push(&mut source).expect("it is not refused");
        }
        let mut stream: EventStream<'_, _> = EventStream::new_in(memory);
        let mut model = Vec::new();
        let mut first = Ok(());
        let mut done = |result: Result<(), GrowError>, model: &mut Vec<Any>, more: &[Any]| {
            if result.is_ok() {
                model.extend_from_slice(more);
            }
            first = first.and(result);
        };
        for _ in 0..40 {
            let event = Any::draw(&mut random);
            done(event.push(&mut stream), &mut model, &[event]);
            assert_eq!(all(&stream), model);
        }
        let hits = [Hit { time: 1, force: 0.0, actors: [1, 2] }; 50];
        done(stream.try_push_all(&hits), &mut model, &hits.map(Any::Hit));
        done(stream.try_append(source.reader()), &mut model, &all(&source));
        let merged = stream.try_merge(&[source.reader(), source.reader()], |_| 0);
        done(merged, &mut model, &[all(&source), all(&source)].concat());
        assert_eq!(all(&stream), model);
        let mut other: EventStream<'_, _> = EventStream::new_in(memory);
        let split = stream.try_split(&mut other, |record| record.is::<Hit>());
        assert_eq!(all(&stream).len() + all(&other).len(), model.len());
        assert_eq!(
            other.is_empty(),
            split.is_err() || !model.iter().any(|e| matches!(e, Any::Hit(_)))
        );
        done(split, &mut model, &[]);
        done(stream.try_shrink_to_fit(), &mut model, &[]);
        first
    });
}

#[test]
fn a_panic_in_a_closure_loses_nothing() {
    with_memory(|memory| {
        let mut random = Random::new(5);
        for stop in 0..12 {
            let (mut stream, model) = drawn(&mut random, 12, memory);
            let mut asked = 0;
            let mut every_other = |_: &EventRecord<'_>| {
                asked += 1;
                assert_ne!(asked, stop + 1, "as planned");
                asked % 2 == 0
            };
            let unwound = catch_unwind(AssertUnwindSafe(|| stream.retain(&mut every_other)));
            assert!(unwound.is_err(), "it panics at every place");
            let left = model.iter().enumerate().filter(|(at, _)| *at >= stop || at % 2 == 1);
            assert_eq!(all(&stream), left.map(|(_, event)| event.clone()).collect::<Vec<_>>());

            let (mut stream, model) = drawn(&mut random, 12, memory);
            let mut other: EventStream<'_, _> = EventStream::new_in(memory);
            asked = 0;
            let mut every_other = |_: &EventRecord<'_>| {
                asked += 1;
                assert_ne!(asked, stop + 1, "as planned");
                asked % 2 == 0
            };
            let unwound =
                catch_unwind(AssertUnwindSafe(|| stream.try_split(&mut other, &mut every_other)));
            assert!(unwound.is_err(), "it panics at every place");
            assert_eq!(all(&other).len(), stop / 2);
            assert_eq!(all(&stream).len(), model.len() - stop / 2);

            let before = all(&stream);
            asked = 0;
            let mut key = |_: &EventRecord<'_>| {
                asked += 1;
                assert_ne!(asked, stop + 1, "as planned");
                asked
            };
            let source = drawn(&mut random, 8, memory).0;
            let sources = [source.reader(), source.reader()];
            let unwound = catch_unwind(AssertUnwindSafe(|| stream.try_merge(&sources, &mut key)));
            assert!(unwound.is_err() || stop > 8, "it asks for eight keys at least");
            if unwound.is_err() {
                assert_eq!(all(&stream), before);
            }
        }
    });
}

#[test]
fn every_cut_and_every_flip_is_refused_or_readable() {
    with_memory(|memory| {
        let seed = 21;
        let (stream, model) = drawn(&mut Random::new(seed), 14, memory);
        let whole = stream.as_bytes().to_vec();
        // Every address that bytes may have within a word.
        let mut shifted = std::vec![0; whole.len() + 4];
        for shift in 0..4 {
            shifted[shift..shift + whole.len()].copy_from_slice(&whole);
            let reader = EventReader::open(&shifted[shift..shift + whole.len()]).expect("whole");
            assert_eq!(reader.iter().count(), model.len());
            assert!(reader.iter().all(|record| !std::format!("{record:?}").is_empty()));
        }
        let ends: Vec<usize> = stream
            .iter()
            .scan(0, |end, record| {
                *end += record.as_bytes().len();
                Some(*end)
            })
            .collect();
        for cut in 0..whole.len() {
            let opened = EventReader::open(&whole[..cut]);
            assert_eq!(
                opened.is_ok(),
                cut == 0 || ends.contains(&cut),
                "seed {seed}, cut to {cut}"
            );
            if let Err(error) = opened {
                assert!(error.offset < cut as u64, "seed {seed}, cut to {cut}: {error}");
            }
        }
        for at in 0..whole.len() {
            for flip in 0..=u8::MAX {
                let mut bytes = whole.clone();
                bytes[at] ^= flip;
                visit(&bytes);
            }
        }
    });
}

/// Reads all that can be read of bytes that may be anything.
fn visit(bytes: &[u8]) {
    match EventReader::open(bytes) {
        Ok(reader) => {
            let read: usize = reader.iter().map(|record| record.as_bytes().len()).sum();
            assert_eq!(read, bytes.len(), "what was opened is read to its end");
            for record in reader {
                Any::of(&record);
            }
            let _ = (reader.check::<Hit>(), reader.check::<Lamp>(), reader.check::<Step>());
        }
        Err(error) => {
            assert!(error.offset < bytes.len() as u64, "{error} of {} bytes", bytes.len());
            let offset = error.offset as usize;
            assert!(EventReader::open(&bytes[..offset]).is_ok(), "what is before it is whole");
        }
    }
}

#[test]
fn any_bytes_are_refused_or_readable() {
    let seed = 33;
    let mut random = Random::new(seed);
    for _ in 0..20_000 {
        let len = random.below(60);
        // Numbers are small, or none would hold together.
        let bytes: Vec<u8> =
            (0..len)
                .map(|at| {
                    if at % 4 == 0 {
                        random.below(24) as u8
                    } else {
                        u8::from(random.below(40) == 0)
                    }
                })
                .collect();
        visit(&bytes);
    }
}

#[test]
fn faults_name_offset_and_reason() {
    let text = |bytes: &[u8]| EventReader::open(bytes).expect_err("it is wrong").to_string();
    let mut bytes = Vec::new();
    bytes.extend([4u32, 0, 4, u32::MAX].map(u32::to_ne_bytes).concat());
    assert_eq!(
        text(&bytes[..13]),
        "the event at byte 8 has 5 bytes left for its header, which is 8"
    );
    assert_eq!(
        text(&bytes),
        "the event at byte 8 says that it is 4294967295 bytes long where 0 are left"
    );
    let filled: Vec<u8> = [4u32, 3, 0x0101_0101].map(u32::to_ne_bytes).concat();
    assert_eq!(text(&filled), "the event at byte 0 is filled up with bytes that are not zero");
}

#[test]
fn a_record_that_no_header_can_tell_is_refused() {
    with_memory(|memory| {
        // Zeros of an item without bytes would be no length, so the sum is asked of what would be
        // too long.
        assert_eq!(
            payload_bytes(u32::MAX as usize, 1),
            Err(GrowError::Length { wanted: 1 << 32, limit: u64::from(u32::MAX) })
        );
        assert_eq!(payload_bytes(u32::MAX as usize, 0), Ok(u32::MAX));
        let mut stream: EventStream<'_, _> = EventStream::new_in(memory);
        stream.push(Tick);
        let is_length = |refused: &_| matches!(refused, Err(GrowError::Length { .. }));
        let refused = stream.try_reserve(usize::MAX);
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(is_length(&refused), LENGTHS_ARE_LONG, "{refused:?}");
        assert_eq!(stream.try_push_all(&std::vec![Tick; 3]), Ok(()));
        let refused = stream.try_reserve(usize::MAX / 2);
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(is_length(&refused), LENGTHS_ARE_LONG, "{refused:?}");
        assert_eq!(all(&stream).len(), 4);
    });
}

#[test]
fn tails_are_read_from_any_address() {
    let mut bytes = std::vec![0u8];
    bytes.extend([SAID, 12, 7, 3, 4].map(u32::to_ne_bytes).concat());
    let reader = EventReader::open(&bytes[1..]).expect("it is whole");
    let (said, mut tail) =
        reader.iter().next().and_then(|r| r.get_with_tail::<Said, u32>()).expect("it is one");
    assert_eq!((said.unit, tail.len(), tail.get(1), tail.get(2)), (7, 2, Some(4), None));
    assert_eq!(tail.get(usize::MAX), None);
    assert_eq!((tail.next(), tail.next(), tail.next()), (Some(3), Some(4), None));
    assert!(reader.iter().all(|record| record.get_with_tail::<Said, [u8; 3]>().is_none()));
}

#[test]
fn frames_take_turns_and_keep_their_memory() {
    with_memory(|memory| {
        let mut frames: DoubleBufferedEvents<'_, _> = DoubleBufferedEvents::new_in(memory);
        for frame in 0..6u32 {
            let expected = if frame == 0 { 0 } else { frame - 1 };
            assert_eq!(
                frames.last().iter().map(|r| r.kind()).collect::<Vec<_>>(),
                std::vec![expected; (frame > 0) as usize]
            );
            frames.writer().try_push_bytes(frame, &[1, 2]).expect("there is memory");
            frames.swap();
            assert!(frames.writer().is_empty());
            let (last, writer) = frames.both();
            assert_eq!((last.iter().count(), writer.iter().count()), (1, 0));
        }
        assert_eq!(memory.stats().live, 2, "a block each");
    });
}

#[test]
fn streams_may_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<EventStream<'_, dyn Allocator + Sync>>();
    check::<EventReader<'_>>();
    let _: String = std::format!("{:?}", EventReader::trusted(&[]));
}
