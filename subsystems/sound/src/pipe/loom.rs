//! Every interleaving of two threads with a pipe between them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::println;
use std::string::String;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loligo_allocators::PageAllocator;

use super::Pipe;

static IS_PLANTED: AtomicBool = AtomicBool::new(false);

/// Models of this crate share the planted fault, so one is explored at a time.
static TURN: Mutex<()> = Mutex::new(());

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
            while !input.push(&[number; 6]) {
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
        assert_eq!(message, [number; 6], "a message is whole, and next in order");
    }
    assert_eq!(output.take(), None, "there are no more");
    thread.join().expect("it does not panic");
}

/// Explores a model, and then with the fault planted, which must be noticed by a message.
pub(crate) fn explore(name: &str, model: fn(), least: usize, noticed: &str) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let count = interleavings(name, model);
    assert!(count >= least, "{count} interleavings are too few");
    let structure = name.split("::").next().unwrap_or_default();
    IS_PLANTED.store(true, Ordering::Relaxed);
    let planted = std::format!("{structure}::planted");
    let caught = catch_unwind(AssertUnwindSafe(|| interleavings(&planted, model)));
    IS_PLANTED.store(false, Ordering::Relaxed);
    let said = caught.expect_err("the fault is noticed");
    let said = said.downcast_ref::<String>().map_or("", String::as_str);
    println!("loom: {name}: the planted Relaxed is caught: {}", first_line(said));
    assert!(said.contains(noticed), "another failure: {said}");
}

fn interleavings(name: &str, explored: fn()) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let bound = std::env::var("LOLIGO_LOOM_BOUND").ok().and_then(|bound| bound.parse().ok());
    let bound = 3.max(bound.unwrap_or(0));
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(bound);
    model.max_branches = 10_000;
    model.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        explored();
    });
    let count = count.load(Ordering::Relaxed);
    println!("loom: {name}: {count} interleavings at preemption bound {bound}");
    count
}

#[test]
fn loom_sound_pipe() {
    let model = messages_arrive_whole_and_in_order;
    explore("sound_pipe::messages", model, 100, "a message is whole");
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
