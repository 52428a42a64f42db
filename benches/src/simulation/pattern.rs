//! Which thread frees the block of which: the calls of larson and of xmalloc-test, on virtual cores.
//!
//! - larson: a core replaces random blocks of its table; then a thread with another heap begins on
//!   each core, and takes over the table of the core before. Its first free of each block is
//!   foreign: about one free in 20, and one in 100 in the program, which goes on for longer.
//! - xmalloc-test: each core has a producer, which fills a batch of 4 096 blocks, and a consumer,
//!   which frees the oldest batch of another core, in turns. All frees are foreign.

use core::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use clap::ValueEnum;

use crate::random::Random;
use crate::simulation::machine::{Bill, Costs, Machine, Total};
use crate::simulation::schemes::{SchemeName, line_of_block};
use crate::simulation::{Block, Scheme, Thread};

/// The patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pattern {
    /// Threads replace random blocks and are replaced.
    Larson,
    /// Consumers free what producers allocated.
    XmallocTest,
}

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) pattern: Pattern,
    pub(crate) scheme: SchemeName,
    pub(crate) cores: u32,
    pub(crate) costs: Costs,
    /// Whether a thread writes a block of another one before it frees it.
    pub(crate) touch: bool,
    /// Multiplies the work of a core.
    pub(crate) times: u32,
}

/// The figures of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Frees of blocks that another thread allocated.
    pub(crate) foreign_frees: u64,
    /// Allocations and frees.
    pub(crate) calls: u64,
    /// What foreign frees cost, taking back included, and the transfers of the program's writes.
    pub(crate) hand_over: Total,
    /// All the rest.
    pub(crate) own: Total,
}

/// Slots of a table of larson, replacements for each of them, and threads of each core.
const LARSON_BLOCKS: u32 = 500;
const LARSON_ROUNDS: u32 = 20;
const LARSON_THREADS: u32 = 5;

/// Blocks of a batch of xmalloc-test, and batches of each core.
const BATCH_BLOCKS: u32 = 4096;
const BATCHES: u32 = 5;

impl Pattern {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Larson, Self::XmallocTest];

    /// Returns the name of the suite.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Larson => "larson",
            Self::XmallocTest => "xmalloc-test",
        }
    }

    const fn block_bytes(self) -> u32 {
        match self {
            Self::Larson => 256,
            Self::XmallocTest => 64,
        }
    }
}

/// Simulates a pattern over a scheme.
pub(crate) fn simulate(rules: Rules) -> Tally {
    let mut calls = Calls {
        scheme: rules.scheme.make(2 * rules.cores, rules.pattern.block_bytes()),
        machine: Machine::new(rules.cores, rules.costs),
        rules,
        foreign_frees: 0,
        calls: 0,
    };
    match rules.pattern {
        Pattern::Larson => larson(&mut calls),
        Pattern::XmallocTest => xmalloc(&mut calls),
    }
    Tally {
        foreign_frees: calls.foreign_frees,
        calls: calls.calls,
        hand_over: calls.machine.total(Bill::HandOver),
        own: calls.machine.total(Bill::Own),
    }
}

/// A live block with the heap of the thread that allocated it.
#[derive(Clone, Copy, Debug)]
struct Live {
    block: Block,
    by: u32,
}

/// The calls of a pattern, counted.
struct Calls {
    scheme: Box<dyn Scheme>,
    machine: Machine,
    rules: Rules,
    foreign_frees: u64,
    calls: u64,
}

impl Calls {
    /// Allocates a block and writes it.
    fn allocate(&mut self, thread: Thread) -> Live {
        self.calls += 1;
        let block = self.scheme.allocate(thread, &mut self.machine);
        self.write(thread.core, block);
        Live { block, by: thread.heap }
    }

    fn free(&mut self, thread: Thread, live: Live) {
        self.calls += 1;
        if live.by == thread.heap {
            return self.scheme.free(thread, live.block, &mut self.machine);
        }
        self.foreign_frees += 1;
        if self.rules.touch {
            self.write(thread.core, live.block);
        }
        let scheme = &mut self.scheme;
        let free = |machine: &mut Machine| scheme.free(thread, live.block, machine);
        self.machine.billed(Bill::HandOver, free);
    }

    fn write(&mut self, core: u32, block: Block) {
        let line = line_of_block(block, self.rules.pattern.block_bytes());
        self.machine.write_for_program(core, line);
    }

    /// Lets the core whose clock is the earliest do a step until no core has one. `step` returns
    /// `false` if the core has none.
    fn interleave(&mut self, mut step: impl FnMut(&mut Self, u32) -> bool) {
        let mut next: BinaryHeap<_> =
            (0..self.rules.cores).map(|core| Reverse((self.machine.clock(core), core))).collect();
        while let Some(Reverse((_, core))) = next.pop() {
            if step(self, core) {
                next.push(Reverse((self.machine.clock(core), core)));
            }
        }
    }
}

fn larson(calls: &mut Calls) {
    let cores = calls.rules.cores;
    let mut tables: Vec<Vec<Live>> = (0..cores)
        .map(|core| {
            let thread = Thread { heap: core, core };
            (0..LARSON_BLOCKS).map(|_| calls.allocate(thread)).collect()
        })
        .collect();
    let mut randoms: Vec<_> = (0..cores).map(|core| Random::new(u64::from(core) + 4141)).collect();
    for generation in 0..LARSON_THREADS * calls.rules.times {
        let mut left = vec![LARSON_BLOCKS * LARSON_ROUNDS; cores as usize];
        calls.interleave(|calls, core| {
            let left = &mut left[core as usize];
            if *left == 0 {
                return false;
            }
            *left -= 1;
            // The heaps of a core take turns, so that a core alone has foreign frees, too.
            let thread = Thread { heap: core + cores * (generation % 2), core };
            let slot = randoms[core as usize].below(LARSON_BLOCKS) as usize;
            let place = &mut tables[core as usize][slot];
            calls.free(thread, *place);
            *place = calls.allocate(thread);
            true
        });
        tables.rotate_right(1);
    }
}

/// What a core of xmalloc-test does.
#[derive(Debug, Default)]
struct Worker {
    /// The batch that its producer fills.
    filled: Vec<Live>,
    /// The batch that its consumer empties.
    emptied: Vec<Live>,
    batches: u32,
}

fn xmalloc(calls: &mut Calls) {
    let cores = calls.rules.cores;
    let batches = BATCHES * calls.rules.times;
    let mut workers: Vec<_> = (0..cores).map(|_| Worker::default()).collect();
    let mut waiting: VecDeque<(u32, Vec<Live>)> = VecDeque::new();
    calls.interleave(|calls, core| {
        let worker = &mut workers[core as usize];
        if let Some(live) = worker.emptied.pop() {
            calls.free(Thread { heap: cores + core, core }, live);
        } else if worker.batches < batches {
            worker.filled.push(calls.allocate(Thread { heap: core, core }));
            if worker.filled.len() == BATCH_BLOCKS as usize {
                worker.batches += 1;
                waiting.push_back((core, core::mem::take(&mut worker.filled)));
                worker.emptied = take_batch(&mut waiting, core, cores);
            }
        } else {
            worker.emptied = take_batch(&mut waiting, core, cores);
            return !worker.emptied.is_empty();
        }
        true
    });
}

/// Takes the oldest batch of another core, or any where there is one core alone.
fn take_batch(waiting: &mut VecDeque<(u32, Vec<Live>)>, core: u32, cores: u32) -> Vec<Live> {
    let place = waiting.iter().position(|(from, _)| *from != core || cores == 1);
    place.and_then(|place| waiting.remove(place)).map_or_else(Vec::new, |(_, batch)| batch)
}
