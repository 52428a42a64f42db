//! Every interleaving of two threads with a pipe between them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::println;
use std::string::String;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use loligo_allocators::PageAllocator;

use super::{Pipe, WORDS};

static IS_PLANTED: AtomicBool = AtomicBool::new(false);

/// Whether the fault is planted: counts are handed on without what they count.
pub(super) fn is_planted() -> bool {
    IS_PLANTED.load(Ordering::Relaxed)
}

/// Three messages through a pipe for two: the ring is full and empty on the way.
fn messages_arrive_whole_and_in_order() {
    static MEMORY: PageAllocator = PageAllocator::new("model");
    let pipe = std::boxed::Box::leak(std::boxed::Box::new(
        Pipe::try_new_in(2, &MEMORY).expect("there is memory"),
    ));
    let (mut input, mut output) = pipe.split();
    let thread = loom::thread::spawn(move || {
        for number in 1..=3 {
            while !input.push(&[number; WORDS]) {
                loom::thread::yield_now();
            }
        }
    });
    for number in 1..=3 {
        let message = loop {
            match output.take() {
                Some(message) => break message,
                None => loom::thread::yield_now(),
            }
        };
        assert_eq!(message, [number; WORDS], "a message is whole, and next in order");
    }
    assert_eq!(output.take(), None, "there are no more");
    thread.join().expect("it does not panic");
}

fn explore(name: &str) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let bound = std::env::var("LOLIGO_LOOM_BOUND").ok().and_then(|bound| bound.parse().ok());
    let bound = 3.max(bound.unwrap_or(0));
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(bound);
    model.max_branches = 10_000;
    model.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        messages_arrive_whole_and_in_order();
    });
    let count = count.load(Ordering::Relaxed);
    println!("loom: {name}: {count} interleavings at preemption bound {bound}");
    count
}

#[test]
fn loom_sound_pipe() {
    let count = explore("sound_pipe::messages");
    assert!(count >= 100, "{count} interleavings are too few");
    IS_PLANTED.store(true, Ordering::Relaxed);
    let caught = catch_unwind(AssertUnwindSafe(|| explore("sound_pipe::planted")));
    IS_PLANTED.store(false, Ordering::Relaxed);
    let said = caught.expect_err("the fault is noticed");
    let said = said.downcast_ref::<String>().map_or("", String::as_str);
    println!("loom: sound_pipe::messages: the planted Relaxed is caught: {}", first_line(said));
    assert!(said.contains("a message is whole"), "another failure: {said}");
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
