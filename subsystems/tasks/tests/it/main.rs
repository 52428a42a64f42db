//! The task manager from outside.

use std::alloc::System;
use std::sync::Mutex;

use loligo_allocators::{Allocator, FillAllocator, GlobalGuard, HeapAllocator, PageAllocator};
use loligo_tasks::{Settings, Tasks};

mod article;
mod elsewhere;
mod faults;
mod fork;
mod graphs;
mod memory;
mod observer;
mod order;
mod parallel;

/// Counts what all threads ask of the global heap.
#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("tests", System);

/// Held by a test that panics in tasks on purpose, so that its messages are not printed, and by one
/// that counts.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `test` with memory that is filled with junk, all of which it must give back.
fn with_memory<R>(test: impl FnOnce(&dyn Allocator) -> R) -> R {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let memory = FillAllocator::new_in("test fill", &heap);
    let result = test(&memory);
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
    result
}

/// Runs `test` on task managers of `settings` with none, one, two, five and seven workers.
fn with_workers(settings: Settings, test: impl Fn(&mut Tasks<'_>)) {
    for workers in [0, 1, 2, 5, 7] {
        with_memory(|memory| {
            let settings = Settings { workers: Some(workers), ..settings };
            let mut tasks = Tasks::try_new_in(&settings, memory).expect("there is memory");
            test(&mut tasks);
        });
    }
}

/// Runs `test` on one without workers: what runs when is certain.
fn serially(tasks: u32, test: impl FnOnce(&mut Tasks<'_>)) {
    with_memory(|memory| {
        let settings = Settings { tasks, workers: Some(0), ..Settings::default() };
        test(&mut Tasks::try_new_in(&settings, memory).expect("there is memory"));
    });
}

/// Runs `work`, in which tasks panic on purpose, without printing that.
fn quietly<R>(work: impl FnOnce() -> R) -> R {
    let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let hook = std::panic::take_hook();
    // What panics on purpose says so, or is a payload without a text.
    std::panic::set_hook(Box::new(|panic| {
        if panic.payload_as_str().is_some_and(|text| text != "on purpose") {
            eprintln!("{panic}");
        }
    }));
    let result = std::panic::catch_unwind(core::panic::AssertUnwindSafe(work));
    std::panic::set_hook(hook);
    drop(alone);
    result.unwrap_or_else(|payload| std::panic::resume_unwind(payload))
}
