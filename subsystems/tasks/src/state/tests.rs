//! Damage of each kind is found by the check.

use std::boxed::Box;
use std::string::String;
use std::vec::Vec;

use crate::id::{Bits, TaskId};
use crate::lent::Lent;
use crate::slot::{NONE, Phase, Slot};
use crate::state::{State, ThreadRecord, Waits};
use crate::task::{Task, ThreadIndex};

/// The tasks of a sample, each in another state.
struct Sample {
    held: TaskId,
    queued: TaskId,
    blocked: TaskId,
    parent: TaskId,
}

/// Makes a state with tasks in it, damages it, and returns what the check says.
fn checked(damage: impl FnOnce(&mut State, &Sample)) -> Option<String> {
    let bits = Bits::of(16);
    let mut slots: Vec<Slot> = (0..16).map(|index| Slot::free(bits.first(index), NONE)).collect();
    let mut threads: Vec<ThreadRecord> = (0..2).map(|_| ThreadRecord::new()).collect();
    // SAFETY: the state ends before the arrays.
    let lent_slots = unsafe { Lent::new(&mut slots) };
    // SAFETY: as above.
    let lent_threads = unsafe { Lent::new(&mut threads) };
    let mut state = Box::new(State::new(lent_slots, lent_threads, 1));
    state.register(0);
    state.register(1);
    let mut add = |mut task: Task<'static>| {
        // SAFETY: it borrows nothing that ends.
        unsafe { state.add(&mut task, None) }.expect("there is room")
    };
    let parent = add(Task::external(&"parent"));
    let held = add(Task::empty(&"held").held());
    let queued = add(Task::new(&"queued", |_| {}).child_of(parent));
    let blocked = add(Task::new(&"blocked", |_| {}).after(queued));
    add(Task::empty(&"held and blocked").after(queued).held());
    add(Task::new(&"own", |_| {}).on(ThreadIndex(1)).priority(7));
    let taken = add(Task::new(&"taken", |_| {}).priority(9));
    assert_eq!(state.take(0).expect("there are some").id, taken, "the greatest priority");
    assert_eq!(state.check(), None, "before the damage");
    damage(&mut state, &Sample { held, queued, blocked, parent });
    state.check()
}

fn slot(state: &mut State, id: TaskId) -> &mut Slot {
    let index = state.bits.index(id);
    &mut state.slots[index]
}

#[test]
fn a_sample_is_whole() {
    assert_eq!(checked(|_, _| {}), None, "nothing was damaged");
}

#[test]
fn damage_of_each_kind_is_found() {
    type Damage = fn(&mut State, &Sample);
    let kinds: [(&str, Damage); 14] = [
        ("a counter of open work", |state, sample| slot(state, sample.parent).open += 1),
        ("a dead parent", |state, sample| {
            let dead = state.bits.next(sample.parent.to_bits());
            slot(state, sample.queued).parent = Some(dead);
        }),
        ("a lost task", |state, _| state.shared = crate::queue::Queue::new()),
        ("a lost dependent", |state, sample| slot(state, sample.queued).dependents = NONE),
        ("a task in two lists", |state, sample| {
            let held = state.bits.index(sample.held) as u32;
            slot(state, sample.queued).dependents = held;
        }),
        ("a wrong phase", |state, sample| slot(state, sample.blocked).phase = Phase::Queued),
        ("a wrong priority", |state, sample| slot(state, sample.queued).priority = 3),
        ("a wrong thread", |state, sample| slot(state, sample.queued).affinity = 1),
        ("a list without an end", |state, sample| {
            let index = state.bits.index(sample.blocked) as u32;
            slot(state, sample.blocked).next = index;
        }),
        ("a lost place", |state, _| _ = state.free.pop(&state.slots)),
        ("a count", |state, _| state.counts.shared += 1),
        ("a lost stack", |state, _| state.threads[0].running = NONE),
        ("a sleeper that nobody woke", |state, _| {
            state.asleep = 1;
            state.threads[0].waits = Waits::Event(1);
            state.waiting = 1;
        }),
        ("a wait that is not noted", |state, _| state.threads[0].waits = Waits::Event(1)),
    ];
    for (what, damage) in kinds {
        assert!(checked(damage).is_some(), "{what} was not found");
    }
}
