//! Work that divides itself in two.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering};
use std::panic::catch_unwind;

use loligo_tasks::{Settings, Task, WaitError, Worker};

use crate::{quietly, with_workers};

/// Adds up a tree of this height, in which each place has its own number.
fn tree(worker: &Worker<'_>, height: u32, number: u64) -> u64 {
    if height == 0 {
        return number;
    }
    let sums = worker.both(
        &"tree",
        |worker| tree(worker, height - 1, number * 2),
        |worker| tree(worker, height - 1, number * 2 + 1),
    );
    let (left, right) = sums.expect("nothing panics");
    left + right + number
}

/// What a tree of this height adds up to.
fn expected(height: u32) -> u64 {
    let count = (1_u64 << (height + 1)) - 1;
    count * (count + 1) / 2
}

#[test]
fn a_tree_adds_up_on_any_threads() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            for height in [0, 1, 2, 9, 14] {
                assert_eq!(tree(main, height, 1), expected(height), "of height {height}");
            }
            assert_eq!(main.stats().open, 0, "all have completed");
            main.validate();
        });
    });
}

#[test]
fn trees_in_tasks_and_loops_add_up() {
    // A table of four: most of what could be given away is not.
    with_workers(Settings { tasks: 4, ..Settings::default() }, |tasks| {
        tasks.run(|main| {
            let sum = AtomicU32::new(0);
            let add = |range: core::ops::Range<usize>| {
                sum.fetch_add(range.len() as u32, Ordering::Relaxed);
            };
            let (loops, trees) = main
                .both(
                    &"loops and trees",
                    |worker| worker.parallel_for(&"loop", 1000, 1, add),
                    |worker| tree(worker, 10, 1),
                )
                .expect("nothing panics");
            assert_eq!((loops, trees), (Ok(()), expected(10)), "each in the other");
            let add = |worker: &Worker<'_>| {
                let adds_up = tree(worker, 6, 1) == expected(6);
                sum.fetch_add(u32::from(adds_up), Ordering::Relaxed);
            };
            main.scope(&"scope", |scope| {
                let add = &add;
                scope.add(Task::new(&"tree", move |worker| add(worker))).expect("there is room");
                scope.add(Task::new(&"tree", move |worker| add(worker))).expect("there is room");
            })
            .expect("nothing panics");
            assert_eq!(sum.into_inner(), 1002, "every item and both trees");
        });
    });
}

#[test]
fn what_one_borrows_is_there_until_both_are_done() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            for round in 0..200_u32 {
                let (mut left, mut right) = (vec![round; 10], String::from("right"));
                let both = main.both(
                    &"borrows",
                    |worker| {
                        // Others have time to ask for the second.
                        (0..200).for_each(|_| _ = worker.both(&"inner", |_| (), |_| ()));
                        left.push(round);
                        left.len()
                    },
                    |_| {
                        right.push('!');
                        right.clone()
                    },
                );
                assert_eq!(both, Ok((11, String::from("right!"))), "both results");
            }
        });
    });
}

#[test]
fn a_panic_of_either_leaves_nothing_behind() {
    quietly(|| {
        with_workers(Settings::default(), |tasks| {
            tasks.run(|main| {
                let mut failed = 0;
                for round in 0..100 {
                    let done = AtomicU32::new(0);
                    let second = |_: &Worker<'_>| {
                        done.fetch_add(1, Ordering::Relaxed);
                        assert!(round % 2 == 0, "on purpose");
                    };
                    let first = |worker: &Worker<'_>| {
                        (0..200).for_each(|_| _ = worker.both(&"inner", |_| (), |_| ()));
                        assert!(round % 2 == 1, "on purpose");
                    };
                    let caught =
                        catch_unwind(AssertUnwindSafe(|| main.both(&"panics", first, second)));
                    // On this thread it unwinds, on another it is an error.
                    match caught {
                        Err(_) => {}
                        Ok(Err(WaitError::Failed { task: "panics" })) => failed += 1,
                        Ok(other) => panic!("round {round}: {other:?}"),
                    }
                    assert!(done.into_inner() <= 1, "once at most");
                }
                assert!(failed <= 50, "those whose second panicked elsewhere");
                assert_eq!(main.stats().open, 0, "all have completed");
                assert_eq!(tree(main, 8, 1), expected(8), "it goes on");
            });
        });
    });
}
