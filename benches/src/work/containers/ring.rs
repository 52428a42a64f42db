//! Queues of numbers in ring buffers.

use core::hint::black_box;
use std::collections::VecDeque;

use loligo_containers::Ring;

use crate::blocks::look_at;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

/// How many elements are in a queue.
const LEN: u32 = 1_000;

/// How many elements are written and read at once.
const SLICE: usize = 100;

/// How many elements are walked over.
const WALKED: u32 = 10_000;

/// How many elements a queue grows to.
const GROWN: u32 = 100_000;

/// About how many operations a pass is.
const OPERATIONS: u32 = 1_000_000;

/// A queue.
pub(crate) trait Queue: 'static {
    fn new() -> Self;
    fn push(&mut self, element: u64);
    fn pop(&mut self) -> Option<u64>;
    fn write(&mut self, elements: &[u64]);
    /// Takes out as many as `out` can hold, of which there are enough.
    fn read(&mut self, out: &mut [u64]);
    /// Adds all up in a loop.
    fn sum(&self) -> u64;
}

pub(crate) struct OurRing(Ring<'static, u64, Heap>);

impl Queue for OurRing {
    #[inline(always)]
    fn new() -> Self {
        Self(Ring::new_in(&HEAP))
    }

    #[inline(always)]
    fn push(&mut self, element: u64) {
        self.0.push_back(element);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<u64> {
        self.0.pop_front()
    }

    #[inline(always)]
    fn write(&mut self, elements: &[u64]) {
        self.0.push_back_slice(elements);
    }

    #[inline(always)]
    fn read(&mut self, out: &mut [u64]) {
        self.0.pop_front_slice(out);
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        let mut sum = 0_u64;
        for element in &self.0 {
            sum = sum.wrapping_add(*element);
        }
        sum
    }
}

pub(crate) struct Deque(VecDeque<u64>);

impl Queue for Deque {
    #[inline(always)]
    fn new() -> Self {
        Self(VecDeque::new())
    }

    #[inline(always)]
    fn push(&mut self, element: u64) {
        self.0.push_back(element);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<u64> {
        self.0.pop_front()
    }

    #[inline(always)]
    fn write(&mut self, elements: &[u64]) {
        self.0.extend(elements);
    }

    #[inline(always)]
    fn read(&mut self, out: &mut [u64]) {
        let (first, second) = self.0.as_slices();
        let begin = first.len().min(out.len());
        out[..begin].copy_from_slice(&first[..begin]);
        let rest = out.len() - begin;
        out[begin..].copy_from_slice(&second[..rest]);
        self.0.drain(..out.len());
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        let mut sum = 0_u64;
        for element in &self.0 {
            sum = sum.wrapping_add(*element);
        }
        sum
    }
}

/// Pushes an element and pops one, again and again. An operation is such a pair.
pub(crate) fn push_pop<Q: Queue>(name: &'static str) -> Contender {
    let mut queue = filled::<Q>(LEN);
    Contender::new(name, move || {
        let ns = clock::time(|| push_and_pop(&mut queue));
        Pass { ns, operations: u64::from(OPERATIONS) }
    })
}

/// Writes a slice and reads one, again and again. An operation is an element that goes through.
pub(crate) fn write_read<Q: Queue>(name: &'static str) -> Contender {
    let mut queue = filled::<Q>(LEN);
    let elements: Vec<u64> = (0..SLICE as u64).collect();
    let times = 4 * OPERATIONS / SLICE as u32;
    Contender::new(name, move || {
        let mut out = [0; SLICE];
        let ns = clock::time(|| write_and_read(&mut queue, &elements, &mut out, times));
        Pass { ns, operations: u64::from(times) * SLICE as u64 }
    })
}

/// Walks over a queue whose end is before its beginning. An operation is an element.
pub(crate) fn walk<Q: Queue>(name: &'static str) -> Contender {
    let mut queue = filled::<Q>(WALKED);
    for element in 0..10 * WALKED {
        queue.pop();
        queue.push(u64::from(element));
    }
    let times = OPERATIONS / WALKED;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(walk_once(black_box(&queue)));
            }
        });
        Pass { ns, operations: u64::from(times * WALKED) }
    })
}

/// Fills a queue from nothing and drops it. An operation is a push.
pub(crate) fn grow<Q: Queue>(name: &'static str) -> Contender {
    let times = OPERATIONS / GROWN;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                drop(black_box(filled::<Q>(GROWN)));
            }
        });
        Pass { ns, operations: u64::from(times * GROWN) }
    })
}

#[inline(never)]
fn filled<Q: Queue>(len: u32) -> Q {
    let mut queue = Q::new();
    for element in 0..len {
        queue.push(u64::from(element));
    }
    queue
}

#[inline(never)]
fn push_and_pop<Q: Queue>(queue: &mut Q) {
    let mut sum = 0_u64;
    for element in 0..u64::from(OPERATIONS) {
        queue.push(element);
        look_at(queue);
        sum = sum.wrapping_add(queue.pop().unwrap_or_default());
        look_at(queue);
    }
    black_box(sum);
}

#[inline(never)]
fn write_and_read<Q: Queue>(queue: &mut Q, elements: &[u64], out: &mut [u64], times: u32) {
    for _ in 0..times {
        queue.write(black_box(elements));
        queue.read(out);
        black_box(&mut *out);
    }
}

#[inline(never)]
fn walk_once<Q: Queue>(queue: &Q) -> u64 {
    queue.sum()
}
