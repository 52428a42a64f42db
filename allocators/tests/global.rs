//! A whole program, this test harness, with `Locked` as its global allocator.

#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "an allocator of the test's own, and misuse of it")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::thread;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Locked, PageAllocator, Stats};

/// Lists of free blocks, one for each power of two up to 64 KiB, cut from pages; larger blocks have
/// separate pages. Plain cells: the lock around it makes that safe.
struct Lists {
    pages: PageAllocator,
    free: [Cell<Option<NonNull<Free>>>; CLASSES],
    live: Cell<usize>,
    requested: Cell<usize>,
}

struct Free {
    next: Option<NonNull<Free>>,
}

const LEAST: usize = 16;
const CLASSES: usize = 13;

// SAFETY: the free blocks that the lists link belong to the allocator alone.
unsafe impl Send for Lists {}

impl Lists {
    const fn new() -> Self {
        Self {
            pages: PageAllocator::new("global"),
            free: [const { Cell::new(None) }; CLASSES],
            live: Cell::new(0),
            requested: Cell::new(0),
        }
    }

    /// Returns the class of a layout, or `None` for one that takes pages.
    fn class(layout: Layout) -> Option<usize> {
        let bytes = layout.size().max(layout.align()).max(LEAST);
        let class = (bytes.next_power_of_two() / LEAST).trailing_zeros() as usize;
        (class < CLASSES).then_some(class)
    }

    fn push(&self, class: usize, block: NonNull<Free>) {
        let next = self.free[class].get();
        // SAFETY: the block is free, at least 16 bytes and aligned to its class.
        unsafe { block.write(Free { next }) };
        self.free[class].set(Some(block));
    }

    fn refill(&self, class: usize) -> Result<(), AllocError> {
        let bytes = LEAST << class;
        let chunk = 1 << 16;
        let layout = Layout::from_size_align(chunk, chunk).map_err(|_| AllocError)?;
        let region = self.pages.allocate(layout)?.cast::<u8>();
        for at in (0..chunk).step_by(bytes) {
            // SAFETY: `at` is within the chunk.
            let block = unsafe { region.add(at) };
            self.push(class, block.cast());
        }
        Ok(())
    }
}

// SAFETY: a block of a class is at least as long and aligned as the layout asks and is on no list
// while it is live; larger ones are the page allocator's. Nothing unwinds.
unsafe impl Allocator for Lists {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = match Self::class(layout) {
            None => self.pages.allocate(layout)?,
            Some(class) => {
                if self.free[class].get().is_none() {
                    self.refill(class)?;
                }
                let block = self.free[class].get().ok_or(AllocError)?;
                // SAFETY: blocks on a list have a link at their front.
                self.free[class].set(unsafe { block.as_ref() }.next);
                NonNull::slice_from_raw_parts(block.cast(), LEAST << class)
            }
        };
        self.live.set(self.live.get() + 1);
        self.requested.set(self.requested.get() + layout.size());
        Ok(block)
    }

    unsafe fn deallocate(&self, _: NonNull<u8>) {
        unreachable!("below `GlobalAlloc` the layout is known");
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        match Self::class(layout) {
            // SAFETY: the caller's promise, passed on.
            None => unsafe { self.pages.deallocate_sized(block, layout) },
            Some(class) => self.push(class, block.cast()),
        }
        self.live.set(self.live.get() - 1);
        self.requested.set(self.requested.get() - layout.size());
    }

    unsafe fn allocated_size(&self, _: NonNull<u8>) -> usize {
        // Without the layout the class is unknown; no check is possible.
        0
    }

    fn stats(&self) -> Stats {
        Stats { live: self.live.get(), requested: self.requested.get(), ..self.pages.stats() }
    }

    fn name(&self) -> &str {
        self.pages.name()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.pages.owns(address)
    }

    fn walk(&self, _: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        self.pages.verify()
    }
}

#[global_allocator]
static GLOBAL: Locked<Lists> = Locked::new(Lists::new());

#[test]
fn a_program_runs_on_it() {
    let before = GLOBAL.stats();
    let numbers: Vec<u64> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4_u64)
            .map(|worker| {
                scope.spawn(move || {
                    let mut words = BTreeMap::new();
                    for n in 0..2000_u64 {
                        words.insert(format!("word {worker} {n}"), vec![n; n as usize % 50]);
                    }
                    words.values().map(|v| v.iter().sum::<u64>()).sum()
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    let sum = (0..2000_u64).map(|n| n * (n % 50)).sum::<u64>();
    assert_eq!(numbers, [sum; 4], "no thread took another's memory");
    let zeroed = vec![0_u8; 3 << 20];
    assert!(zeroed.iter().all(|&b| b == 0), "zero");
    assert!(GLOBAL.owns(zeroed.as_ptr()), "the program's memory is the allocator's");
    assert!(before.live > 0, "the harness allocates as well");
    assert_eq!(GLOBAL.verify(), Ok(()), "whole");
    let mut huge = Vec::<u8>::new();
    assert!(huge.try_reserve(isize::MAX as usize - 4096).is_err(), "refused");
}

#[test]
fn what_a_thread_frees_is_counted() {
    // Another test may run at the same time, so only a child can count.
    if !is_child() {
        let output = child("what_a_thread_frees_is_counted");
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let work = || drop((0..1000).map(|n| vec![n; n]).collect::<Vec<_>>());
    work();
    // The harness's own thread may allocate a few times meanwhile; an uncounted free would be
    // missing each time.
    let is_counted = (0..100).any(|_| {
        let before = GLOBAL.stats();
        work();
        let after = GLOBAL.stats();
        (after.live, after.requested) == (before.live, before.requested)
    });
    assert!(is_counted, "{:?}", GLOBAL.stats());
}

#[test]
fn a_double_free_ends_the_program() {
    if !is_child() {
        let output = child("a_double_free_ends_the_program");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{output:?}");
        assert!(text.contains("allocator `global`: double free"), "{text}");
        return;
    }
    let layout = Layout::from_size_align(1 << 20, 8).unwrap();
    // SAFETY: the misuse under test, in a separate process.
    let block = unsafe { GLOBAL.alloc(layout) };
    for _ in 0..2 {
        // SAFETY: as above.
        unsafe { GLOBAL.dealloc(block, layout) };
    }
}

#[test]
fn unwinding_ends_the_program() {
    if !is_child() {
        let output = child("unwinding_ends_the_program");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{output:?}");
        assert!(text.contains("panicked below `#[global_allocator]`"), "{text}");
        return;
    }
    static UNWINDING: Locked<Unwinding> = Locked::new(Unwinding);
    let caught = std::panic::catch_unwind(|| {
        // SAFETY: the layout has a size.
        unsafe { UNWINDING.alloc(Layout::new::<u64>()) }
    });
    panic!("it came through: {}", caught.is_err());
}

/// Panics on each request.
struct Unwinding;

// SAFETY: it never returns a block.
unsafe impl Allocator for Unwinding {
    fn allocate(&self, _: Layout) -> Result<NonNull<[u8]>, AllocError> {
        panic!("on purpose");
    }

    unsafe fn deallocate(&self, _: NonNull<u8>) {}

    unsafe fn allocated_size(&self, _: NonNull<u8>) -> usize {
        0
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn name(&self) -> &str {
        "unwinding"
    }

    fn owns(&self, _: *const u8) -> bool {
        false
    }

    fn walk(&self, _: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}

const CHILD: &str = "LOLIGO_TEST_CHILD";

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs one test of this file in a separate process.
fn child(test: &str) -> Output {
    let program = std::env::current_exe().expect("a test knows its own program");
    Command::new(program)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .expect("the child starts")
}
