//! Where memory comes from, and that none is asked for after the start.

use core::cell::Cell;

use loligo_allocators::{
    Allocator, Armed, Arming, FailingAllocator, HeapAllocator, PageAllocator, Refusals,
};
use loligo_tasks::{Event, Settings, Task, Tasks, ThreadIndex, Worker};

use crate::{GUARD, serially, with_workers};

thread_local! {
    /// What counts on a thread of the next test.
    static ARMED: Cell<Option<Armed<'static>>> = const { Cell::new(None) };
}

#[test]
fn nothing_is_allocated_after_the_start() {
    with_workers(Settings { tasks: 256, ..Settings::default() }, |tasks| {
        tasks.run(|main| {
            // Threads have started, and std has what it needs for each.
            main.parallel_for(&"warm", 10_000, 1, |_| std::thread::yield_now()).expect("runs");
            let count = || {
                let violations = GUARD.violations();
                violations.allocations + violations.frees
            };
            let before = count();
            // Each thread of ours counts; other tests that run at the same time do not.
            let on_each = |work: fn(&Worker<'_>)| {
                for thread in 1..main.threads() as u8 {
                    let task = Task::new(&"arm", work).on(ThreadIndex(thread));
                    main.wait(main.add(task).expect("there is room")).expect("it runs");
                }
            };
            on_each(|_| {
                ARMED.with(|armed| armed.set(Some(GUARD.arm_with(Arming::new().count_only()))));
            });
            let armed = GUARD.arm_with(Arming::new().count_only());
            let mut items = [0_u32; 1000];
            for round in 0..20 {
                main.scope(&"scope", |scope| {
                    let first = scope.add(Task::new(&"first", |_| {})).expect("there is room");
                    for _ in 0..100 {
                        scope.add(Task::new(&"task", |_| {}).after(first)).expect("there is room");
                    }
                })
                .expect("nothing fails");
                let add = |_, items: &mut [u32]| items.iter_mut().for_each(|item| *item += 1);
                main.parallel_for_each_mut(&"loop", &mut items, 10, add).expect("nothing fails");
                let external = main.add(Task::external(&"external")).expect("there is room");
                main.complete(external).expect("it is open");
                main.wait(external).expect("it is complete");
                let event = Event::new();
                main.set(&event);
                main.do_work_while_waiting_for(&event).expect("it is set");
                assert_eq!(items[999], round + 1, "all items");
            }
            drop(armed);
            let used = count() - before;
            // What a thread frees as it ends is its own matter, and may come when the next round
            // counts already.
            on_each(|_| drop(ARMED.take()));
            assert_eq!(used, 0, "the global heap was used");
        });
    });
}

#[test]
fn each_refusal_of_memory_is_an_error_and_leaves_nothing() {
    let mut refused = 0;
    for refusals in [Refusals::Nth, Refusals::From] {
        for number in 0..10 {
            let pages = PageAllocator::new("test pages");
            let heap = HeapAllocator::new_in("test heap", &pages);
            let memory = FailingAllocator::new_in("memory", refusals(number), &heap);
            let settings = Settings { workers: Some(0), ..Settings::default() };
            let made = Tasks::<dyn Allocator>::try_new_in(&settings, &memory);
            assert_eq!(made.is_err(), memory.refused() > 0, "an error for a refusal");
            refused += memory.refused();
            drop(made);
            assert_eq!(memory.stats().live, 0, "nothing is left");
        }
    }
    assert_eq!(refused, 10, "five blocks, refused one by one and from each on");
}

#[test]
fn the_tables_are_as_large_as_is_said() {
    with_workers(Settings { tasks: 1000, ..Settings::default() }, |tasks| {
        let threads = tasks.bytes() - 64 * 1000;
        assert!(threads <= 8 * (17 << 10), "{threads} bytes for 8 threads at most");
    });
    serially(1000, |tasks| {
        let thread = tasks.bytes() - 64 * 1000;
        assert!(thread <= 4 * 1024 + 1200, "{thread} bytes for a thread and its queue");
    });
}
