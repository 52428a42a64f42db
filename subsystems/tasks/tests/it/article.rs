//! The frame of the article: animation, then the scene graph; the gui in parallel to both;
//! rendering after all three; sound in parallel to everything.

use std::sync::Mutex;

use loligo_tasks::{Settings, Task};

use crate::with_workers;

#[test]
fn the_frame_of_the_article_runs_in_its_order() {
    with_workers(Settings { tasks: 16, ..Settings::default() }, |tasks| {
        tasks.run(|main| {
            for _ in 0..100 {
                let log = Mutex::new(Vec::new());
                let say = |what: &'static str| log.lock().expect("no panic").push(what);
                main.scope(&"world", |scope| {
                    let say = &say;
                    let animation = scope.add(Task::new(&"animation", |_| say("animation")))?;
                    let graph = Task::new(&"scene graph", |_| say("scene graph"));
                    let graph = scope.add(graph.after(animation))?;
                    let gui = scope.add(Task::new(&"gui", |_| say("gui")))?;
                    let both = scope.join(&"gui and scene graph", &[graph, gui])?;
                    let render = Task::new(&"render", |_| say("render")).after(both);
                    let render = scope.add(render)?;
                    let sound = scope.add(Task::new(&"sound", |_| say("sound")))?;
                    let done = scope.join(&"done", &[render, sound])?;
                    main.wait(done).expect("nothing fails");
                    assert!(!main.is_open(done) && !main.is_open(gui), "it has completed");
                    Ok::<_, loligo_tasks::AddError>(())
                })
                .expect("nothing fails")
                .expect("there is room");
                let log = log.into_inner().expect("no panic");
                let at = |what| log.iter().position(|said| *said == what).expect("it has run");
                assert_eq!(log.len(), 5, "{log:?}");
                assert!(at("animation") < at("scene graph"), "{log:?}");
                assert!(at("scene graph") < at("render") && at("gui") < at("render"), "{log:?}");
                main.validate();
            }
            assert_eq!(main.stats().open, 0, "all is done");
        });
    });
}

#[test]
fn the_order_of_calls_of_the_article_works_with_held_tasks() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            static LOG: Mutex<Vec<&str>> = Mutex::new(Vec::new());
            let _alone = crate::ALONE.lock();
            LOG.lock().expect("no panic").clear();
            let say = |what: &'static str| LOG.lock().expect("no panic").push(what);
            let graph = main.add(Task::new(&"scene graph", move |_| say("scene graph")).held());
            let graph = graph.expect("there is room");
            let animation = main.add(Task::new(&"animation", move |_| say("animation")).held());
            let animation = animation.expect("there is room");
            main.depends_on(graph, animation).expect("it is held");
            let done = main.add(Task::empty(&"done").held()).expect("there is room");
            main.add_child(done, graph).expect("both are open");
            for task in [done, graph, animation] {
                main.validate();
                main.start(task).expect("it is held");
            }
            main.wait(done).expect("nothing fails");
            assert_eq!(*LOG.lock().expect("no panic"), ["animation", "scene graph"], "in order");
        });
    });
}

#[test]
fn a_task_is_done_when_its_children_are_which_may_come_while_it_runs() {
    with_workers(Settings::default(), |tasks| {
        tasks.run(|main| {
            let done = core::sync::atomic::AtomicU32::new(0);
            let count = || done.fetch_add(1, core::sync::atomic::Ordering::Relaxed);
            main.scope(&"scope", |scope| {
                let count = &count;
                let parent = Task::new(&"animation", move |worker| {
                    let own = worker.task().expect("it is in a task");
                    for _ in 0..20 {
                        let child = Task::new(&"character", move |worker| {
                            let own = worker.task().expect("it is in a task");
                            let part = Task::new(&"bones", move |_| _ = count()).child_of(own);
                            scope.add(part).expect("there is room");
                        });
                        scope.add(child.child_of(own)).expect("there is room");
                    }
                });
                let parent = scope.add(parent).expect("there is room");
                main.wait(parent).expect("nothing fails");
                assert_eq!(done.load(core::sync::atomic::Ordering::Relaxed), 20, "children first");
            })
            .expect("nothing fails");
        });
    });
}
