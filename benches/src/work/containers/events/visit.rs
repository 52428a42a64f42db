//! Visiting events by type, compared with a vector of an enum.

use core::hint::black_box;

use loligo_containers::EventReader;

use super::{EVENTS, Seen, drawn, stream_of};
use crate::clock;
use crate::contender::{Contender, Pass, Race};
use crate::outcome::Reading;

/// How often a pass visits all events.
const TIMES: u32 = 30;

/// Returns the race of visits to a stream that the program itself has written.
pub(crate) fn visit() -> Race {
    let stream = stream_of(&drawn(1, EVENTS));
    race(contender("EventStream", move || Seen::of(black_box(&stream).reader())))
}

/// Returns the race of visits to bytes that are from elsewhere and walked to their end first.
pub(crate) fn visit_checked() -> Race {
    let stream = stream_of(&drawn(1, EVENTS));
    let checked = move || {
        let opened = EventReader::open(black_box(stream.as_bytes()));
        opened.map_or(Seen::default(), Seen::of)
    };
    race(contender("EventReader::open", checked))
}

fn race(ours: Contender) -> Race {
    let events = drawn(1, EVENTS);
    let visit = move || {
        let mut seen = Seen::default();
        black_box(&events[..]).iter().for_each(|event| seen.any(event));
        seen
    };
    Race { ours, peers: vec![contender("Vec of an enum", visit)], absent: Vec::new() }
}

fn contender(name: &'static str, visit: impl Fn() -> Seen + 'static) -> Contender {
    Contender::new(name, move || {
        black_box(visit());
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                black_box(visit());
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(EVENTS) }
    })
}

/// Returns the bytes of a stream over those of a vector of an enum of the same events, without what
/// either has room for beyond.
pub(crate) fn bytes() -> Reading {
    let events = drawn(1, EVENTS);
    let bytes = stream_of(&events).as_bytes().len();
    Reading::Alone {
        figures: vec![bytes as f64 / size_of_val(&events[..]) as f64],
        note: Some(format!(
            "five types of 4 to 40 bytes, equally frequent; the enum takes {} bytes",
            size_of::<super::Any>()
        )),
    }
}
