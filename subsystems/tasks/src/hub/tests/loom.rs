//! Every interleaving of two threads on a small table, up to a bound of preemptions: counters,
//! queue, sleep.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

use loom::cell::UnsafeCell;
use loom::sync::Notify;
use loom::thread;

use crate::event::Event;
use crate::hub::{self, Hub};
use crate::id::TaskId;
use crate::local::Local;
use crate::ring::Ring;
use crate::slot::Slot;
use crate::state::{ThreadRecord, Waits};
use crate::sync::model::{Fault, explore, must_fail};
use crate::sync::{AtomicU32, Bell};
use crate::table::Sizes;
use crate::task::{Name, Task};

/// Memory that ends with what uses it.
struct Memory<T>(NonNull<[T]>);

impl<T> Memory<T> {
    fn new(items: Vec<T>) -> Self {
        Self(NonNull::from_mut(Box::leak(items.into_boxed_slice())))
    }

    /// Returns the slice, once.
    fn lend(&self) -> &'static mut [T] {
        // SAFETY: it is a box's, reached through what is returned alone until this is dropped,
        // after its user.
        unsafe { &mut *self.0.as_ptr() }
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and its user is gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// A hub for two threads, and for each task a cell that the checker watches.
///
/// In a counter of std: one of the checker, dropped as a deadlock unwinds, would panic again.
struct Watched {
    hub: Box<Hub<'static>>,
    cells: Vec<UnsafeCell<u32>>,
    event: Event,
    /// Dropped after the hub.
    _memory: (Memory<Slot>, Memory<Local>, Memory<AtomicU32>, Memory<ThreadRecord>, Memory<Bell>),
}

// SAFETY: the cells are written by tasks of which each has its own, and read when those are done;
// that this holds is what is checked. All else is shared by the hub's own right.
unsafe impl Sync for Watched {}

// SAFETY: the memory is reached through the hub, which may pass to another thread.
unsafe impl Send for Watched {}

impl Watched {
    fn new() -> Arc<Self> {
        let sizes = Sizes { tasks: 4, slots: 6, batch: 1, ring: 4 };
        let slots = Memory::new((0..sizes.slots).map(|_| Slot::free()).collect());
        let locals = Memory::new((0..2).map(|_| Local::new()).collect());
        let entries = Memory::new((0..2 * sizes.ring).map(|_| AtomicU32::new(0)).collect());
        let threads = Memory::new((0..2).map(|_| ThreadRecord::new()).collect());
        let bells = Memory::new((0..2).map(|_| Bell::default()).collect());
        let memory = hub::Memory {
            slots: slots.lend(),
            locals: locals.lend(),
            entries: entries.lend(),
            threads: threads.lend(),
            bells: bells.lend(),
        };
        let hub = Box::new(Hub::new(memory, sizes, 1, None));
        hub.arrive(0);
        hub.with(|turn| {
            turn.register(0);
            turn.register(1);
        });
        let cells = (0..4).map(|_| UnsafeCell::new(0)).collect();
        Arc::new(Self {
            hub,
            cells,
            event: Event::new(),
            _memory: (slots, locals, entries, threads, bells),
        })
    }

    /// Adds a task that writes the cell of this number.
    fn add(&self, name: Name, cell: usize, parent: Option<TaskId>) -> TaskId {
        let write = move |_: &crate::Worker<'_>| {
            self.cells[cell].with_mut(|value| {
                // SAFETY: no other task has this cell.
                unsafe { *value += 1 }
            });
        };
        let task = Task::new(name, write);
        let mut task = match parent {
            Some(parent) => task.child_of(parent),
            None => task,
        };
        // SAFETY: each model ends only when its tasks have run.
        unsafe { self.hub.add(&mut task, None) }.expect("there is room")
    }

    /// Returns how often the task of this cell has run.
    fn runs(&self, cell: usize) -> u32 {
        self.cells[cell].with(|value| {
            // SAFETY: its task is done.
            unsafe { *value }
        })
    }

    fn external(&self) -> TaskId {
        // SAFETY: it borrows nothing.
        unsafe { self.hub.add(&mut Task::external(&"external"), None) }.expect("there is room")
    }

    fn wait(&self, task: TaskId) {
        let waited = self.hub.work_until(self.hub.table.me(0), Waits::Task(task), &|| false);
        waited.expect("nothing fails");
    }

    fn wait_for_event(&self) {
        let (hub, event) = (&self.hub, &self.event);
        let waits = Waits::Event(event.address());
        hub.work_until(hub.table.me(0), waits, &|| event.is_set()).expect("it is set");
    }

    fn set_event(&self) {
        self.hub.with(|turn| {
            self.event.raise();
            turn.set_event(self.event.address());
        });
    }

    fn check(&self) {
        assert_eq!(self.hub.check(), None, "after the model");
    }
}

/// Runs `main` while a worker runs, and ends the worker.
fn beside_a_worker(main: impl FnOnce(&Watched)) {
    let watched = Watched::new();
    let other = Arc::clone(&watched);
    let worker = thread::spawn(move || {
        other.hub.arrive(1);
        other.hub.serve(other.hub.table.me(1));
        other.hub.with(|turn| turn.unregister(1));
    });
    main(&watched);
    watched.hub.with(|turn| turn.close());
    worker.join().expect("the worker ends well");
    watched.check();
}

/// Two children of one parent, on whichever threads.
fn children() {
    beside_a_worker(|watched| {
        let parent = watched.external();
        watched.add(&"one", 0, Some(parent));
        watched.add(&"other", 1, Some(parent));
        watched.hub.with(|turn| turn.complete(parent, false)).expect("it is open");
        watched.wait(parent);
        assert_eq!((watched.runs(0), watched.runs(1)), (1, 1), "both have run, once");
    });
}

/// Two threads take what there is.
fn taken_once() {
    let watched = Watched::new();
    let tasks = [0, 1, 2].map(|cell| watched.add(&"task", cell, None));
    let other = Arc::clone(&watched);
    let thread = thread::spawn(move || {
        other.hub.arrive(1);
        while other.hub.run_one(other.hub.table.me(1)) {}
        other.hub.with(|turn| turn.unregister(1));
    });
    while watched.hub.run_one(watched.hub.table.me(0)) {}
    thread.join().expect("the thread ends well");
    assert_eq!([0, 1, 2].map(|cell| watched.runs(cell)), [1; 3], "each once");
    assert!(!tasks.iter().any(|task| watched.hub.table.is_open(*task)), "done");
    watched.check();
}

/// Two threads add, and one runs all.
fn added_by_two() {
    let watched = Watched::new();
    let other = Arc::clone(&watched);
    let thread = thread::spawn(move || _ = other.add(&"one", 0, None));
    watched.add(&"other", 1, None);
    thread.join().expect("the thread ends well");
    while watched.hub.run_one(watched.hub.table.me(0)) {}
    assert_eq!([0, 1].map(|cell| watched.runs(cell)), [1; 2], "each once");
    watched.check();
}

/// A worker may sleep when a task comes, and the main thread when it is done.
fn woken_for_a_task() {
    beside_a_worker(|watched| {
        let task = watched.add(&"task", 0, None);
        watched.wait(task);
        assert_eq!(watched.runs(0), 1, "it has run, once");
    });
}

/// A worker may sleep when the manager shuts down.
fn woken_to_end() {
    beside_a_worker(|_| {});
}

/// The main thread may sleep when what it waits for is completed elsewhere.
fn woken_from_elsewhere() {
    let watched = Watched::new();
    let external = watched.external();
    let other = Arc::clone(&watched);
    let thread = thread::spawn(move || {
        other.hub.with(|turn| turn.complete(external, false)).expect("it is open");
    });
    watched.wait(external);
    thread.join().expect("the thread ends well");
    watched.check();
}

/// The main thread stops looking for tasks as one comes that it does not run: the worker does.
fn left_to_the_worker() {
    let watched = Watched::new();
    let done = Arc::new(Notify::new());
    let (worker, outside) = (Arc::clone(&watched), Arc::clone(&watched));
    let worker = thread::spawn(move || {
        worker.hub.arrive(1);
        worker.hub.serve(worker.hub.table.me(1));
        worker.hub.with(|turn| turn.unregister(1));
    });
    let of_task = Arc::clone(&done);
    let outside = thread::spawn(move || {
        outside.set_event();
        let notify = &*of_task;
        // SAFETY: the model ends when it has run, and what it borrows after that.
        let added =
            unsafe { outside.hub.add(&mut Task::new(&"task", move |_| notify.notify()), None) };
        added.expect("there is room");
        of_task
    });
    watched.wait_for_event();
    done.wait();
    drop(outside.join().expect("the thread ends well"));
    watched.hub.with(|turn| turn.close());
    worker.join().expect("the worker ends well");
    watched.check();
}

/// The main thread may sleep when the event is set.
fn woken_by_an_event() {
    let watched = Watched::new();
    let other = Arc::clone(&watched);
    let thread = thread::spawn(move || {
        other.set_event();
    });
    watched.wait_for_event();
    thread.join().expect("the thread ends well");
    watched.check();
}

/// A ring whose owner adds two tasks and takes what is left, and another that steals.
fn stolen(many: bool) {
    let entries = || -> Vec<AtomicU32> { (0..4).map(|_| AtomicU32::new(0)).collect() };
    let shared = Arc::new((Ring::new(), entries(), Ring::new(), entries()));
    let other = Arc::clone(&shared);
    let take = |ring: &Ring, entries: &[AtomicU32]| -> Vec<u32> {
        core::iter::from_fn(|| ring.pop(entries)).collect()
    };
    let thief = thread::spawn(move || {
        let (theirs, their_entries, own, entries) = &*other;
        let first = if many {
            own.steal(entries, theirs, their_entries)
        } else {
            theirs.pop(their_entries)
        };
        let mut taken: Vec<u32> = first.into_iter().collect();
        taken.extend(take(own, entries));
        taken
    });
    let (ring, entries, ..) = &*shared;
    for index in 1..=3 {
        assert!(ring.push(entries, index, false), "there is room");
    }
    let mut taken = take(ring, entries);
    taken.extend(thief.join().expect("the thief ends well"));
    taken.sort_unstable();
    assert_eq!(taken, [1, 2, 3], "each once");
}

/// A worker steals what the main thread adds, and both wait for the same root.
fn a_scope_of_two() {
    beside_a_worker(|watched| {
        let id = watched
            .hub
            .begin_scope(watched.hub.table.me(0), &"scope", None)
            .expect("there is room");
        let root = hub::Root { id, thread: 0, within: crate::slot::NONE };
        for cell in [0, 1] {
            let write = move |_: &crate::Worker<'_>| {
                watched.cells[cell].with_mut(|value| {
                    // SAFETY: no other task has this cell.
                    unsafe { *value += 1 }
                });
            };
            // SAFETY: the model waits for the root.
            unsafe { watched.hub.add(&mut Task::new(&"task", write), Some(root)) }.expect("room");
        }
        watched.hub.end_scope(watched.hub.table.me(0), id);
        watched.wait(id);
        assert_eq!((watched.runs(0), watched.runs(1)), (1, 1), "both have run, once");
    });
}

/// In how many interleavings the worker got the second piece. Not the checker's, so that it counts
/// through all.
static GIVEN_AWAY: AtomicUsize = AtomicUsize::new(0);

/// A worker asks for the second of two pieces, and may get it.
fn forked() {
    beside_a_worker(|watched| {
        let worker = crate::Worker::new(&watched.hub, watched.hub.table.me(0), None);
        let write = |cell: usize| {
            watched.cells[cell].with_mut(|value| {
                // SAFETY: no other piece has this cell.
                unsafe { *value += 1 }
            });
        };
        let second = |worker: &crate::Worker<'_>| {
            GIVEN_AWAY.fetch_add(usize::from(worker.thread().0), Ordering::Relaxed);
            write(1);
        };
        // The next fork is where the oldest is given away.
        let first = |worker: &crate::Worker<'_>| {
            let inner = worker.both(&"inner", |_| (), |_| ());
            inner.expect("nothing fails");
            write(0);
        };
        let both = worker.both(&"both", first, second);
        both.expect("nothing fails");
        assert_eq!((watched.runs(0), watched.runs(1)), (1, 1), "both have run, once");
    });
}

#[test]
fn loom_tasks_fork() {
    explore("tasks_fork::forked", 2, 100, forked);
    let given = GIVEN_AWAY.load(Ordering::Relaxed);
    assert!(given > 10, "the worker got it {given} times");
    must_fail("tasks_fork::forked", (Fault::Unlocked, 2), &["ausality"], forked);
}

#[test]
fn loom_tasks_ring() {
    explore("tasks_ring::one", 5, 100, || stolen(false));
    explore("tasks_ring::many", 5, 100, || stolen(true));
    must_fail("tasks_ring::one", (Fault::TakenTwice, 2), &["each once"], || stolen(false));
    must_fail("tasks_ring::many", (Fault::TakenTwice, 2), &["each once"], || stolen(true));
}

#[test]
fn loom_tasks_counters() {
    explore("tasks_counters::children", 3, 500, children);
    explore("tasks_counters::a_scope_of_two", 3, 500, a_scope_of_two);
    must_fail("tasks_counters::children", (Fault::Unlocked, 2), &["ausality"], children);
    must_fail("tasks_counters::scope", (Fault::Unordered, 4), &["ausality"], a_scope_of_two);
}

#[test]
fn loom_tasks_queue() {
    explore("tasks_queue::taken_once", 3, 150, taken_once);
    explore("tasks_queue::added_by_two", 5, 4, added_by_two);
    must_fail(
        "tasks_queue::taken_once",
        (Fault::TakenTwice, 2),
        &["overflow", "after the model"],
        taken_once,
    );
}

#[test]
fn loom_tasks_sleep() {
    explore("tasks_sleep::woken_for_a_task", 3, 60, woken_for_a_task);
    explore("tasks_sleep::woken_to_end", 5, 4, woken_to_end);
    explore("tasks_sleep::woken_from_elsewhere", 5, 3, woken_from_elsewhere);
    explore("tasks_sleep::woken_by_an_event", 5, 3, woken_by_an_event);
    explore("tasks_sleep::left_to_the_worker", 2, 60, left_to_the_worker);
    must_fail(
        "tasks_sleep::woken_for_a_task",
        (Fault::SleepsLate, 2),
        &["deadlock"],
        woken_for_a_task,
    );
    must_fail("tasks_sleep::woken_to_end", (Fault::Silent, 2), &["deadlock"], woken_to_end);
    must_fail(
        "tasks_sleep::woken_by_an_event",
        (Fault::Silent, 2),
        &["deadlock"],
        woken_by_an_event,
    );
}
