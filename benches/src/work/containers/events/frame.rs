//! The events of a frame: written, visited and forgotten, compared with other queues.

use core::hint::black_box;

use crossbeam_queue::{ArrayQueue, SegQueue};

#[cfg(feature = "peers-all")]
use super::messages::Messages;
use super::{Any, Broken, Collision, EVENTS, FootDown, Ours, Seen, Slept, Triggered, ours};
use crate::clock;
use crate::contender::{Contender, Pass, Race};

/// One event of each type.
pub(super) struct Five {
    pub(super) collision: Collision,
    pub(super) triggered: Triggered,
    pub(super) foot_down: FootDown,
    pub(super) broken: Broken,
    pub(super) slept: Slept,
}

/// A queue for a frame's events.
pub(super) trait Queue: 'static {
    fn push(&mut self, five: Five);

    /// Visits all events and forgets them.
    fn take(&mut self) -> Seen;
}

impl Queue for Ours {
    #[inline(always)]
    fn push(&mut self, five: Five) {
        Self::push(self, five.collision);
        Self::push(self, five.triggered);
        Self::push(self, five.foot_down);
        Self::push(self, five.broken);
        Self::push(self, five.slept);
    }

    #[inline(always)]
    fn take(&mut self) -> Seen {
        let seen = Seen::of(self.reader());
        self.clear();
        seen
    }
}

/// Implements [`Queue`] for a queue of the enum.
macro_rules! of_enum {
    ($queue:ty, $push:expr, $pop:expr) => {
        impl Queue for $queue {
            #[inline(always)]
            fn push(&mut self, five: Five) {
                $push(self, Any::Collision(five.collision));
                $push(self, Any::Triggered(five.triggered));
                $push(self, Any::FootDown(five.foot_down));
                $push(self, Any::Broken(five.broken));
                $push(self, Any::Slept(five.slept));
            }

            #[inline(always)]
            fn take(&mut self) -> Seen {
                let mut seen = Seen::default();
                while let Some(event) = $pop(self) {
                    seen.any(&event);
                }
                seen
            }
        }
    };
}

of_enum!(
    SegQueue<Any>,
    |queue: &mut Self, event| SegQueue::push(queue, event),
    |queue: &mut Self| { SegQueue::pop(queue) }
);
of_enum!(
    ArrayQueue<Any>,
    |queue: &mut Self, event| _ = ArrayQueue::push(queue, event),
    |queue: &mut Self| ArrayQueue::pop(queue)
);

/// How often a pass writes and visits a frame's events.
const TIMES: u32 = 20;

/// Returns the race against queues that several threads may use at once, which is what they pay
/// for.
pub(crate) fn frame() -> Race {
    Race {
        ours: contender("EventStream", ours()),
        peers: vec![
            contender("crossbeam SegQueue", SegQueue::<Any>::new()),
            contender("crossbeam ArrayQueue", ArrayQueue::<Any>::new(EVENTS as usize)),
        ],
        absent: Vec::new(),
    }
}

/// Returns the race against bevy's messages, a queue for each type, which keep no order between
/// types.
#[cfg(feature = "peers-all")]
pub(crate) fn frame_bevy() -> Race {
    Race {
        ours: contender("EventStream", ours()),
        peers: vec![contender("bevy Messages", Messages::default())],
        absent: Vec::new(),
    }
}

/// Returns the race without its peer.
#[cfg(not(feature = "peers-all"))]
pub(crate) fn frame_bevy() -> Race {
    Race {
        ours: contender("EventStream", ours()),
        peers: Vec::new(),
        absent: crate::absent::absent(&["bevy Messages"]),
    }
}

pub(super) fn one_frame<Q: Queue>(queue: &mut Q) -> Seen {
    for number in 0..EVENTS / 5 {
        queue.push(Five {
            collision: Collision::new(number),
            triggered: Triggered::new(number),
            foot_down: FootDown::new(number),
            broken: Broken::new(number),
            slept: Slept::new(number),
        });
    }
    black_box(&mut *queue).take()
}

fn contender<Q: Queue>(name: &'static str, mut queue: Q) -> Contender {
    Contender::new(name, move || {
        one_frame(&mut queue);
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                black_box(one_frame(&mut queue));
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(EVENTS) }
    })
}
