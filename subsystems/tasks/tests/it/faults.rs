//! What is done wrongly: each has its answer, and none hangs.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use loligo_tasks::{
    AddError, ChangeError, ScopeError, Settings, StartError, Task, TaskId, Tasks, ThreadIndex,
    WaitError, Worker,
};

use crate::{quietly, serially, with_memory, with_workers};

const FAILED: WaitError = WaitError::Failed { task: "bad" };

fn bad<'f>() -> Task<'f> {
    Task::new(&"bad", |_| panic!("on purpose"))
}

#[test]
fn settings_that_cannot_be_are_refused() {
    with_memory(|memory| {
        let refused = |settings| Tasks::try_new_in(&settings, memory).expect_err("refused");
        let tasks = |tasks| Settings { tasks, workers: Some(0), ..Settings::default() };
        assert_eq!(refused(tasks(0)), StartError::Tasks { asked: 0 }, "none");
        assert_eq!(refused(tasks(u32::MAX)), StartError::Tasks { asked: u32::MAX }, "too many");
        for (main_threads, workers) in [(0, 1), (1, 64), (u32::MAX, u32::MAX), (65, 0)] {
            let settings = Settings { main_threads, workers: Some(workers), tasks: 8 };
            let error = StartError::Threads { main_threads, workers };
            assert_eq!(refused(settings), error, "threads");
        }
        let said = refused(tasks(0)).to_string();
        assert_eq!(said, "a table cannot have 0 tasks; ask for 1 to 1048576", "a remedy");
    });
}

#[test]
fn a_full_table_says_so_and_goes_on() {
    serially(5, |tasks| {
        assert_eq!(tasks.capacity(), 5, "as asked, no power of two");
        tasks.run(|main| {
            for _ in 0..3 {
                for _ in 0..5 {
                    main.add(Task::new(&"task", |_| {})).expect("there is room");
                }
                let full = AddError::Full { capacity: 5 };
                assert_eq!(main.add(Task::new(&"task", |_| {})), Err(full), "it is full");
                assert_eq!(main.join(&"join", &[]), Err(full), "it is full");
                assert_eq!(main.scope(&"scope", |_| ()), Err(ScopeError::Add(full)), "it is full");
                main.validate();
                // Loops do without.
                let sum = AtomicU32::new(0);
                let add = |range: core::ops::Range<usize>| {
                    sum.fetch_add(range.len() as u32, Ordering::Relaxed);
                };
                main.parallel_for(&"loop", 100, 1, add).expect("nothing panics");
                assert_eq!(sum.into_inner(), 100, "every item");
                while main.run_one() {}
                assert_eq!(main.stats().open, 0, "room again");
            }
        });
    });
}

#[test]
fn nothing_waits_for_itself() {
    serially(16, |tasks| {
        tasks.run(|main| {
            let task = main.add(Task::new(&"task", |_| {}).held()).expect("there is room");
            assert_eq!(main.depends_on(task, task), Err(ChangeError::Itself), "a dependency");
            assert_eq!(main.add_child(task, task), Err(ChangeError::Itself), "a parent");
            let child = Task::empty(&"child").child_of(task).held();
            let child = main.add(child).expect("there is room");
            assert_eq!(main.add_child(child, task), Err(ChangeError::Circle), "a grandparent");
            main.validate();
            main.start(child).and(main.start(task)).expect("both are held");
            main.wait(task).expect("it runs");
            let told = AtomicU32::new(0);
            let waits = |worker: &Worker<'_>| {
                let own = worker.task().expect("it is in a task");
                assert_eq!(worker.wait(own), Err(WaitError::Itself), "its own");
                told.fetch_add(1, Ordering::Relaxed);
            };
            main.scope(&"scope", |scope| {
                let parent = scope.add(Task::external(&"parent")).expect("there is room");
                let waits = &waits;
                let outer = Task::new(&"child", move |worker: &Worker<'_>| {
                    assert_eq!(worker.wait(parent), Err(WaitError::Itself), "its parent");
                    assert_eq!(worker.wait(scope.id()), Err(WaitError::Itself), "its scope");
                    // What runs on top of it may not wait for it either.
                    let below = worker.task().expect("it is in a task");
                    let above = Task::new(&"above", move |worker: &Worker<'_>| {
                        assert_eq!(worker.wait(below), Err(WaitError::Itself), "below");
                        waits(worker);
                    });
                    let above = scope.add(above).expect("there is room");
                    worker.wait(above).expect("no assertion fails");
                });
                scope.add(outer.child_of(parent)).expect("there is room");
                main.complete(parent).expect("it is external");
            })
            .expect("no assertion fails");
            assert_eq!(told.into_inner(), 1, "it went all the way");
        });
    });
}

#[test]
fn a_circle_of_dependencies_ends_in_an_error() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            for length in 2..6 {
                let held = |_| main.add(Task::new(&"task", |_| {}).held()).expect("there is room");
                let circle: Vec<TaskId> = (0..length).map(held).collect();
                for (index, task) in circle.iter().enumerate() {
                    main.depends_on(*task, circle[(index + 1) % length]).expect("it is held");
                }
                let tail = Task::new(&"tail", |_| {}).after(circle[0]);
                let tail = main.add(tail).expect("there is room");
                circle.iter().for_each(|task| main.start(*task).expect("it is held"));
                assert_eq!(main.wait(tail), Err(WaitError::Circle), "of {length}");
                assert_eq!(main.stats().open, 0, "all were given up");
                main.validate();
            }
        });
    });
}

#[test]
fn a_child_that_waits_for_its_parent_ends_in_an_error() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            let parent = main.add(Task::external(&"parent")).expect("there is room");
            let child = Task::new(&"child", |_| {}).child_of(parent).after(parent);
            main.add(child).expect("there is room");
            main.complete(parent).expect("it is external");
            assert_eq!(main.wait(parent), Err(WaitError::Circle), "each waits for the other");
            main.validate();
        });
    });
}

#[test]
fn two_tasks_that_wait_for_each_other_are_told() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            let (one, other) = (AtomicU64::new(0), AtomicU64::new(0));
            let errors = AtomicU32::new(0);
            let wait = |other: &AtomicU64, worker: &Worker<'_>| {
                let other = TaskId::from_bits(other.load(Ordering::SeqCst)).expect("it is set");
                errors.fetch_add(u32::from(worker.wait(other).is_err()), Ordering::Relaxed);
            };
            main.scope(&"scope", |scope| {
                let first = Task::new(&"one", |worker| wait(&other, worker)).held();
                let first = scope.add(first).expect("there is room");
                let second = Task::new(&"other", |worker| wait(&one, worker)).held();
                let second = scope.add(second).expect("there is room");
                one.store(first.to_bits(), Ordering::SeqCst);
                other.store(second.to_bits(), Ordering::SeqCst);
                main.start(first).and(main.start(second)).expect("both are held");
            })
            .expect("they end");
            assert!(errors.into_inner() >= 1, "at least one gets the error");
            main.validate();
        });
    });
}

#[test]
fn ids_of_what_has_completed_are_dead() {
    serially(4, |tasks| {
        let mut old = None;
        tasks.run(|main| {
            let dead = main.add(Task::new(&"task", |_| {})).expect("there is room");
            main.wait(dead).expect("it runs");
            assert_eq!(main.wait(dead), Ok(()), "it has completed");
            assert!(!main.is_open(dead) && main.name_of(dead).is_none(), "it is gone");
            assert_eq!(main.start(dead), Err(ChangeError::Dead), "gone");
            assert_eq!(main.add_child(dead, dead), Err(ChangeError::Dead), "gone");
            assert_eq!(main.depends_on(dead, dead), Err(ChangeError::Dead), "gone");
            assert_eq!(main.complete(dead), Err(ChangeError::Dead), "gone");
            let child = Task::new(&"child", |_| {}).child_of(dead);
            assert_eq!(main.add(child), Err(AddError::DeadParent), "gone");
            // As a dependency it has completed; joined, too.
            let after = main.add(Task::new(&"after", |_| {}).after(dead)).expect("there is room");
            main.wait(main.join(&"join", &[dead, after, after]).expect("room")).expect("it runs");
            assert!(!main.is_open(after), "it was waited for");
            let made_up = TaskId::from_bits(u64::MAX).expect("not 0");
            assert_eq!(main.wait(made_up), Ok(()), "nobody has it");
            main.add(Task::new(&"left", |_| {})).expect("there is room");
            old = Some(dead);
            main.validate();
        });
        // Nor do they come back in the next run.
        tasks.run(|main| {
            for _ in 0..50 {
                let task = main.add(Task::new(&"task", |_| {})).expect("there is room");
                assert_ne!(Some(task), old, "an id came back");
                main.wait(task).expect("it runs");
            }
        });
    });
}

#[test]
fn what_may_not_be_changed_any_more_stays() {
    serially(8, |tasks| {
        tasks.run(|main| {
            let first = main.add(Task::new(&"first", |_| {}).held()).expect("there is room");
            let task = main.add(Task::new(&"task", |_| {}).held()).expect("there is room");
            main.depends_on(task, first).expect("it is held");
            assert_eq!(main.depends_on(task, first), Err(ChangeError::HasDependency), "one");
            let parent = main.add(Task::external(&"parent")).expect("there is room");
            main.add_child(parent, task).expect("it has none");
            assert_eq!(main.add_child(parent, task), Err(ChangeError::HasParent), "one");
            assert_eq!(main.join(&"join", &[task]), Err(AddError::HasParent), "one");
            assert_eq!(main.complete(task), Err(ChangeError::NotExternal), "it is ours");
            main.start(task).expect("it is held");
            assert_eq!(main.start(task), Err(ChangeError::NotHeld), "it waits for the other");
            assert_eq!(main.depends_on(task, parent), Err(ChangeError::NotHeld), "too late");
            for wrong in [
                Task::external(&"wrong").held(),
                Task::external(&"wrong").after(first),
                Task::external(&"wrong").on(ThreadIndex(0)),
            ] {
                assert_eq!(main.add(wrong), Err(AddError::External), "it is not ours to begin");
            }
            main.scope(&"scope", |scope| {
                let outside = Task::new(&"task", |_| {}).child_of(parent);
                assert_eq!(scope.add(outside), Err(AddError::OutsideScope), "it could outlive");
                // Else it could end while tasks are added that borrow.
                assert_eq!(main.complete(scope.id()), Err(ChangeError::NotExternal), "a scope");
                assert_eq!(main.fail(scope.id()), Err(ChangeError::NotExternal), "a scope");
                scope.add(Task::new(&"late", |_| {})).expect("the scope is open");
            })
            .expect("nothing fails");
            main.start(first).and(main.complete(parent)).expect("both are open");
            main.wait(parent).expect("all run");
            main.validate();
        });
    });
}

#[test]
fn a_panic_reaches_those_who_wait_and_what_depends_on_it_is_not_run() {
    quietly(|| {
        with_workers(Settings::default(), |tasks| {
            tasks.run(|main| {
                let ran = AtomicU32::new(0);
                let run = || _ = ran.fetch_add(1, Ordering::Relaxed);
                let result = main.scope(&"scope", |scope| {
                    let run = &run;
                    let bad = scope.add(bad()).expect("there is room");
                    let beside = scope.add(Task::new(&"beside", |_| run())).expect("room");
                    let after = scope.add(Task::new(&"after", |_| run()).after(bad)).expect("room");
                    let held = scope.add(Task::new(&"held", |_| run()).after(after).held());
                    let held = held.expect("there is room");
                    main.start(held).expect("it is held");
                    let join = scope.join(&"join", &[after, beside]).expect("there is room");
                    let last = scope.add(Task::new(&"last", |_| run()).after(join)).expect("room");
                    for task in [bad, after, held, join, last, bad, last] {
                        assert_eq!(main.wait(task), Err(FAILED), "the one that panicked is named");
                    }
                    // A late caller gets the error, too.
                    let late = scope.add(Task::new(&"late", |_| run()).after(bad)).expect("room");
                    let join = scope.join(&"join", &[bad]).expect("there is room");
                    assert_eq!((main.wait(late), main.wait(join)), (Err(FAILED), Err(FAILED)));
                    assert_eq!(main.wait(beside), Ok(()), "it has nothing to do with it");
                });
                assert_eq!(result, Err(ScopeError::Wait(FAILED)), "the scope gets the error");
                assert_eq!(ran.into_inner(), 1, "the other one");
                assert_eq!(main.stats().open, 0, "the counters are right");
                main.validate();
                let next = main.add(Task::new(&"next", |_| {})).expect("there is room");
                assert_eq!(main.wait(next), Ok(()), "all threads go on");
            });
        });
    });
}

#[test]
fn a_panic_of_a_panics_own_is_one_panic() {
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    quietly(|| {
        with_workers(Settings::default(), |tasks| {
            tasks.run(|main| {
                let task = Task::new(&"bad", |_| std::panic::panic_any(Again));
                let task = main.add(task).expect("there is room");
                assert_eq!(main.wait(task), Err(FAILED), "it is told");
            });
        });
    });
}

#[test]
fn a_panic_in_the_scope_itself_waits_for_its_tasks() {
    quietly(|| {
        with_workers(Settings::default(), |tasks| {
            tasks.run(|main| {
                let mut done = 0;
                let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
                    main.scope(&"scope", |scope| {
                        scope.add(Task::new(&"task", |_| done += 1)).expect("there is room");
                        panic!("on purpose");
                    })
                }));
                assert!(caught.is_err() && done == 1, "it has run before `done` could end");
                assert_eq!(main.stats().open, 0, "nothing is left");
            });
        });
    });
}

#[test]
fn more_failures_than_are_remembered_are_counted() {
    quietly(|| {
        serially(512, |tasks| {
            tasks.run(|main| {
                let first = main.add(bad()).expect("there is room");
                while main.run_one() {}
                for _ in 0..300 {
                    main.add(bad()).expect("there is room");
                }
                while main.run_one() {}
                let last = main.add(bad()).expect("there is room");
                assert_eq!(main.wait(last), Err(FAILED), "it is remembered");
                assert_eq!(main.wait(first), Ok(()), "it is one of too many");
                assert_eq!(main.stats().failed_total, 302, "all are counted");
            });
        });
    });
}

#[test]
fn shutdown_gives_up_what_has_not_started() {
    with_workers(Settings { main_threads: 2, ..Settings::default() }, |tasks| {
        for _ in 0..20 {
            tasks.run(|main| {
                let handle = main.handle();
                let never = main.add(Task::external(&"never")).expect("there is room");
                for _ in 0..10 {
                    main.add(Task::new(&"task", |_| {})).expect("there is room");
                    main.add(Task::new(&"after", |_| {}).after(never)).expect("there is room");
                    main.add(Task::new(&"held", |_| {}).held()).expect("there is room");
                    main.add(Task::empty(&"held").after(never).held()).expect("there is room");
                    main.add(Task::empty(&"child").child_of(never)).expect("there is room");
                }
                // Waits, on a worker if there is one, for what never comes.
                let waits = Task::new(&"waits", move |worker: &Worker<'_>| {
                    assert_eq!(worker.wait(never), Err(WaitError::Closing), "it is told");
                    let late = worker.add(Task::new(&"late", |_| {}));
                    assert_eq!(late, Err(AddError::Closing), "it is told");
                });
                if handle.threads() > 1 {
                    handle.add(waits.priority(9)).expect("there is room");
                }
            });
        }
    });
}

#[test]
fn a_panic_of_the_main_thread_ends_everything_and_goes_on() {
    quietly(|| {
        with_workers(Settings::default(), |tasks| {
            let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
                tasks.run(|main| {
                    main.add(Task::external(&"never")).expect("there is room");
                    panic!("on purpose");
                })
            }));
            assert!(caught.is_err(), "it goes on");
            tasks.run(|main| {
                let next = main.add(Task::new(&"next", |_| {})).expect("there is room");
                main.wait(next).expect("the next run is whole");
            });
        });
    });
}
