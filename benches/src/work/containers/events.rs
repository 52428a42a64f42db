//! Streams of events, compared with a vector of an enum and with other queues.
//!
//! There are five types of events, of 4 to 40 bytes, each as frequent as the others: those that a
//! physics system might report. The enum of them takes 44 bytes.

mod append;
mod frame;
mod merge;
#[cfg(feature = "peers-all")]
mod messages;
#[cfg(test)]
mod tests;
mod visit;

pub(crate) use append::{append_batch, append_one};
pub(crate) use frame::{frame, frame_bevy};
pub(crate) use merge::{merge, merge_time};
pub(crate) use visit::{bytes, visit, visit_checked};

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_containers::{Event, EventReader, EventStream};

use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// Our stream.
type Ours = EventStream<'static, Heap>;

/// Returns an empty stream of ours.
fn ours() -> Ours {
    EventStream::new_in(&HEAP)
}

/// Defines an event. Its first field is the one that a visit reads.
macro_rules! event {
    ($name:ident, $number:literal, $($field:ident: $type:ty),*) => {
        #[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit)]
        #[cfg_attr(feature = "peers-all", derive(bevy_ecs::message::Message))]
        #[repr(C)]
        pub(crate) struct $name {
            /// What a visit reads; the time, where events are merged.
            read: u32,
            $($field: $type,)*
        }

        impl $name {
            #[inline(always)]
            const fn new(number: u32) -> Self {
                Self { read: number, $($field: <$type as Filled>::FILLED,)* }
            }
        }

        impl Event for $name {
            const TYPE: u32 = $number;
        }
    };
}

/// A value for fields that are never read.
trait Filled {
    const FILLED: Self;
}

impl Filled for u32 {
    const FILLED: Self = 7;
}

impl Filled for f32 {
    const FILLED: Self = 0.5;
}

impl Filled for [u32; 2] {
    const FILLED: Self = [3, 4];
}

impl Filled for [f32; 3] {
    const FILLED: Self = [1.0, 2.0, 3.0];
}

event!(Collision, 0x9e37_79b9, actors: [u32; 2], place: [f32; 3], normal: [f32; 3], impulse: f32);
event!(Triggered, 0x7f4a_7c15, actor: u32);
event!(FootDown, 0xbf58_476d, bone: u32, speed: f32);
event!(Broken, 0x94d0_49bb, parts: [u32; 2], force: [f32; 3]);
event!(Slept, 0x1331_11eb,);

/// Any of them, as a vector holds it.
#[derive(Clone, Copy, Debug)]
enum Any {
    Collision(Collision),
    Triggered(Triggered),
    FootDown(FootDown),
    Broken(Broken),
    Slept(Slept),
}

/// How many events a workload has: those of a busy frame of a large game.
const EVENTS: u32 = 10_000;

/// Events of random types, the same for the same seed.
fn drawn(seed: u64, count: u32) -> Vec<Any> {
    let mut random = Random::new(seed);
    let mut time = 0;
    let any = |_| {
        time += random.below(8);
        match random.below(5) {
            0 => Any::Collision(Collision::new(time)),
            1 => Any::Triggered(Triggered::new(time)),
            2 => Any::FootDown(FootDown::new(time)),
            3 => Any::Broken(Broken::new(time)),
            _ => Any::Slept(Slept::new(time)),
        }
    };
    (0..count).map(any).collect()
}

impl Any {
    fn push_to(self, stream: &mut Ours) {
        match self {
            Self::Collision(event) => stream.push(event),
            Self::Triggered(event) => stream.push(event),
            Self::FootDown(event) => stream.push(event),
            Self::Broken(event) => stream.push(event),
            Self::Slept(event) => stream.push(event),
        }
    }
}

/// Makes a stream of ours of events.
fn stream_of(events: &[Any]) -> Ours {
    let mut stream = ours();
    events.iter().for_each(|event| event.push_to(&mut stream));
    stream
}

/// What is kept of a visit: a different field for each type, so that a visitor has to distinguish
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    impulse: f32,
    actors: u32,
    speed: f32,
    force: [f32; 3],
    slept: u32,
    last: u32,
}

impl Seen {
    #[inline(always)]
    fn collision(&mut self, event: &Collision) {
        self.impulse += event.impulse;
        self.last = self.last.max(event.read);
    }

    #[inline(always)]
    fn triggered(&mut self, event: &Triggered) {
        self.actors ^= event.actor.wrapping_add(event.read);
    }

    #[inline(always)]
    fn foot_down(&mut self, event: &FootDown) {
        self.speed = self.speed.max(event.speed);
        self.actors ^= event.bone;
    }

    #[inline(always)]
    fn broken(&mut self, event: &Broken) {
        for (sum, part) in self.force.iter_mut().zip(event.force) {
            *sum += part;
        }
    }

    #[inline(always)]
    const fn slept(&mut self, event: &Slept) {
        self.slept = self.slept.wrapping_add(event.read);
    }

    #[inline(always)]
    fn any(&mut self, event: &Any) {
        match event {
            Any::Collision(event) => self.collision(event),
            Any::Triggered(event) => self.triggered(event),
            Any::FootDown(event) => self.foot_down(event),
            Any::Broken(event) => self.broken(event),
            Any::Slept(event) => self.slept(event),
        }
    }

    /// Visits all events of a stream.
    #[inline(always)]
    fn of(reader: EventReader<'_>) -> Self {
        let mut seen = Self::default();
        for record in reader {
            if let Some(event) = record.get::<Collision>() {
                seen.collision(&event);
            } else if let Some(event) = record.get::<Triggered>() {
                seen.triggered(&event);
            } else if let Some(event) = record.get::<FootDown>() {
                seen.foot_down(&event);
            } else if let Some(event) = record.get::<Broken>() {
                seen.broken(&event);
            } else if let Some(event) = record.get::<Slept>() {
                seen.slept(&event);
            }
        }
        seen
    }
}
