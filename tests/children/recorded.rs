//! A program that records itself, and counts its live bytes apart from that.
//!
//! It prints them at each of a hundred marks, and ends as its argument says: `return`, `exit`,
//! `abort`, or `fork`, where a child allocates and exits before the parent continues.
#![expect(unsafe_code, reason = "it is its own global allocator, and forks")]

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;
use std::thread;

use loligo_allocators::recording::Recorder;

#[global_allocator]
static MEMORY: Recorder<Counting> = Recorder::over(Counting, "run.altrace");

/// The sum of the sizes that are live.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted.
struct Counting;

fn count(less: usize, more: usize) {
    LIVE.fetch_add(more, Ordering::SeqCst);
    LIVE.fetch_sub(less, Ordering::SeqCst);
}

// SAFETY: every call is the system allocator's, with the arguments and the answer as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(layout.size(), new_size);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
}

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % end
    }
}

/// Blocks of all kinds: zeroed, grown, aligned, freed in any order.
fn work(numbers: &mut Numbers, blocks: &mut Vec<Vec<u8>>) {
    for _ in 0..40 {
        let bytes = 1 + numbers.below(500);
        let at = numbers.below(blocks.len() + 1);
        match numbers.below(5) {
            0 => blocks.push(vec![0; bytes]),
            1 => blocks.push(Vec::with_capacity(bytes)),
            2 if at < blocks.len() => blocks[at].extend(core::iter::repeat_n(1, bytes)),
            3 if at < blocks.len() => blocks[at].shrink_to_fit(),
            _ if at < blocks.len() => drop(blocks.swap_remove(at)),
            _ => drop(Box::new([bytes as u128; 7])),
        }
    }
}

fn in_a_child() {
    // SAFETY: the child allocates, exits, and shares nothing but the file of the recording.
    let process = unsafe { fork() };
    if process == 0 {
        let blocks: Vec<_> = (0..2000).map(|bytes| vec![1_u8; 1 + bytes]).collect();
        drop(blocks);
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: it waits for our own child; the pointer is that of a live integer.
    let waited = unsafe { waitpid(process, &raw mut status, 0) };
    assert!(process > 0 && waited == process && status == 0, "the child ends well: {status}");
}

fn main() {
    let ending = std::env::args().nth(1).expect("how to end");
    let mut numbers = Numbers(7);
    let mut blocks = Vec::new();
    for mark in 0..100 {
        work(&mut numbers, &mut blocks);
        if mark % 10 == 3 {
            let others: Vec<_> = (0..3)
                .map(|other| {
                    let blocks = core::mem::take(&mut blocks);
                    thread::spawn(move || {
                        let mut blocks = blocks;
                        (0..10).for_each(|_| work(&mut Numbers(other), &mut blocks));
                        blocks
                    })
                })
                .collect();
            // They free what another has made, and leave what another frees.
            others.into_iter().for_each(|other| blocks.extend(other.join().expect("it ends well")));
        }
        if mark == 50 && ending == "fork" {
            in_a_child();
        }
        // Nothing is allocated between the two.
        let live = LIVE.load(Ordering::SeqCst);
        MEMORY.frame_mark(mark);
        println!("{mark} {live}");
    }
    match &*ending {
        "exit" => std::process::exit(0),
        "abort" => std::process::abort(),
        _ => {}
    }
}
