//! Loops over many items.

use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::HashSet;
use std::sync::Mutex;

use loligo_tasks::{PIECES_A_THREAD, Settings, WaitError};

use crate::{quietly, with_workers};

#[test]
fn every_item_is_met_once_in_at_most_five_pieces_a_thread() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            for len in [0, 1, 2, 7, 64, 1000, 4097] {
                for grain in [0, 1, 3, 100, usize::MAX] {
                    let seen: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
                    let pieces = AtomicU32::new(0);
                    let body = |range: core::ops::Range<usize>| {
                        pieces.fetch_add(1, Ordering::Relaxed);
                        let last = range.end == len;
                        assert!(last || range.len() >= grain, "{range:?} is less than {grain}");
                        seen[range]
                            .iter()
                            .for_each(|item| _ = item.fetch_add(1, Ordering::Relaxed));
                    };
                    main.parallel_for(&"loop", len, grain, body).expect("nothing panics");
                    assert!(seen.into_iter().all(|item| item.into_inner() == 1), "each once");
                    let most = (main.threads() * PIECES_A_THREAD).max(1);
                    let pieces = pieces.into_inner();
                    assert!(pieces <= most, "{pieces} pieces of {len} by {grain}");
                }
            }
            main.validate();
        });
    });
}

#[test]
fn slices_come_with_the_index_of_their_first() {
    with_workers(Settings { tasks: 4, ..Settings::default() }, |tasks| {
        tasks.run(|main| {
            let mut items = vec![0_usize; 777];
            let body = |first: usize, items: &mut [usize]| {
                items.iter_mut().enumerate().for_each(|(index, item)| *item += first + index);
            };
            // Fewer places than pieces: the others are run in place.
            main.parallel_for_each_mut(&"loop", &mut items, 1, body).expect("nothing panics");
            assert!(items.iter().enumerate().all(|(index, item)| index == *item), "{items:?}");
            let count = AtomicU32::new(0);
            let body = |first, items: &mut [()]| {
                assert_eq!(first, 0, "things without a size are all at the first");
                count.fetch_add(items.len() as u32, Ordering::Relaxed);
            };
            main.parallel_for_each_mut(&"loop", &mut [(); 99], 1, body).expect("nothing panics");
            assert_eq!(count.into_inner(), 99, "each");
        });
    });
}

#[test]
fn loops_in_loops_end() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            let seen = Mutex::new(HashSet::new());
            main.scope(&"outer", |scope| {
                for outer in 0..10_usize {
                    let seen = &seen;
                    let task = loligo_tasks::Task::new(&"outer", move |worker| {
                        let body = |range: core::ops::Range<usize>| {
                            let mut seen = seen.lock().expect("whole");
                            range.for_each(|inner| _ = seen.insert((outer, inner)));
                        };
                        worker.parallel_for(&"inner", 50, 5, body).expect("nothing panics");
                    });
                    scope.add(task).expect("there is room");
                }
            })
            .expect("nothing panics");
            assert_eq!(seen.into_inner().expect("whole").len(), 500, "all");
        });
    });
}

#[test]
fn a_panic_in_a_loop_is_told_whatever_the_threads() {
    quietly(|| {
        with_workers(Settings { tasks: 4, ..Settings::default() }, |tasks| {
            tasks.run(|main| {
                for bad in [0, 50, 99] {
                    let body = |range: core::ops::Range<usize>| {
                        assert!(!range.contains(&bad), "on purpose");
                    };
                    let told = main.parallel_for(&"loop", 100, 1, body);
                    assert_eq!(told, Err(WaitError::Failed { task: "loop" }), "item {bad}");
                }
                main.validate();
            });
        });
    });
}
