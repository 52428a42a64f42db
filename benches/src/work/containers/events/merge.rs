//! Several streams into one: one after the other, and by time.

use core::hint::black_box;

use loligo_containers::{EventReader, EventRecord};

use super::{Any, EVENTS, Ours, drawn, ours, stream_of};
use crate::clock;
use crate::contender::{Contender, Pass, Race};

/// How many streams there are: those of the threads of a frame.
const SOURCES: u32 = 4;

/// How often a pass merges all of them.
const TIMES: u32 = 30;

/// Returns the events of each thread, in order of their time.
fn sources() -> Vec<Vec<Any>> {
    (0..SOURCES).map(|source| drawn(source.into(), EVENTS / SOURCES)).collect()
}

/// Returns the race of streams that are joined one after the other, against copying their bytes.
pub(crate) fn merge() -> Race {
    let streams: Vec<Ours> = sources().iter().map(|events| stream_of(events)).collect();
    let bytes: Vec<Vec<u8>> = streams.iter().map(|stream| stream.as_bytes().to_vec()).collect();
    let mut into = ours();
    let mut copy: Vec<u8> = Vec::new();
    Race {
        ours: contender("EventStream", move || {
            into.clear();
            let readers: [EventReader<'_>; SOURCES as usize] =
                core::array::from_fn(|source| streams[source].reader());
            into.try_append_all(&readers).expect("the machine has memory for a stream");
            black_box(&mut into);
        }),
        peers: vec![contender("memcpy", move || {
            copy.clear();
            copy.reserve(bytes.iter().map(Vec::len).sum());
            bytes.iter().for_each(|bytes| copy.extend_from_slice(bytes));
            black_box(&mut copy);
        })],
        absent: Vec::new(),
    }
}

/// Returns the race of streams that are merged by time, against a vector of an enum that is sorted.
pub(crate) fn merge_time() -> Race {
    let sources = sources();
    let streams: Vec<Ours> = sources.iter().map(|events| stream_of(events)).collect();
    let mut into = ours();
    let mut sorted: Vec<Any> = Vec::new();
    Race {
        ours: contender("EventStream", move || {
            into.clear();
            let readers: [EventReader<'_>; SOURCES as usize] =
                core::array::from_fn(|source| streams[source].reader());
            // A plain number, as the peer's key is.
            let time = |record: &EventRecord<'_>| record.field::<u32>(0).unwrap_or_default();
            into.try_merge(&readers, time).expect("the machine has memory for a stream");
            black_box(&mut into);
        }),
        peers: vec![contender("Vec of an enum, sorted", move || {
            sorted.clear();
            sources.iter().for_each(|events| sorted.extend_from_slice(events));
            sorted.sort_by_key(time_of);
            black_box(&mut sorted);
        })],
        absent: Vec::new(),
    }
}

/// Returns the time of an event, which is the first field of all.
const fn time_of(event: &Any) -> u32 {
    match event {
        Any::Collision(event) => event.read,
        Any::Triggered(event) => event.read,
        Any::FootDown(event) => event.read,
        Any::Broken(event) => event.read,
        Any::Slept(event) => event.read,
    }
}

fn contender(name: &'static str, mut merge: impl FnMut() + 'static) -> Contender {
    Contender::new(name, move || {
        merge();
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                merge();
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(EVENTS) }
    })
}
