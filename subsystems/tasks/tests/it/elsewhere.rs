//! What is done elsewhere, and events.

use std::sync::mpsc;

use loligo_tasks::{ChangeError, Event, Settings, Task, WaitError};

use crate::{serially, with_workers};

#[test]
fn what_is_done_elsewhere_is_completed_from_there() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            let handle = main.handle();
            let (send, receive) = mpsc::channel();
            std::thread::scope(|threads| {
                // Reads "files", each on request.
                threads.spawn(move || {
                    for (number, file) in receive.iter().enumerate() {
                        match number % 3 {
                            2 => handle.fail(file).expect("it is open"),
                            _ => handle.complete(file).expect("it is open"),
                        }
                        assert_eq!(handle.complete(file), Err(ChangeError::Dead), "once only");
                    }
                });
                for number in 0..60 {
                    let file = main.add(Task::external(&"read")).expect("there is room");
                    let parse = Task::new(&"parse", |_| {}).after(file);
                    let parse = main.add(parse).expect("there is room");
                    send.send(file).expect("somebody reads");
                    let expected = match number % 3 {
                        2 => Err(WaitError::Failed { task: "read" }),
                        _ => Ok(()),
                    };
                    assert_eq!(main.wait(parse), expected, "file {number}");
                }
                drop(send);
            });
            assert_eq!(main.stats().open, 0, "all is done");
            main.validate();
        });
    });
}

#[test]
fn an_external_task_keeps_a_group_open() {
    serially(8, |tasks| {
        tasks.run(|main| {
            let group = main.add(Task::external(&"group")).expect("there is room");
            let child = Task::new(&"child", |_| {}).child_of(group);
            let child = main.add(child).expect("there is room");
            main.wait(child).expect("it runs");
            assert!(main.is_open(group), "more may come");
            assert_eq!(main.name_of(group), Some("group"), "it has a name");
            main.add(Task::new(&"child", |_| {}).child_of(group)).expect("it is open");
            main.complete(group).expect("it is done elsewhere");
            assert!(main.is_open(group), "a child is open");
            assert_eq!(main.complete(group), Err(ChangeError::NotExternal), "once only");
            main.wait(group).expect("the child runs");
            main.validate();
        });
    });
}

#[test]
fn threads_work_while_they_wait_for_events() {
    with_workers(Settings { main_threads: 2, ..Settings::default() }, |tasks| {
        tasks.run(|update| {
            let handle = update.handle();
            let (begun, rendered) = (&Event::new(), &Event::new());
            std::thread::scope(|threads| {
                threads.spawn(move || {
                    let render = handle.register().expect("there is room");
                    for _ in 0..50 {
                        render.do_work_while_waiting_for(begun).expect("a frame begins");
                        begun.reset();
                        let work = Task::new(&"cull", |_| {});
                        render.wait(render.add(work).expect("there is room")).expect("it runs");
                        render.set(rendered);
                    }
                });
                for _ in 0..50 {
                    for _ in 0..20 {
                        update.add(Task::new(&"update", |_| {})).expect("there is room");
                    }
                    update.set(begun);
                    update.do_work_while_waiting_for(rendered).expect("a frame ends");
                    rendered.reset();
                }
            });
            while update.run_one() {}
            update.validate();
        });
    });
}
