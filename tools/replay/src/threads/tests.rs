//! Tests of the replay by threads: traces for them, and a checking allocator.

mod figures;
mod order;
mod plans;
mod stops;

use core::alloc::Layout;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::subject::SharedSubject;
use crate::peers::System;
use crate::subject::Subject;
use crate::trace::{Event, Op, Trace};

/// A small generator of numbers; tests print its seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Returns a valid trace of `count` random events of some threads. Blocks are resized and freed by
/// any of them; slots are reused, last freed first, as recorders do.
pub(super) fn random_trace(seed: u64, threads: u16, count: usize) -> Trace {
    println!("seed {seed}, {threads} threads, {count} events");
    let mut random = Random(seed);
    let mut live: Vec<(u32, u8)> = Vec::new();
    let mut free: Vec<u32> = Vec::new();
    let mut slots = 0;
    let mut events = Vec::new();
    while events.len() < count {
        // Some threads that are never seen in between: numbers need not be dense.
        let thread = 3 * random.next(threads.into()) as u16;
        let bytes = 1 + if random.next(20) == 0 { random.next(50_000) } else { random.next(300) };
        let choice = random.next(10);
        let event = if live.is_empty() || (choice < 5 && live.len() < 200) {
            let align_log2 = if random.next(30) == 0 { random.next(13) as u8 } else { 3 };
            let slot = free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
            live.push((slot, align_log2));
            let op = if choice == 0 { Op::AllocateZeroed } else { Op::Allocate };
            Event { op, align_log2, thread, slot, bytes }
        } else {
            let index = random.next(live.len() as u64) as usize;
            let (slot, align_log2) = live[index];
            let (op, bytes) = if choice < 7 { (Op::Reallocate, bytes) } else { (Op::Free, 0) };
            if op == Op::Free {
                live.swap_remove(index);
                free.push(slot);
            }
            Event { op, align_log2, thread, slot, bytes }
        };
        events.push(event);
    }
    Trace::from_events("random", events).expect("the generator makes valid traces")
}

/// Returns a trace in which each event hands its block to the next thread: the worst case for
/// waits. Each of `blocks` blocks is allocated, resized by every other thread in turn, and freed.
pub(super) fn relay(threads: u16, blocks: u32) -> Trace {
    let mut events = Vec::new();
    for block in 0..blocks {
        // One slot for all: no block is alive while another is.
        let event = |op, thread, bytes| Event { op, align_log2: 3, thread, slot: 0, bytes };
        let first = (block % u32::from(threads)) as u16;
        events.push(event(Op::Allocate, first, 100));
        for turn in 1..threads {
            events.push(event(Op::Reallocate, (first + turn) % threads, u64::from(100 + turn)));
        }
        events.push(event(Op::Free, first, 0));
    }
    Trace::from_events("relay", events).expect("valid")
}

/// What a call did, and when by a clock that all threads share: `before` and `after` it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) op: Op,
    pub(super) bytes: u64,
    pub(super) given: usize,
    pub(super) returned: usize,
    pub(super) before: u64,
    pub(super) after: u64,
}

/// The system's malloc, which notes each call and checks that blocks are live and of the layout
/// that is said, or refuses or panics where a test wants it to.
#[derive(Default)]
pub(super) struct Checking {
    time: AtomicU64,
    live: Mutex<HashMap<usize, Layout>>,
    calls: Mutex<HashMap<String, Vec<Call>>>,
    /// Every n-th request is refused, if not 0.
    pub(super) refuses_every: u64,
    /// The call that panics, if not 0.
    pub(super) panics_at: u64,
    requests: AtomicU64,
}

impl Checking {
    /// Returns the calls of each thread, by its name, and forgets them.
    pub(super) fn take_calls(&self) -> HashMap<String, Vec<Call>> {
        core::mem::take(&mut self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns how many blocks are live.
    pub(super) fn live(&self) -> usize {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn tick(&self) -> u64 {
        // Sequentially consistent: the order of the ticks is what is checked.
        self.time.fetch_add(1, Ordering::SeqCst)
    }

    fn add(&self, block: *mut u8, layout: Layout) {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(live.insert(block.addr(), layout), None, "the block is new");
    }

    fn remove(&self, block: *mut u8, layout: Layout) {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(live.remove(&block.addr()), Some(layout), "the block is live, of this layout");
    }

    fn refuses(&self) -> bool {
        let request = 1 + self.requests.fetch_add(1, Ordering::Relaxed);
        assert_ne!(request, self.panics_at, "this request panics");
        self.refuses_every != 0 && request.is_multiple_of(self.refuses_every)
    }
}

// SAFETY: the C library has one malloc for all threads.
unsafe impl SharedSubject for Checking {
    type Handle<'s> = CheckingHandle<'s>;

    fn handle(&self) -> CheckingHandle<'_> {
        CheckingHandle { all: self, calls: Vec::new() }
    }

    fn check(&self) -> Result<(), String> {
        match self.live() {
            0 => Ok(()),
            live => Err(format!("{live} blocks are left")),
        }
    }
}

/// A thread's access.
pub(super) struct CheckingHandle<'s> {
    all: &'s Checking,
    calls: Vec<Call>,
}

impl CheckingHandle<'_> {
    fn note(&mut self, op: Op, bytes: usize, blocks: [*mut u8; 2], before: u64) {
        let [given, returned] = blocks.map(|block| block.addr());
        let after = self.all.tick();
        self.calls.push(Call { op, bytes: bytes as u64, given, returned, before, after });
    }
}

impl Drop for CheckingHandle<'_> {
    fn drop(&mut self) {
        let thread = std::thread::current();
        let name = thread.name().filter(|name| name.starts_with("worker ")).unwrap_or("worker 0");
        let mut calls = self.all.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.entry(name.to_owned()).or_default().append(&mut self.calls);
    }
}

// SAFETY: the C library keeps the promise; a request that is refused returns null.
unsafe impl Subject for CheckingHandle<'_> {
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        let before = self.all.tick();
        if self.all.refuses() {
            return core::ptr::null_mut();
        }
        let block = System.allocate(layout);
        self.all.add(block, layout);
        self.note(Op::Allocate, layout.size(), [core::ptr::null_mut(), block], before);
        block
    }

    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        let before = self.all.tick();
        if self.all.refuses() {
            return core::ptr::null_mut();
        }
        let block = System.allocate_zeroed(layout);
        self.all.add(block, layout);
        self.note(Op::AllocateZeroed, layout.size(), [core::ptr::null_mut(), block], before);
        block
    }

    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        let before = self.all.tick();
        self.all.remove(block, layout);
        // SAFETY: the caller's promise, and the block was just seen live.
        unsafe { System.deallocate(block, layout) };
        self.note(Op::Free, 0, [block, core::ptr::null_mut()], before);
    }

    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        let before = self.all.tick();
        if self.all.refuses() {
            return core::ptr::null_mut();
        }
        self.all.remove(block, old);
        // SAFETY: the caller's promise, and the block was just seen live.
        let moved = unsafe { System.reallocate(block, old, bytes) };
        self.all.add(moved, Layout::from_size_align(bytes, old.align()).expect("small layouts"));
        self.note(Op::Reallocate, bytes, [block, moved], before);
        moved
    }
}
