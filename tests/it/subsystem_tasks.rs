//! A task manager under the suite for subsystems: without workers, as std takes memory of the
//! global heap for threads.

use core::sync::atomic::{AtomicU32, Ordering};

use loligo_tasks::{Settings, Task, Tasks};

use crate::subsystems::conforms;

#[test]
fn task_managers_conform() {
    conforms(|watch| {
        let settings = Settings { tasks: 64, workers: Some(0), ..Settings::default() };
        let make = |memory| Tasks::try_new_in(&settings, memory);
        let state = |tasks: &Tasks<'_>| (tasks.capacity(), tasks.bytes());
        let mut tasks = watch.make(make, state)?.claiming(|tasks| tasks.bytes());
        for _ in 0..3 {
            let done = AtomicU32::new(0);
            tasks.change(|tasks| {
                tasks.run(|main| {
                    let count =
                        |_: &loligo_tasks::Worker<'_>| _ = done.fetch_add(1, Ordering::Relaxed);
                    let scope = main.scope(&"scope", |scope| {
                        let first = scope.add(Task::new(&"first", count)).expect("there is room");
                        for _ in 0..40 {
                            let task = Task::new(&"task", count).after(first);
                            scope.add(task).expect("there is room");
                        }
                    });
                    scope.expect("nothing panics");
                    main.add(Task::external(&"left open")).expect("there is room");
                });
            })?;
            assert_eq!(done.into_inner(), 41, "all have run");
        }
        Ok(())
    });
}
