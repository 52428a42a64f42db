//! Tests of the workloads: that each does what its figure is said to be about.

use std::thread;

use super::*;
use crate::outcome::Reading;

#[test]
fn a_percentile_is_one_of_the_times() {
    let times = || (1..=200).rev().collect::<Vec<u64>>();
    assert_eq!(
        [percentile(times(), 0), percentile(times(), 50), percentile(times(), 99)],
        [1, 101, 199]
    );
    assert_eq!(percentile(times(), 100), 200, "the longest");
    assert_eq!(percentile(vec![7], 50), 7);
}

#[test]
fn every_urgent_task_begins_and_notes_its_wait() {
    let mut contender = ours(2, |main| {
        let waits = urgent::waits(main);
        assert_eq!(waits.len(), urgent::URGENT);
        assert!(waits.iter().all(|&ns| ns > 0), "{waits:?}");
        Pass { ns: percentile(waits, 50), operations: 1 }
    });
    contender.pass();
}

#[test]
fn tasks_that_depend_on_one_are_counted_without_it() {
    for mut contender in [
        our_dependents::<1>(),
        our_dependents::<2>(),
        rayon_dependents::<1>(),
        rayon_dependents::<2>(),
    ] {
        let pass = contender.pass();
        assert!(pass.ns > 0, "{contender:?}");
        assert_eq!(pass.operations, u64::from(SPAWNS * SPAWNED), "{contender:?}");
    }
}

#[test]
fn a_sleeping_thread_begins_each_task() {
    for mut contender in [our_wake::<50>(), rayon_wake::<50>()] {
        assert!(contender.pass().ns > 0, "{contender:?}");
    }
}

#[test]
fn the_time_of_other_threads_is_theirs() {
    let before = idle::others_cpu_ns();
    let burn = || {
        while clock::thread_cpu_ns() < 20_000_000 {
            work(0, 1000);
        }
    };
    assert!(thread::spawn(burn).join().is_ok(), "it ends");
    let others = idle::others_cpu_ns() - before;
    assert!(others >= 20_000_000, "{others} ns");
}

#[test]
fn idle_is_a_share_with_the_peer_in_its_note() {
    let Reading::Alone { figures, note } = idle() else { panic!("it has no ratio") };
    assert!(!figures.is_empty() && figures.iter().all(|share| (0.0..16.0).contains(share)));
    assert!(note.is_some_and(|note| note.starts_with("rayon: ")));
}

#[test]
fn a_frame_runs_on_any_number_of_threads() {
    for threads in [1, 3, 8] {
        assert!(our_frame(threads).pass().ns > 0, "{threads}");
    }
}
