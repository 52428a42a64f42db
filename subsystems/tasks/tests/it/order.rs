//! Which of the tasks that could start does, and where.

use std::sync::Mutex;

use loligo_tasks::{AddError, Settings, Task, ThreadIndex, WaitError};

use crate::{serially, with_memory, with_workers};

#[test]
fn the_greatest_priority_is_first_and_of_one_the_oldest() {
    serially(64, |tasks| {
        let log = Mutex::new(Vec::new());
        tasks.run(|main| {
            main.scope(&"scope", |scope| {
                let log = &log;
                for (index, priority) in [0, 3, 1, 3, 63, 0, 200, 1].into_iter().enumerate() {
                    let task = Task::new(&"task", move |_| log.lock().expect("whole").push(index));
                    scope.add(task.priority(priority)).expect("there is room");
                    main.validate();
                }
            })
            .expect("nothing fails");
        });
        // What is more than 63 counts as 63.
        assert_eq!(log.into_inner().expect("whole"), [4, 6, 1, 3, 2, 7, 0, 5], "in this order");
    });
}

#[test]
fn those_that_wait_for_one_task_start_in_the_order_in_which_they_came() {
    serially(64, |tasks| {
        let log = Mutex::new(Vec::new());
        tasks.run(|main| {
            main.scope(&"scope", |scope| {
                let log = &log;
                let first = scope.add(Task::new(&"first", |_| {})).expect("there is room");
                for index in 0..9 {
                    let task = Task::new(&"task", move |_| log.lock().expect("whole").push(index));
                    scope.add(task.after(first)).expect("there is room");
                }
                main.validate();
            })
            .expect("nothing fails");
        });
        assert!(log.into_inner().expect("whole").is_sorted(), "the oldest first");
    });
}

#[test]
fn affinity_decides_the_thread() {
    with_workers(Settings { main_threads: 2, ..Settings::default() }, |tasks| {
        tasks.run(|main| {
            let handle = main.handle();
            let threads = main.threads();
            main.scope(&"scope", |scope| {
                for round in 0..40 {
                    for thread in [0].into_iter().chain(2..=threads as u8) {
                        let index = ThreadIndex(thread);
                        let task = Task::new(&"task", move |worker| {
                            assert_eq!(worker.thread(), index, "it runs where it was placed");
                        });
                        scope.add(task.on(index).priority(round)).expect("there is room");
                    }
                }
            })
            .expect("all ran where they should");
            let nowhere = Task::new(&"task", |_| {}).on(ThreadIndex(1));
            let refused = AddError::NoSuchThread { thread: 1 };
            assert_eq!(main.add(nowhere), Err(refused), "nobody has registered");
            // A render thread comes, runs its own, and goes.
            let left = std::thread::scope(|threads| {
                let render = threads.spawn(move || {
                    let render = handle.register().expect("there is room for one");
                    assert!(handle.register().is_err(), "and for no second");
                    let own = Task::new(&"submit", |_| {}).on(render.thread());
                    render.wait(handle.add(own).expect("there is room")).expect("it runs");
                    let left = Task::new(&"left", |_| {}).on(render.thread());
                    handle.add(left).expect("there is room")
                });
                render.join().expect("the thread ends well")
            });
            assert_eq!(main.wait(left), Err(WaitError::ThreadGone), "nobody can run it");
            main.validate();
        });
    });
}

#[test]
fn waiting_threads_help() {
    with_memory(|memory| {
        let settings = Settings { workers: Some(0), ..Settings::default() };
        let mut tasks = loligo_tasks::Tasks::try_new_in(&settings, memory).expect("memory");
        tasks.run(|main| {
            let inner = |worker: &loligo_tasks::Worker<'_>| {
                let deep = worker.add(Task::new(&"deep", |_| {})).expect("there is room");
                worker.wait(deep).expect("it is run on the stack of the waiting thread");
            };
            let task = main.add(Task::new(&"task", inner)).expect("there is room");
            main.wait(task).expect("it runs");
            assert!(!main.run_one(), "nothing is left");
            main.add(Task::new(&"one", |_| {})).expect("there is room");
            assert!(main.run_one() && !main.run_one(), "one, and no more");
        });
    });
}
