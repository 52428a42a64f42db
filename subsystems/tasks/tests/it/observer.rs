//! The events that an observer receives.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;

use loligo_tasks::{Begun, Observer, Settings, Task, Tasks, ThreadIndex, Worker};

use crate::{quietly, with_memory, with_workers};

#[derive(Default)]
struct Log(Mutex<Vec<(bool, Begun)>>);

impl Observer for Log {
    fn begin(&self, task: &Begun) {
        self.0.lock().expect("whole").push((true, *task));
    }

    fn end(&self, task: &Begun) {
        self.0.lock().expect("whole").push((false, *task));
    }
}

#[test]
fn begins_and_ends_are_nested_on_each_thread() {
    quietly(|| {
        with_workers(Settings::default(), |tasks| {
            let log = Log::default();
            tasks.run_observed(&log, |main| {
                let result = main.scope(&"animation", |scope| {
                    for _ in 0..50 {
                        let character = Task::new(&"character", |worker| {
                            worker
                                .scope(&"bones", |scope| {
                                    scope.add(Task::new(&"skin", |_| {})).expect("there is room");
                                })
                                .expect("nothing fails");
                        });
                        let character = scope.add(character).expect("there is room");
                        scope.add(Task::new(&"after", |_| {}).after(character)).expect("room");
                    }
                    scope.add(Task::new(&"bad", |_| panic!("on purpose"))).expect("room");
                    assert_eq!(main.name_of(scope.id()), Some("animation"), "a name for the row");
                });
                assert!(result.is_err(), "one panics");
            });
            let log = log.0.into_inner().expect("whole");
            let mut stacks: [Vec<Begun>; 8] = Default::default();
            for (begins, task) in &log {
                let stack = &mut stacks[usize::from(task.thread.0)];
                if *begins {
                    stack.push(*task);
                } else {
                    assert_eq!(stack.pop(), Some(*task), "what began last ends first");
                }
            }
            assert!(stacks.iter().all(Vec::is_empty), "all have ended");
            let count = |name| log.iter().filter(|(_, task)| *task.name == name).count();
            let counts = ["character", "skin", "after", "bad", "animation"].map(count);
            assert_eq!(counts, [100, 100, 100, 2, 0], "each begins and ends once");
            assert!(log.iter().all(|(_, task)| task.parent.is_some()), "each is in a scope");
        });
    });
}

/// Counts the workers, and lets only some of them live.
struct Threads {
    seen: Mutex<Vec<ThreadIndex>>,
    last: u8,
}

impl Observer for Threads {
    fn begin(&self, _: &Begun) {}

    fn end(&self, _: &Begun) {}

    fn thread(&self, thread: ThreadIndex, life: &mut dyn FnMut()) {
        self.seen.lock().expect("whole").push(thread);
        if thread.0 <= self.last {
            life();
            // A second life ends at once.
            life();
        }
    }
}

#[test]
fn workers_live_within_what_an_observer_does_around_them() {
    for last in [0, 1, 7] {
        with_memory(|memory| {
            let settings = Settings { workers: Some(3), ..Settings::default() };
            let mut tasks = Tasks::try_new_in(&settings, memory).expect("there is memory");
            let threads = Threads { seen: Mutex::default(), last };
            let done = AtomicU32::new(0);
            tasks.run_observed(&threads, |main| {
                assert_eq!(threads.seen.lock().expect("whole").len(), 3, "the work waits for each");
                main.scope(&"all", |scope| {
                    for _ in 0..100 {
                        let count = |_: &Worker<'_>| _ = done.fetch_add(1, Ordering::Relaxed);
                        scope.add(Task::new(&"one", count)).expect("there is room");
                    }
                })
                .expect("nothing fails");
            });
            assert_eq!(done.into_inner(), 100, "the remaining thread does it");
            let mut seen = threads.seen.into_inner().expect("whole");
            seen.sort_unstable();
            assert_eq!(seen, [1, 2, 3].map(ThreadIndex), "each is reported once");
        });
    }
}

/// Says that this process is the one with little address space.
const NARROW: &str = "LOLIGO_TASKS_NARROW";

#[test]
fn child_with_more_workers_than_the_system_gives_threads() {
    if std::env::var_os(NARROW).is_none() {
        return;
    }
    with_memory(|memory| {
        let settings = Settings { workers: Some(60), ..Settings::default() };
        let mut tasks = Tasks::try_new_in(&settings, memory).expect("there is memory");
        let threads = Threads { seen: Mutex::default(), last: 255 };
        let done = AtomicU32::new(0);
        tasks.run_observed(&threads, |main| {
            main.scope(&"all", |scope| {
                for _ in 0..100 {
                    let count = |_: &Worker<'_>| _ = done.fetch_add(1, Ordering::Relaxed);
                    scope.add(Task::new(&"one", count)).expect("there is room");
                }
            })
            .expect("nothing fails");
        });
        println!(
            "{} done, {} threads",
            done.into_inner(),
            threads.seen.into_inner().expect("whole").len()
        );
    });
}

#[cfg(unix)]
#[test]
fn where_the_system_refuses_threads_there_are_fewer() {
    let this = std::env::current_exe().expect("this test");
    let mut child = std::process::Command::new("sh");
    // 60 stacks of 2 MiB are more than that.
    child.args(["-c", "ulimit -v 100000; exec \"$0\" --exact --nocapture \"$1\""]);
    child.arg(this).arg("observer::child_with_more_workers_than_the_system_gives_threads");
    let output = child.env(NARROW, "1").output().expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let threads = said.split("100 done, ").nth(1).and_then(|rest| rest.split(' ').next());
    let threads: u32 = threads.and_then(|number| number.parse().ok()).unwrap_or_else(|| {
        panic!("{said}{}", String::from_utf8_lossy(&output.stderr));
    });
    assert!(threads < 60, "some were refused: {threads}");
}
