//! Whether everything that the lock guards is what it should be.

use std::format;
use std::string::String;

use crate::slot::{ANYWHERE, NONE, Phase, Slot, linked};
use crate::state::{Counts, State, Waits};

/// What a walk through all lists has found of one slot.
type Place = Option<&'static str>;

impl State {
    /// Returns what is wrong, if anything is: all invariants of [`State`] are looked at.
    pub(crate) fn check(&self) -> Option<String> {
        let mut places: std::vec::Vec<Place> = std::vec![None; self.slots.len()];
        self.walk_lists(&mut places)
            .or_else(|| self.check_slots(&places))
            .or_else(|| self.check_counts())
            .or_else(|| self.check_threads())
    }

    /// Notes the list of each slot; invariant 1.
    fn walk_lists(&self, places: &mut [Place]) -> Option<String> {
        let slots: &[Slot] = &self.slots;
        let mut damage = None;
        let mut note = |index: u32, place: &'static str, right: bool| {
            let other = places[index as usize].replace(place);
            if let Some(other) = other {
                damage.get_or_insert_with(|| format!("task {index} is {place} and {other}"));
            }
            if !right {
                let phase = slots[index as usize].phase;
                damage.get_or_insert_with(|| format!("task {index} is {place}, and {phase:?}"));
            }
        };
        for index in self.free.iter(slots) {
            note(index, "free", slots[index as usize].phase == Phase::Free);
        }
        let queued = |index: u32, level: usize, affinity: u8| {
            let slot = &slots[index as usize];
            let its_own = usize::from(slot.priority) == level && slot.affinity == affinity;
            its_own && slot.phase == Phase::Queued
        };
        let mut bits = self.shared.walk(slots, |index, level| {
            note(index, "in the queue", queued(index, level, ANYWHERE));
        });
        for (thread, record) in self.threads.iter().enumerate() {
            bits &= record.queue.walk(slots, |index, level| {
                note(index, "in a thread's queue", queued(index, level, thread as u8));
            });
            for index in linked(slots, record.running) {
                note(index, "on a stack", slots[index as usize].phase == Phase::Running);
            }
        }
        for slot in slots.iter().filter(|slot| slot.phase != Phase::Free) {
            for index in linked(slots, slot.dependents) {
                let phase = slots[index as usize].phase;
                let waits = matches!(phase, Phase::Blocked | Phase::HeldBlocked);
                note(index, "waiting for a task", waits);
            }
        }
        damage.or_else(|| (!bits).then(|| "a queue's bits are wrong".into()))
    }

    /// Checks that no slot is lost and that counters are right; invariants 1 and 2.
    fn check_slots(&self, places: &[Place]) -> Option<String> {
        let mut open = std::vec![0_u32; self.slots.len()];
        for slot in self.slots.iter().filter(|slot| slot.phase != Phase::Free) {
            let Some(parent) = slot.parent else { continue };
            let Some(index) = self.index_of(parent) else {
                return Some(format!("a task of `{}` has a dead parent", slot.name));
            };
            open[index as usize] += 1;
        }
        for (index, slot) in self.slots.iter().enumerate() {
            let in_none = matches!(slot.phase, Phase::Held | Phase::External | Phase::Open);
            if in_none != places[index].is_none() {
                return Some(format!(
                    "task {index} is {:?} and in list {:?}",
                    slot.phase, places[index]
                ));
            }
            let own = !matches!(slot.phase, Phase::Open | Phase::Free);
            let right = open[index] + u32::from(own);
            if slot.open != right {
                return Some(format!("task {index} has {} open, not {right}", slot.open));
            }
        }
        None
    }

    /// Checks the counts; invariant 3.
    fn check_counts(&self) -> Option<String> {
        let count = |wanted: &dyn Fn(&Slot) -> bool| {
            self.slots.iter().filter(|slot| wanted(slot)).count() as u32
        };
        let sleeps = |thread: usize| {
            let waits = self.threads[thread].waits;
            self.asleep >> thread & 1 == 1 && matches!(waits, Waits::Task(_) | Waits::Scope(_))
        };
        let active = self.threads.iter().enumerate();
        let active = active.filter(|(index, thread)| thread.running != NONE && !sleeps(*index));
        let right = Counts {
            open: count(&|slot| slot.phase != Phase::Free),
            ready: count(&|slot| slot.phase == Phase::Queued),
            shared: count(&|slot| slot.phase == Phase::Queued && slot.affinity == ANYWHERE),
            held: count(&|slot| matches!(slot.phase, Phase::Held | Phase::HeldBlocked)),
            external: count(&|slot| slot.phase == Phase::External),
            active: active.count() as u32,
        };
        (self.counts != right).then(|| format!("{:?} should be {right:?}", self.counts))
    }

    /// Checks the waiting and the sleeping threads; invariant 4.
    fn check_threads(&self) -> Option<String> {
        for (index, record) in self.threads.iter().enumerate() {
            let waits = self.waiting >> index & 1 == 1;
            if waits != (record.waits != Waits::Nothing) {
                return Some(format!(
                    "thread {index} waits for {:?}, it is said: {waits}",
                    record.waits
                ));
            }
            let asleep = self.asleep >> index & 1 == 1;
            if asleep && record.queue.height() > 0 {
                return Some(format!("thread {index} sleeps and has tasks"));
            }
        }
        let unseen = self.asleep != 0 && self.counts.shared > self.searching;
        unseen.then(|| {
            format!(
                "threads {:#b} sleep, {} look, and {} tasks could start",
                self.asleep, self.searching, self.counts.shared
            )
        })
    }
}
