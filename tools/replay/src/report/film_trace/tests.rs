//! Films of traces: the calls of one size window, in order, and enough of them.

use super::{CALLS, CALLS_SEEN, Scene, film, sizes};
use crate::report::film::tests::check_film;
use crate::report::tests::{random_trace, trace};
use crate::trace::Op;

#[test]
fn the_window_of_sizes_is_that_of_the_tree() {
    // 64 leaves of 1 KiB: over half a leaf, at most half the region.
    assert_eq!(sizes(64 * 1024), 513..32 * 1024 + 1, "one to 32 leaves");
}

#[test]
fn a_scene_holds_the_calls_of_its_sizes() {
    let trace = trace(&[
        (Op::Allocate, 0, 100),
        (Op::Allocate, 1, 1000),
        (Op::Reallocate, 0, 2000),
        (Op::Reallocate, 1, 1500),
        (Op::Reallocate, 0, 40_000),
        (Op::Free, 0, 0),
        (Op::Free, 1, 0),
    ]);
    let scene = Scene::of(&trace, 64 * 1024, 0);
    let seen: Vec<_> = scene
        .calls
        .iter()
        .map(|(index, event)| (*index, event.op, event.slot, event.bytes))
        .collect();
    let expected = [
        (1, Op::Allocate, 1, 1000),
        (2, Op::Allocate, 0, 2000),
        (3, Op::Reallocate, 1, 1500),
        (4, Op::Free, 0, 0),
        (6, Op::Free, 1, 0),
    ];
    assert_eq!(seen, expected, "what comes in is allocated, what leaves is freed");
    let later = Scene::of(&trace, 64 * 1024, 2);
    let seen: Vec<_> = later.calls.iter().map(|(index, event)| (*index, event.op)).collect();
    let expected = [(2, Op::Allocate), (3, Op::Allocate), (4, Op::Free), (6, Op::Free)];
    assert_eq!(seen, expected, "a block from before the start is first seen when it is resized");
}

#[test]
fn a_scene_has_an_end() {
    let trace = random_trace(9, 20_000);
    assert_eq!(
        Scene::of(&trace, 16 * 1024, 0).calls.len(),
        CALLS_SEEN,
        "no more than are looked at"
    );
}

#[test]
fn a_trace_is_filmed_where_much_happens() {
    let trace = random_trace(2, 6000);
    let film = film(&trace).expect("blocks of all sizes come and go");
    check_film(&film);
    assert!(film.calls.len() > CALLS, "a frame or more a call: {}", film.calls.len());
    assert!(film.title.starts_with("test, from event "), "{}", film.title);
    assert!(film.region_bytes.is_power_of_two() && film.levels == 7, "a tree to look at");
}

#[test]
fn a_trace_with_little_in_it_has_no_film() {
    assert!(film(&trace(&[])).is_none(), "nothing");
    assert!(film(&random_trace(2, CALLS - 1)).is_none(), "too few calls");
}
