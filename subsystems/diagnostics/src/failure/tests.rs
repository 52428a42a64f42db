//! Tests of what stops a program where nothing is installed: a panic that reports all that is
//! known.

use core::cell::Cell;
use std::boxed::Box;
use std::panic::catch_unwind;
use std::string::String;

use super::{OrStop, stopping_at};
use crate::context;

/// Returns the message of the panic that `work` ends in.
fn message(work: impl FnOnce() + core::panic::UnwindSafe) -> String {
    let payload: Box<String> =
        catch_unwind(work).expect_err("it stops").downcast().expect("the payload is a text");
    *payload
}

#[test]
fn the_message_holds_expression_and_contexts() {
    context!("When spawning level", "big_world");
    let lights = core::hint::black_box(3);
    let told = message(|| {
        context!("When spawning unit", lights);
        ensure!(lights < 3, "{lights} lights");
    });
    assert_eq!(
        told,
        "3 lights\nthis does not hold: lights < 3\nWhen spawning level: big_world\nWhen spawning unit: 3\n"
    );
}

#[test]
fn a_message_may_be_left_out() {
    let lights = core::hint::black_box(3);
    assert_eq!(message(|| ensure!(lights < 3)), "this does not hold: lights < 3\n");
    assert_eq!(message(|| unreachable_state!()), "a state was reached that must not be\n");
}

/// Checks what only some types of arguments allow.
fn check_any<T: core::fmt::Debug>(value: T, is_right: bool) {
    ensure!(is_right, "{:?} is wrong", value);
}

#[test]
fn arguments_are_what_format_takes() {
    let name = String::from("big_bird");
    let (count, width, bones) = (core::hint::black_box(3), 4, [1, 2]);
    let told = message(|| {
        ensure!(count == 4, "{:w$} {0} {b:?} {} {name}", count, name, w = width, b = &bones[1..]);
    });
    assert_eq!(told, "   3 3 [2] big_bird big_bird\nthis does not hold: count == 4\n");
    let told = message(|| ensure!(count == 4, concat!("{}", " of {}"), count, width,));
    assert_eq!(told, "3 of 4\nthis does not hold: count == 4\n");
    // What cannot be copied is not moved, and a type about which nothing is known is referred to.
    let told = message(|| check_any(name.clone(), name.len() == 7));
    assert_eq!(told, "\"big_bird\" is wrong\nthis does not hold: is_right\n");
    let mut calls = 0;
    let mut count_calls = || {
        calls += 1;
        ensure!(calls < 3, "{} for {}", calls, name);
    };
    count_calls();
    count_calls();
    assert_eq!((calls, name.as_str()), (2, "big_bird"));
}

#[test]
fn messages_are_made_only_if_they_are_needed() {
    let made = Cell::new(0);
    let make = || made.replace(made.get() + 1);
    for lights in 0..3 {
        ensure!(lights < 3, "{} lights", make());
    }
    assert_eq!(made.get(), 0);
}

#[test]
fn what_is_there_is_returned_and_what_is_not_stops() {
    assert_eq!(Ok::<_, &str>(7).or_stop("it is there"), 7);
    assert_eq!(Some(7).or_stop("it is there"), 7);
    let told = message(|| Err("disk full").or_stop("the save must be written"));
    assert_eq!(told, "the save must be written: disk full\nwhat must not fail here failed\n");
    let told = message(|| None.or_stop("a camera must be there"));
    assert_eq!(told, "a camera must be there\nwhat must not fail here failed\n");
}

#[test]
fn long_messages_are_cut() {
    let long = "x".repeat(10_000);
    assert_eq!(message(|| unreachable_state!("{long}")).len(), super::MESSAGE_BYTES_MAX);
}

#[test]
fn a_later_panic_elsewhere_is_not_taken_for_the_stop() {
    message(|| unreachable_state!());
    // No hook of ours has taken the reason; the next panic has another place.
    assert_eq!(stopping_at(Some(core::panic::Location::caller())), None);
    assert_eq!(stopping_at(None), None);
}
