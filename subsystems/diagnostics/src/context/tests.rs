//! Tests of contexts: what is shown, in which order they may end, and what can no longer be read.

use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};
use std::boxed::Box;
use std::path::Path;
use std::string::{String, ToString};
use std::{format, thread};

use super::stack::{STACK, Stack};
use super::{CONTEXTS_MAX, contexts, contexts_lost};
use crate::context;

/// A future that is pending once.
struct Once(bool);

impl Future for Once {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

fn poll(future: Pin<&mut impl Future<Output = ()>>) -> bool {
    STACK.with(Stack::validate);
    let ready = future.poll(&mut Context::from_waker(Waker::noop())).is_ready();
    STACK.with(Stack::validate);
    ready
}

fn shown() -> String {
    STACK.with(Stack::validate);
    contexts().to_string()
}

#[test]
fn scopes_end_where_their_contexts_do() {
    let name = String::from("big_world");
    {
        context!("When spawning level", name);
        context!("When spawning unit", &name[..3]);
        assert_eq!(shown(), "When spawning level: big_world\nWhen spawning unit: big\n");
    }
    assert_eq!(shown(), "");
    for round in 0..3 {
        context!("When in round", round);
        assert_eq!(shown(), format!("When in round: {round}\n"));
    }
    drop(name);
    assert_eq!((shown().as_str(), contexts().count()), ("", 0));
}

#[test]
fn all_that_can_be_told_about_is_shown() {
    let path = Path::new("units/big_bird.unit");
    let boxed: Box<str> = "boxed".into();
    context!("alone");
    context!("text", "two\nlines \u{1b}[31m");
    context!("path", path.to_path_buf());
    context!("number", -7_i16);
    context!("float", 0.5_f32);
    context!("flag", true);
    context!("box", boxed);
    context!("reference", &&&12_u64);
    assert_eq!(
        shown(),
        "alone\ntext: two\\nlines \\u{1b}[31m\npath: units/big_bird.unit\nnumber: -7\nfloat: 0.5\nflag: true\n\
         box: boxed\nreference: 12\n"
    );
}

#[test]
fn long_data_is_cut_between_two_characters() {
    let long = "\u{e4}".repeat(1_000);
    context!("long", long);
    assert_eq!(shown(), format!("long: {}.. (cut)\n", "\u{e4}".repeat(200)));
    let escaped = "\n".repeat(400);
    context!("escaped", escaped);
    let all = shown();
    let line = all.lines().last().expect("there are two");
    assert!(line.len() <= super::LINE_BYTES_MAX && line.ends_with("\\n\\.. (cut)"), "{line}");
}

#[test]
fn contexts_without_room_are_counted() {
    fn recurse(depth: usize) {
        context!("When at depth", depth);
        if depth + 1 < CONTEXTS_MAX + 3 {
            return recurse(depth + 1);
        }
        let shown = shown();
        assert_eq!(shown.lines().count(), CONTEXTS_MAX + 1, "{shown}");
        assert!(shown.contains(&format!("\nWhen at depth: {}\n", CONTEXTS_MAX - 1)), "{shown}");
        assert!(
            shown.ends_with("(and 3 inner contexts more than the 64 that are kept)\n"),
            "{shown}"
        );
        assert_eq!(contexts().count(), CONTEXTS_MAX + 3);
    }
    let before = contexts_lost();
    recurse(0);
    assert_eq!(shown(), "");
    // Other tests lose none, or this would be flaky.
    assert_eq!(contexts_lost() - before, 3);
}

#[test]
fn a_panic_ends_the_contexts_that_it_leaves() {
    context!("outer");
    let result = std::panic::catch_unwind(|| {
        context!("inner");
        std::panic::resume_unwind(Box::new(shown()));
    });
    let inside = result.expect_err("it panics");
    assert_eq!(inside.downcast_ref::<String>().map(String::as_str), Some("outer\ninner\n"));
    assert_eq!(shown(), "outer\n");
}

#[test]
fn each_thread_has_its_own() {
    context!("here");
    let there = thread::spawn(|| {
        context!("there");
        shown()
    });
    assert_eq!(there.join().expect("it runs"), "there\n");
    assert_eq!(shown(), "here\n");
}

#[test]
fn data_of_a_leaked_future_is_never_read() {
    context!("outer");
    let name = String::from("a name that is freed");
    let mut future = Box::pin(async {
        context!("in a future", name.as_str());
        Once(false).await;
    });
    assert!(!poll(future.as_mut()), "it waits once");
    // The guard is leaked with the future, and the borrow of the name ends.
    core::mem::forget(future);
    drop(name);
    let told = "outer\nin a future: (data of a future, not on this stack)\n";
    assert_eq!(shown(), told);
    context!("inner", 1);
    assert_eq!(shown(), format!("{told}inner: 1\n"));
}

#[test]
fn what_a_leaked_future_left_ends_with_the_scope_around_it() {
    {
        context!("outer");
        let name = String::from("a name that is freed");
        let mut future = Box::pin(async {
            context!("in a future", name.as_str());
            Once(false).await;
        });
        assert!(!poll(future.as_mut()), "it waits once");
        core::mem::forget(future);
    }
    assert_eq!(shown(), "");
}

#[test]
fn futures_may_end_in_any_order() {
    async fn work(name: &str) {
        context!("in", name);
        Once(false).await;
    }
    let (one, two, three) = (String::from("1"), String::from("2"), String::from("3"));
    let mut second = pin!(Some(work(&two)));
    {
        let first = pin!(work(&one));
        assert!(!poll(first), "it waits once");
        assert!(!poll(second.as_mut().as_pin_mut().expect("it is there")), "it waits once");
        // Futures that are pinned on the stack are dropped before what they borrow, so their data
        // may be shown.
        assert_eq!(shown(), "in: 1\nin: 2\n");
    }
    // The first ended before the second; all above it went, too.
    drop(one);
    assert_eq!(shown(), "");
    context!("when outside", three);
    assert_eq!(shown(), "when outside: 3\n");
    // The second had index 1, and must not bring that back.
    second.set(None);
    assert_eq!(shown(), "when outside: 3\n");
}
