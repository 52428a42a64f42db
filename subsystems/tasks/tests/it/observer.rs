//! What an observer is told.

use std::sync::Mutex;

use loligo_tasks::{Begun, Observer, Settings, Task};

use crate::{quietly, with_workers};

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
            let count = |name| log.iter().filter(|(_, task)| task.name == name).count();
            let counts = ["character", "skin", "after", "bad", "animation"].map(count);
            assert_eq!(counts, [100, 100, 100, 2, 0], "each begins and ends once");
            assert!(log.iter().all(|(_, task)| task.parent.is_some()), "each is in a scope");
        });
    });
}
