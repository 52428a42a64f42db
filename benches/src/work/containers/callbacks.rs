//! Queued calls, compared with queues of boxed closures.

use core::hint::black_box;

use bytemuck::{AnyBitPattern, NoUninit};
use crossbeam_queue::SegQueue;
use loligo_containers::{Callback16, CallbackId, CallbackTable, Callbacks};

use crate::clock;
use crate::contender::{Contender, Pass, Race};
use crate::memory::{HEAP, Heap};

#[cfg(test)]
mod tests;

/// How many calls are queued and then made.
const CALLS: u32 = 1_000;

/// How often a pass does so.
const TIMES: u32 = 300;

/// What a call is given: 12 bytes.
#[derive(Clone, Copy, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Data {
    unit: u32,
    bone: u32,
    height: f32,
}

impl Data {
    const fn new(number: u32) -> Self {
        Self { unit: number, bone: 3, height: 0.5 }
    }
}

/// What calls work on.
#[derive(Debug, Default, PartialEq)]
struct Game {
    sums: [u32; 4],
}

/// One of four functions.
#[inline(always)]
fn step<const FOOT: usize>(game: &mut Game, data: Data) {
    game.sums[FOOT] =
        game.sums[FOOT].wrapping_add(data.unit ^ data.bone).wrapping_add(data.height as u32);
}

/// A queue of calls of four functions, one after the other.
trait Queue {
    fn queue<const FOOT: usize>(&mut self, data: Data);

    fn run(&mut self, game: &mut Game);
}

/// Queues all calls and makes them.
fn fill_and_run<Q: Queue>(queue: &mut Q, game: &mut Game) {
    for number in 0..CALLS / 4 {
        queue.queue::<0>(Data::new(number));
        queue.queue::<1>(Data::new(number));
        queue.queue::<2>(Data::new(number));
        queue.queue::<3>(Data::new(number));
    }
    black_box(&mut *queue).run(black_box(game));
}

/// Ours.
struct Ours {
    table: CallbackTable<'static, Game, Callback16, Heap>,
    functions: [CallbackId<Data>; 4],
    calls: Callbacks<'static, Callback16, Heap>,
}

impl Ours {
    fn new() -> Self {
        let mut table = CallbackTable::new_in(&HEAP);
        let functions = [
            table.add(step::<0>),
            table.add(step::<1>),
            table.add(step::<2>),
            table.add(step::<3>),
        ];
        Self { table, functions, calls: Callbacks::new_in(&HEAP) }
    }
}

impl Queue for Ours {
    #[inline(always)]
    fn queue<const FOOT: usize>(&mut self, data: Data) {
        self.calls.queue(self.functions[FOOT], data);
    }

    #[inline(always)]
    fn run(&mut self, game: &mut Game) {
        self.calls.run(&self.table, game).expect("all functions are in the table");
    }
}

/// A closure in a separate block.
type Boxed = Box<dyn FnOnce(&mut Game)>;

impl Queue for Vec<Boxed> {
    #[inline(always)]
    fn queue<const FOOT: usize>(&mut self, data: Data) {
        self.push(Box::new(move |game| step::<FOOT>(game, data)));
    }

    #[inline(always)]
    fn run(&mut self, game: &mut Game) {
        self.drain(..).for_each(|call| call(game));
    }
}

impl Queue for SegQueue<Boxed> {
    #[inline(always)]
    fn queue<const FOOT: usize>(&mut self, data: Data) {
        Self::push(self, Box::new(move |game| step::<FOOT>(game, data)));
    }

    #[inline(always)]
    fn run(&mut self, game: &mut Game) {
        while let Some(call) = self.pop() {
            call(game);
        }
    }
}

/// Returns the race of queueing calls and making them.
pub(crate) fn run() -> Race {
    Race {
        ours: contender("Callbacks", Ours::new()),
        peers: vec![
            contender("Vec of boxes", Vec::<Boxed>::new()),
            contender("crossbeam SegQueue of boxes", SegQueue::<Boxed>::new()),
        ],
        absent: Vec::new(),
    }
}

fn contender<Q: Queue + 'static>(name: &'static str, mut queue: Q) -> Contender {
    let mut game = Game::default();
    Contender::new(name, move || {
        fill_and_run(&mut queue, &mut game);
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                fill_and_run(&mut queue, &mut game);
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(CALLS) }
    })
}
