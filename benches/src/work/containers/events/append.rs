//! Appending events, compared with copying their structs and nothing else.

use core::hint::black_box;

use bytemuck::NoUninit;
use loligo_containers::Event;

use super::{Broken, Collision, EVENTS, FootDown, Ours, Slept, Triggered, ours};
use crate::blocks::look_at;
use crate::clock;
use crate::contender::{Contender, Pass, Race};

/// What events are appended to.
trait Append: 'static {
    fn clear(&mut self);
    fn one<E: Event>(&mut self, event: E);
    fn batch<E: Event>(&mut self, events: &[E]);
}

impl Append for Ours {
    fn clear(&mut self) {
        Self::clear(self);
    }

    #[inline(always)]
    fn one<E: Event>(&mut self, event: E) {
        self.push(event);
    }

    #[inline(always)]
    fn batch<E: Event>(&mut self, events: &[E]) {
        self.push_all(events);
    }
}

/// The structs as bytes, in a vector that grows where it must, as ours does.
impl Append for Vec<u8> {
    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn one<E: NoUninit>(&mut self, event: E) {
        self.extend_from_slice(bytemuck::bytes_of(&event));
    }

    #[inline(always)]
    fn batch<E: NoUninit>(&mut self, events: &[E]) {
        for event in events {
            self.extend_from_slice(bytemuck::bytes_of(event));
        }
    }
}

/// How often a pass fills what is appended to.
const TIMES: u32 = 30;

/// Returns the race of events that are made and appended one by one, of another type each time.
pub(crate) fn append_one() -> Race {
    fn fill<A: Append>(into: &mut A) {
        for number in 0..EVENTS / 5 {
            into.one(Collision::new(number));
            into.one(Triggered::new(number));
            into.one(FootDown::new(number));
            into.one(Broken::new(number));
            into.one(Slept::new(number));
            look_at(into);
        }
    }
    race(fill::<Ours>, fill::<Vec<u8>>)
}

/// How many events of a type there are in a batch.
const BATCH: usize = 50;

/// Returns the race of events that are in arrays, one for each type.
pub(crate) fn append_batch() -> Race {
    fn fill<A: Append>(events: Batches) -> impl Fn(&mut A) {
        move |into| {
            for _ in 0..EVENTS as usize / (5 * BATCH) {
                into.batch(&events.0);
                into.batch(&events.1);
                into.batch(&events.2);
                into.batch(&events.3);
                into.batch(&events.4);
                look_at(into);
            }
        }
    }
    race(fill::<Ours>(Batches::new()), fill::<Vec<u8>>(Batches::new()))
}

struct Batches(
    [Collision; BATCH],
    [Triggered; BATCH],
    [FootDown; BATCH],
    [Broken; BATCH],
    [Slept; BATCH],
);

impl Batches {
    const fn new() -> Self {
        Self(
            [Collision::new(1); BATCH],
            [Triggered::new(2); BATCH],
            [FootDown::new(3); BATCH],
            [Broken::new(4); BATCH],
            [Slept::new(5); BATCH],
        )
    }
}

fn race(
    fill_ours: impl Fn(&mut Ours) + 'static,
    fill_bare: impl Fn(&mut Vec<u8>) + 'static,
) -> Race {
    Race {
        ours: contender("EventStream", ours(), fill_ours),
        peers: vec![contender("structs alone", Vec::new(), fill_bare)],
        absent: Vec::new(),
    }
}

fn contender<A: Append>(
    name: &'static str,
    mut into: A,
    fill: impl Fn(&mut A) + 'static,
) -> Contender {
    Contender::new(name, move || {
        // Makes the room, and brings it into the caches.
        into.clear();
        fill(&mut into);
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                into.clear();
                fill(&mut into);
                black_box(&mut into);
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(EVENTS) }
    })
}
