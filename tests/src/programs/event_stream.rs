//! Programs on a stream of events, compared with a list of what was written.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{Event, EventReader, EventStream, GrowError};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a stream of events. Events are numbered as they come, which is their time.
    EventStreamOp of 32 by run_event_stream {
        /// Writes an event.
        0..=6 => Push { which: u16 },
        /// Writes several.
        7..=8 => PushAll { count: u8 },
        /// Writes an event with a tail of several items.
        9..=12 => PushWithTail { count: u8 },
        /// Writes the given number of bytes as an event of any type.
        13..=15 => PushBytes { count: u8, which: u16 },
        /// Appends the stream to itself, or its beginning if it is long.
        16..=17 => Append,
        /// Appends it to itself twice.
        18..=18 => AppendAll,
        /// Continues with a stream of both halves merged by time.
        19..=21 => Merge { at: u16 },
        /// Keeps those whose time no number divides.
        22..=23 => Retain { count: u8 },
        /// Moves those whose time a number divides to the end.
        24..=25 => Split { count: u8 },
        /// Continues with the stream opened from its own bytes.
        26..=26 => Open,
        /// Makes room for the given number of bytes.
        27..=28 => Reserve { at: u16 },
        /// Gives back what room there is.
        29..=29 => Shrink,
        /// Drops all.
        30..=31 => Clear,
    }
}

/// Runs a program on a stream and on a list of events, and returns how many operations were refused
/// memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the stream finds itself damaged.
pub fn run_event_stream(program: &[EventStreamOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// An event without a tail.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Shot {
    time: u32,
    by: [u16; 3],
    hit: u16,
}

impl Event for Shot {
    const TYPE: u32 = 1;
}

/// An event with one, of another size.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Said {
    time: u32,
}

impl Event for Said {
    const TYPE: u32 = 2;
}

/// The most events after which a stream is not doubled any more.
const MANY: usize = 200;

/// Returns the time of an event, which all begin with; 0 where it is too short.
fn time(payload: &[u8]) -> u32 {
    payload.first_chunk().map_or(0, |time| u32::from_le_bytes(*time))
}

#[derive(Clone, Debug, PartialEq)]
struct Written {
    kind: u32,
    payload: Vec<u8>,
}

pub(super) struct Both<'a> {
    stream: EventStream<'a>,
    model: Vec<Written>,
    next: u32,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { stream: EventStream::new_in(memory), model: Vec::new(), next: 0 }
    }
}

impl Beside for Both<'_> {
    type Op = EventStreamOp;

    fn lose(&mut self) {
        let mut first = true;
        self.stream.retain(|_| !core::mem::replace(&mut first, false));
    }

    fn step(&mut self, op: EventStreamOp) -> Result<bool, String> {
        use EventStreamOp as Op;
        self.next += 1;
        let done = match op {
            Op::Push { .. }
            | Op::PushAll { .. }
            | Op::PushWithTail { .. }
            | Op::PushBytes { .. } => self.put(op),
            Op::Append | Op::AppendAll | Op::Merge { .. } | Op::Open => self.join(op)?,
            _ => self.arrange(op),
        };
        same("empty", self.stream.is_empty(), self.model.is_empty())?;
        Ok(done.is_ok())
    }

    fn compare(&self) -> Result<(), String> {
        self.stream.validate().map_err(|error| error.to_string())?;
        let written = |event: loligo_containers::EventRecord<'_>| Written {
            kind: event.kind(),
            payload: event.payload().to_vec(),
        };
        same("events", &self.stream.iter().map(written).collect::<Vec<_>>(), &self.model)?;
        let shots: Vec<u32> = self.stream.of::<Shot>().map(|shot| shot.time).collect();
        let is_shot =
            |event: &&Written| event.kind == Shot::TYPE && event.payload.len() == size_of::<Shot>();
        let expected = self.model.iter().filter(is_shot).map(|event| time(&event.payload));
        same("events of a type", shots, expected.collect())?;
        for event in &self.stream {
            if let Some((said, tail)) = event.get_with_tail::<Said, u16>() {
                let bytes = [bytemuck::bytes_of(&said), tail.as_bytes()].concat();
                same("with its tail", &bytes[..], event.payload())?;
            }
        }
        Ok(())
    }
}

impl Both<'_> {
    fn note(&mut self, kind: u32, payload: &[u8]) {
        self.model.push(Written { kind, payload: payload.to_vec() });
    }

    fn put(&mut self, op: EventStreamOp) -> Result<(), GrowError> {
        use EventStreamOp as Op;
        let time = self.next;
        match op {
            Op::Push { which } => {
                let shot = Shot { time, by: [which; 3], hit: 1 };
                self.stream.try_push(shot)?;
                self.note(Shot::TYPE, bytemuck::bytes_of(&shot));
            }
            Op::PushAll { count } => {
                let shots: Vec<Shot> =
                    (0..count % 64).map(|n| Shot { time, by: [n.into(); 3], hit: 0 }).collect();
                self.stream.try_push_all(&shots)?;
                shots.iter().for_each(|shot| self.note(Shot::TYPE, bytemuck::bytes_of(shot)));
            }
            Op::PushWithTail { count } => {
                let tail: Vec<u16> = (0..count.into()).collect();
                let said = Said { time };
                self.stream.try_push_with_tail(said, &tail)?;
                let payload = [bytemuck::bytes_of(&said), bytemuck::cast_slice(&tail)].concat();
                self.note(Said::TYPE, &payload);
            }
            Op::PushBytes { count, which } => {
                let payload: Vec<u8> = (0..count).collect();
                let kind = u32::from(which % 5);
                self.stream.try_push_bytes(kind, &payload)?;
                self.note(kind, &payload);
            }
            _ => {}
        }
        Ok(())
    }

    fn join(&mut self, op: EventStreamOp) -> Result<Result<(), GrowError>, String> {
        use EventStreamOp as Op;
        let bytes = self.stream.as_bytes().to_vec();
        let copy = EventReader::open(&bytes).map_err(|error| error.to_string())?;
        let mut fresh: EventStream<'_> = EventStream::new_in(self.stream.memory());
        Ok(match op {
            Op::Append | Op::AppendAll if self.model.len() > MANY => Ok(()),
            Op::Append => self.stream.try_append(copy).map(|()| {
                self.model.extend_from_within(..);
            }),
            Op::AppendAll => self.stream.try_append_all(&[copy, copy]).map(|()| {
                let copy = self.model.clone();
                self.model.extend([&copy[..], &copy[..]].concat());
            }),
            Op::Merge { at } => {
                let at = usize::from(at) % (self.model.len() + 1);
                let mut halves = [Vec::new(), Vec::new()];
                for (index, event) in copy.iter().enumerate() {
                    halves[usize::from(index >= at)].extend_from_slice(event.as_bytes());
                }
                let mut sources = Vec::new();
                for half in &halves {
                    sources.push(EventReader::open(half).map_err(|error| error.to_string())?);
                }
                let merged = fresh.try_merge(&sources, |event| event.field::<u32>(0).unwrap_or(0));
                if merged.is_ok() {
                    self.stream = fresh;
                    self.merge_model(at);
                }
                merged
            }
            _ => fresh.try_append(copy).map(|()| self.stream = fresh),
        })
    }

    /// Takes the lesser of both first ones each time, and of equal ones the first half's.
    fn merge_model(&mut self, at: usize) {
        let second = self.model.split_off(at);
        let first = core::mem::take(&mut self.model);
        let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
        loop {
            let next = match (first.peek(), second.peek()) {
                (None, None) => return,
                (Some(a), Some(b)) if time(&b.payload) < time(&a.payload) => second.next(),
                (Some(_), _) => first.next(),
                (None, Some(_)) => second.next(),
            };
            self.model.extend(next);
        }
    }

    fn arrange(&mut self, op: EventStreamOp) -> Result<(), GrowError> {
        use EventStreamOp as Op;
        match op {
            Op::Retain { count } => {
                let number = u32::from(count) % 7 + 2;
                self.stream.retain(|event| !time(event.payload()).is_multiple_of(number));
                self.model.retain(|event| !time(&event.payload).is_multiple_of(number));
                Ok(())
            }
            Op::Split { count } => {
                let number = u32::from(count) % 7 + 2;
                let mut other: EventStream<'_> = EventStream::new_in(self.stream.memory());
                let room = self.stream.try_reserve(self.stream.as_bytes().len());
                room.and_then(|()| {
                    let moves = |time: u32| time.is_multiple_of(number);
                    self.stream.try_split(&mut other, |event| moves(time(event.payload())))?;
                    // There is room: what was moved was in the stream.
                    self.stream.append(other.reader());
                    self.model.sort_by_key(|event| moves(time(&event.payload)));
                    Ok(())
                })
            }
            Op::Reserve { at } => self.stream.try_reserve(at.into()),
            Op::Shrink => self.stream.try_shrink_to_fit(),
            _ => {
                self.stream.clear();
                self.model.clear();
                Ok(())
            }
        }
    }
}
