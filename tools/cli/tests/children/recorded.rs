//! A program to record, which counts what it allocates and prints the count.
//!
//! Its arguments say what it does. `marks` sets a hundred marks and prints the live bytes at each,
//! with threads that free what others have made; `kinds` calls each function of the C library that
//! allocates; `exits` and `leave` end with status 7, the latter by `_exit`; `kills` and `abort` end
//! by a signal; `forks` has a child that allocates; `becomes PROGRAM ARGS` is replaced by it;
//! `crowd` has threads that allocate all the time.
#![expect(unsafe_code, reason = "it counts below its own global allocator, and asks to be killed")]

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_char, c_int, c_void};
use core::hint::black_box;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

#[global_allocator]
static MEMORY: Counting = Counting;

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
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn raise(signal: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
    fn malloc(bytes: usize) -> *mut c_void;
    fn calloc(count: usize, bytes: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    fn reallocarray(block: *mut c_void, count: usize, bytes: usize) -> *mut c_void;
    fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void;
    fn posix_memalign(block: *mut *mut c_void, align: usize, bytes: usize) -> c_int;
    fn memalign(align: usize, bytes: usize) -> *mut c_void;
    fn valloc(bytes: usize) -> *mut c_void;
    fn pvalloc(bytes: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % end
    }
}

/// A block on a page's boundary.
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "its bytes are what is allocated")] [u8; 5000]);

/// Blocks of all kinds: zeroed, grown, aligned, freed in any order.
fn work(numbers: &mut Numbers, blocks: &mut Vec<Vec<u8>>) {
    for _ in 0..40 {
        let bytes = 1 + numbers.below(500);
        let at = numbers.below(blocks.len() + 1);
        match numbers.below(6) {
            0 => blocks.push(vec![0; bytes]),
            1 => blocks.push(Vec::with_capacity(bytes)),
            2 if at < blocks.len() => blocks[at].extend(core::iter::repeat_n(1, bytes)),
            3 if at < blocks.len() => blocks[at].shrink_to_fit(),
            4 => drop(black_box(Box::new(Page([1; 5000])))),
            _ if at < blocks.len() => drop(blocks.swap_remove(at)),
            _ => drop(black_box(Box::new([bytes as u128; 7]))),
        }
    }
}

/// The recorder's mark, where there is a recorder.
fn mark() -> Option<unsafe extern "C" fn(u64)> {
    // SAFETY: null is the handle of all libraries, and the name ends with a zero.
    let found = unsafe { dlsym(core::ptr::null_mut(), c"loligo_frame_mark".as_ptr()) };
    // SAFETY: null is `None`, and what has this name has this type.
    unsafe { core::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn(u64)>>(found) }
}

fn marks() {
    let mark = mark();
    let mut numbers = Numbers(7);
    let mut blocks = Vec::new();
    for number in 0..100 {
        work(&mut numbers, &mut blocks);
        if number % 10 == 3 {
            let others: Vec<_> = (0..3)
                .map(|other| {
                    let mut blocks = core::mem::take(&mut blocks);
                    thread::spawn(move || {
                        (0..10).for_each(|_| work(&mut Numbers(other), &mut blocks));
                        blocks
                    })
                })
                .collect();
            // They free what another has made, and leave what another frees.
            others.into_iter().for_each(|other| blocks.extend(other.join().expect("it ends well")));
        }
        // Nothing is allocated between the two.
        let live = LIVE.load(Ordering::SeqCst);
        if let Some(mark) = mark {
            // SAFETY: the recorder takes any number.
            unsafe { mark(number) };
        }
        println!("{number} {live}");
    }
}

/// Calls each function, with a size that no other has.
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the same promise, for one call after another"
)]
fn kinds() {
    // SAFETY: each of these only allocates, and what is freed or grown was allocated just before.
    unsafe {
        free(black_box(malloc(70_001)));
        free(black_box(calloc(7, 10_000)));
        free(black_box(realloc(malloc(70_003), 70_004)));
        free(black_box(reallocarray(malloc(70_005), 2, 35_003)));
        free(black_box(aligned_alloc(64, 70_016)));
        let mut block = core::ptr::null_mut();
        assert_eq!(posix_memalign(&raw mut block, 128, 70_007), 0, "there is memory");
        free(black_box(block));
        free(black_box(memalign(256, 70_008)));
        free(black_box(valloc(70_009)));
        free(black_box(pvalloc(70_010)));
        free(black_box(realloc(core::ptr::null_mut(), 70_011)));
        assert!(black_box(realloc(malloc(70_012), 0)).is_null(), "it is freed");
        let block = malloc(70_013);
        assert!(black_box(realloc(block, usize::MAX / 2)).is_null(), "there is not so much memory");
        assert!(black_box(reallocarray(block, usize::MAX, 2)).is_null(), "nor so much");
        assert!(black_box(calloc(usize::MAX, 2)).is_null(), "nor so much");
        free(block);
        free(black_box(malloc(0)));
        free(core::ptr::null_mut());
    }
}

fn forks() {
    let mut blocks: Vec<Vec<u8>> = vec![vec![1; 60_001]];
    // SAFETY: the child allocates and exits; the process has one thread.
    let process = unsafe { fork() };
    if process == 0 {
        drop(blocks);
        let blocks: Vec<_> = (0..3000).map(|bytes| vec![1_u8; 80_000 + bytes]).collect();
        drop(black_box(blocks));
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: it waits for our own child; the pointer is that of a live integer.
    let waited = unsafe { waitpid(process, &raw mut status, 0) };
    assert!(process > 0 && waited == process && status == 0, "the child ends well: {status}");
    blocks.push(vec![1; 60_002]);
    drop(black_box(blocks));
}

/// Threads that pass blocks on, as fast as they can.
fn crowd() {
    let (give, take) = mpsc::channel::<Vec<u8>>();
    let givers: Vec<_> = (0..4)
        .map(|seed| {
            let give = give.clone();
            thread::spawn(move || {
                let mut numbers = Numbers(seed);
                for _ in 0..20_000 {
                    give.send(vec![1; 1 + numbers.below(300)]).expect("it is taken");
                }
            })
        })
        .collect();
    drop(give);
    let taken: usize = take.into_iter().map(|block| block.len()).sum();
    givers.into_iter().for_each(|giver| giver.join().expect("it ends well"));
    println!("{taken}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().expect("what to do");
    let mut blocks = Vec::new();
    (0..50).for_each(|_| work(&mut Numbers(3), &mut blocks));
    match &**what {
        "marks" => marks(),
        "kinds" => kinds(),
        "forks" => forks(),
        "crowd" => crowd(),
        "exits" => std::process::exit(7),
        // SAFETY: it ends the process.
        "leave" => unsafe { _exit(7) },
        // SAFETY: it ends the process.
        "kills" => _ = unsafe { raise(9) },
        "abort" => std::process::abort(),
        "becomes" => {
            let error = Command::new(&arguments[1]).args(&arguments[2..]).exec();
            panic!("{}: {error}", arguments[1]);
        }
        other => panic!("nobody knows how to do `{other}`"),
    }
    drop(blocks);
}
