//! Every interleaving of two threads with a pipe between them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::println;
use std::string::String;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

/// Explores a model, and again with the fault planted, which must fail by what is `said`.
pub(crate) fn prove(name: &str, model: fn(), said: &str) {
    // The fault is planted for all models, so only one is explored at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let count = explore(name, model);
    assert!(count >= 100, "{count} interleavings are too few");
    IS_PLANTED.store(true, Ordering::Relaxed);
    let caught = catch_unwind(AssertUnwindSafe(|| explore("planted", model)));
    IS_PLANTED.store(false, Ordering::Relaxed);
    let caught = caught.expect_err("the fault is noticed");
    let caught = caught.downcast_ref::<String>().map_or("", String::as_str);
    println!("loom: {name}: the planted Relaxed is caught: {}", first_line(caught));
    assert!(caught.contains(said), "another failure: {caught}");
}

fn explore(name: &str, model: fn()) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let bound = std::env::var("LOLIGO_LOOM_BOUND").ok().and_then(|bound| bound.parse().ok());
    let bound = 3.max(bound.unwrap_or(0));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(bound);
    builder.max_branches = 10_000;
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let count = count.load(Ordering::Relaxed);
    println!("loom: {name}: {count} interleavings at preemption bound {bound}");
    count
}

#[test]
fn loom_sound_pipe() {
    prove("sound_pipe::messages", messages_arrive_whole_and_in_order, "a message is whole");
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
