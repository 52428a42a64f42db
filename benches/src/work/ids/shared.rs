//! Ids that several threads create and remove, against `sharded-slab`.

use core::hint::black_box;
use std::thread;
use std::time::Instant;

use loligo_ids::{Id, SharedTable, Wrap};
use sharded_slab::Slab;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

/// Ids that a thread has at once.
const LIVE: usize = 1_000;

/// Turns of a frame, in each of which a thread removes its oldest id, creates one and asks for
/// another.
const TURNS: usize = 100_000;

/// Frames of a pass.
const FRAMES: usize = 5;

/// What gives out ids to threads.
trait SharedIds: Sync {
    type Id: Copy + Send;

    fn create(&self) -> Self::Id;
    fn remove(&self, id: Self::Id) -> bool;
    fn contains(&self, id: Self::Id) -> bool;

    /// What happens between two frames.
    fn end_frame(&mut self) {}
}

/// Slots live often here, so they begin again at the first generation. The ids are our default, of
/// 64 bits as the peer's keys.
type Ours = SharedTable<'static, Id<()>, Wrap, Heap>;

impl SharedIds for Ours {
    type Id = Id<()>;

    fn create(&self) -> Id<()> {
        Self::create(self).expect("there are enough slots for a frame")
    }

    fn remove(&self, id: Id<()>) -> bool {
        Self::remove(self, id)
    }

    fn contains(&self, id: Id<()>) -> bool {
        Self::contains(self, id)
    }

    fn end_frame(&mut self) {
        self.collect();
    }
}

impl SharedIds for Slab<()> {
    type Id = usize;

    fn create(&self) -> usize {
        self.insert(()).expect("a shard has room for many")
    }

    fn remove(&self, id: usize) -> bool {
        Self::remove(self, id)
    }

    fn contains(&self, id: usize) -> bool {
        Self::contains(self, id)
    }
}

/// Returns our side, in that many threads.
pub(crate) fn ours(threads: usize) -> Contender {
    let table = Ours::new_in(threads * (2 * LIVE + TURNS), &HEAP);
    in_frames("SharedTable", threads, table.expect("the machine has memory for the slots"))
}

/// Returns the peer's.
pub(crate) fn sharded_slab(threads: usize) -> Contender {
    in_frames("sharded-slab", threads, Slab::new())
}

/// The time of one thread is its own; that of several is on the wall, over the turns of one.
fn in_frames(name: &'static str, threads: usize, mut ids: impl SharedIds + 'static) -> Contender {
    Contender::new(name, move || {
        let mut ns = 0;
        for _ in 0..FRAMES {
            if threads == 1 {
                ns += clock::time(|| frame(&ids));
            } else {
                let begin = Instant::now();
                thread::scope(|scope| {
                    (0..threads).for_each(|_| drop(scope.spawn(|| frame(&ids))));
                });
                ns += begin.elapsed().as_nanos() as u64;
            }
            ids.end_frame();
        }
        Pass { ns, operations: (FRAMES * TURNS) as u64 }
    })
}

/// A frame of one thread, which ends with none of its ids alive.
#[inline(never)]
fn frame<S: SharedIds>(ids: &S) {
    let mut live: Vec<S::Id> = (0..LIVE).map(|_| ids.create()).collect();
    for turn in 0..TURNS {
        let oldest = turn % LIVE;
        black_box(ids.remove(live[oldest]));
        live[oldest] = ids.create();
        black_box(ids.contains(live[(turn * 7 + 3) % LIVE]));
    }
    live.into_iter().for_each(|id| _ = black_box(ids.remove(id)));
}
