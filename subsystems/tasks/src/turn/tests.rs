//! Damage of each kind is found by the check.

use std::boxed::Box;
use std::string::String;
use std::vec::Vec;

use crate::hub::{Hub, Memory};
use crate::id::TaskId;
use crate::local::Local;
use crate::queue::Queue;
use crate::slot::{NONE, Phase, Slot};
use crate::state::{ThreadRecord, Waits};
use crate::sync::{AtomicU32, Bell, Ordering};
use crate::table::Sizes;
use crate::task::{Task, ThreadIndex};
use crate::turn::Turn;

/// The tasks of a sample, each in another state.
struct Sample {
    held: u32,
    queued: u32,
    blocked: u32,
    parent: u32,
}

/// Makes a manager with tasks in it, damages it, and returns what the check says.
fn checked(damage: impl FnOnce(&mut Turn<'_, '_>, &Sample)) -> Option<String> {
    let sizes = Sizes { tasks: 16, slots: 16, batch: 2, ring: 16 };
    let slots: Vec<Slot> = (0..sizes.slots).map(|_| Slot::free()).collect();
    let mut locals: Vec<Local> = (0..2).map(|_| Local::new()).collect();
    let entries: Vec<AtomicU32> = (0..32).map(|_| AtomicU32::new(0)).collect();
    let mut threads: Vec<ThreadRecord> = (0..2).map(|_| ThreadRecord::new()).collect();
    let bells: Vec<Bell> = (0..2).map(|_| Bell::default()).collect();
    let memory = Memory {
        slots: &slots,
        locals: &mut locals,
        entries: &entries,
        threads: &mut threads,
        bells: &bells,
    };
    let hub = Box::new(Hub::new(memory, sizes, 1, None));
    let before = hub.arrive(0);
    hub.with(|turn| turn.register(0));
    let add = |mut task: Task<'static>| {
        // SAFETY: it borrows nothing that ends.
        unsafe { hub.add(&mut task, None) }.expect("there is room")
    };
    let parent = add(Task::external(&"parent"));
    let held = add(Task::empty(&"held").held());
    let queued = add(Task::new(&"queued", |_| {}).child_of(parent));
    let blocked = add(Task::new(&"blocked", |_| {}).after(queued));
    add(Task::empty(&"held and blocked").after(queued).held());
    hub.with(|turn| turn.register(1));
    add(Task::new(&"own", |_| {}).on(ThreadIndex(1)).priority(7));
    add(Task::new(&"shared", |_| {}).priority(3));
    let taken = add(Task::new(&"taken", |_| {}).priority(9));
    hub.with(|turn| {
        // Nobody serves as the other thread, so it does nothing without the lock.
        turn.state.threads[1].registered = false;
        let index = turn.take(0).expect("there are some");
        assert_eq!(turn.table.id(index), taken, "the greatest priority");
        let local = turn.table.local(0);
        turn.table.slot(index).set_phase(Phase::Running);
        turn.table.slot(index).next.set(local.running.replace(index));
        assert_eq!(turn.check(), None, "before the damage");
        let [held, queued, blocked, parent] = [held, queued, blocked, parent].map(TaskId::index);
        damage(turn, &Sample { held, queued, blocked, parent });
        let said = turn.check();
        // What was damaged is not to be used any more.
        turn.state.asleep = 0;
        turn.state.counts.shared = 0;
        hub.depart(0, before);
        said
    })
}

#[test]
fn a_sample_is_whole() {
    assert_eq!(checked(|_, _| {}), None, "nothing was damaged");
}

#[test]
fn damage_of_each_kind_is_found() {
    type Damage = fn(&mut Turn<'_, '_>, &Sample);
    let kinds: [(&str, Damage); 18] = [
        ("a counter of open work", |turn, sample| {
            turn.table.slot(sample.parent).open.fetch_add(1, Ordering::Relaxed);
        }),
        ("a dead parent", |turn, sample| {
            let free = turn.table.local(0).free.get().min(turn.state.places.batches);
            turn.table.slot(sample.queued).parent.set(free);
        }),
        ("a lost task", |turn, _| turn.state.shared = Queue::new()),
        ("a task that left its ring", |turn, _| {
            let _ = turn.table.local(0).ring.pop(turn.table.entries(0));
        }),
        ("a lost dependent", |turn, sample| turn.table.slot(sample.queued).dependents.set(NONE)),
        ("a task in two lists", |turn, sample| {
            turn.table.slot(sample.queued).dependents.set(sample.held);
        }),
        ("a wrong phase", |turn, sample| {
            turn.table.slot(sample.blocked).set_phase(Phase::Queued);
        }),
        ("a wrong priority", |turn, sample| turn.table.slot(sample.queued).priority.set(3)),
        ("a ring of another priority", |turn, _| turn.table.local(0).level.set(1)),
        ("a wrong thread", |turn, sample| turn.table.slot(sample.queued).affinity.set(1)),
        ("a list without an end", |turn, sample| {
            turn.table.slot(sample.blocked).next.set(sample.blocked);
        }),
        ("a lost place", |turn, _| {
            let _ = turn.state.places.take(turn.table.slots, 2).expect("some are free");
        }),
        ("an id that lives on", |turn, _| {
            let free = turn.state.places.batches;
            turn.table.slot(free).generation.fetch_add(1, Ordering::Relaxed);
        }),
        ("a count", |turn, _| turn.state.counts.shared += 1),
        ("a count of what was added", |turn, _| turn.state.added += 1),
        ("a lost stack", |turn, _| turn.table.local(0).running.set(NONE)),
        ("a sleeper that nobody woke", |turn, _| {
            turn.state.asleep = 1;
            turn.state.threads[0].waits = Waits::Event(1);
        }),
        ("a wait that is not noted", |turn, _| turn.state.threads[0].waits = Waits::Event(1)),
    ];
    for (what, damage) in kinds {
        assert!(checked(damage).is_some(), "{what} was not found");
    }
}
