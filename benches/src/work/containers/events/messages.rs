//! bevy's messages: a queue for each type.

use bevy_ecs::message::{Message, Messages as Queue};

use super::frame::{self, Five};
use super::{Broken, Collision, FootDown, Seen, Slept, Triggered};

/// The queues of all types.
#[derive(Default)]
pub(super) struct Messages {
    collisions: Queue<Collision>,
    triggered: Queue<Triggered>,
    foot_down: Queue<FootDown>,
    broken: Queue<Broken>,
    slept: Queue<Slept>,
}

impl frame::Queue for Messages {
    #[inline(always)]
    fn push(&mut self, five: Five) {
        self.collisions.write(five.collision);
        self.triggered.write(five.triggered);
        self.foot_down.write(five.foot_down);
        self.broken.write(five.broken);
        self.slept.write(five.slept);
    }

    #[inline(always)]
    fn take(&mut self) -> Seen {
        let mut seen = Seen::default();
        take(&mut self.collisions, |event| seen.collision(event));
        take(&mut self.triggered, |event| seen.triggered(event));
        take(&mut self.foot_down, |event| seen.foot_down(event));
        take(&mut self.broken, |event| seen.broken(event));
        take(&mut self.slept, |event| seen.slept(event));
        seen
    }
}

#[inline(always)]
fn take<M: Message>(queue: &mut Queue<M>, mut visit: impl FnMut(&M)) {
    queue.drain().for_each(|message| visit(&message));
}
