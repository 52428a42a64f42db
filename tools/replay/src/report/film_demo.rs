//! The demonstration: a random walk over 128 KiB in 5 levels, as in Niklas Frykholm, "Allocation
//! Interlude: JavaScript Animation" (2015). Changes: the walk is the same in every report, and it
//! is driven over the real allocator.

use crate::report::data::Film;
use crate::report::drive::Drive;
use crate::report::film::{Camera, with_buddy};
use crate::trace::{Event, Op};

const REGION_BYTES: usize = 128 * 1024;
const LEVELS: u32 = 5;
const CALLS: usize = 100;

/// Chosen by eye: this walk refuses little, merges up to the root and fills the region.
const SEED: u64 = 38;

/// Films the walk; `None` only where the memory for it cannot be had.
pub(super) fn film() -> Option<Film> {
    let calls = with_buddy(REGION_BYTES, LEVELS, |buddy, tree| {
        let camera = Camera::new(buddy, tree);
        let mut calls = vec![camera.open()];
        let mut drive = Drive::new(buddy, CALLS);
        let mut walk = Walk::new(SEED);
        for _ in 0..CALLS {
            let event = walk.next();
            camera.shoot(&mut drive, event, &mut calls);
            walk.learn(event, drive.live(event.slot).is_some());
        }
        calls
    })?;
    Some(Film {
        title: String::from("Demonstration: 128 KiB, 5 levels"),
        about: String::from(
            "A random walk of 100 calls over an empty region. Six times in ten a block is asked for, \
             its size drawn as that of any block of the tree, so small ones are likelier; else any \
             block that is alive is freed.",
        ),
        region_bytes: REGION_BYTES,
        levels: LEVELS,
        opening: Vec::new(),
        calls,
    })
}

/// The random walk: which call comes next.
struct Walk {
    state: u64,
    live: Vec<u32>,
    slots: u32,
}

impl Walk {
    fn new(seed: u64) -> Self {
        Self { state: seed, live: Vec::new(), slots: 0 }
    }

    /// Returns a number below `bound` (xorshift64*).
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        number as usize % bound
    }

    fn next(&mut self) -> Event {
        let mut event =
            Event { op: Op::Allocate, align_log2: 0, thread: 0, slot: self.slots, bytes: 0 };
        if self.live.is_empty() || self.below(10) < 6 {
            let number = self.below((1 << LEVELS) - 1);
            event.bytes = (REGION_BYTES >> (number + 1).ilog2()) as u64;
            self.slots += 1;
        } else {
            event.op = Op::Free;
            let index = self.below(self.live.len());
            event.slot = self.live.swap_remove(index);
        }
        event
    }

    /// Notes whether a request was served.
    fn learn(&mut self, event: Event, served: bool) {
        if event.op == Op::Allocate && served {
            self.live.push(event.slot);
        }
    }
}

#[cfg(test)]
mod tests;
