//! Whether everything is what it should be.

use std::format;
use std::string::String;
use std::vec::Vec;

use crate::slot::{ANYWHERE, AWAITED, NONE, Phase, Slot, linked};
use crate::state::{Counts, Waits};
use crate::sync::Ordering;
use crate::turn::Turn;

/// What a walk through all lists has found of one slot.
type Place = Option<&'static str>;

impl Turn<'_, '_> {
    /// Returns what is wrong, if anything is. All invariants are looked at if no other thread of
    /// the manager is at work; else those of what only the lock guards.
    pub(crate) fn check(&self) -> Option<String> {
        if !self.is_quiet() {
            return self.check_guarded();
        }
        let mut places: Vec<Place> = std::vec![None; self.table.slots.len()];
        self.walk_lists(&mut places)
            .or_else(|| self.check_slots(&places))
            .or_else(|| self.check_counts())
            .or_else(|| self.check_sleep())
            .or_else(|| self.check_guarded())
    }

    /// Returns `true` if no other thread changes anything without the lock.
    pub(crate) fn is_quiet(&self) -> bool {
        let threads = self.state.threads.iter().enumerate();
        let mut others =
            threads.filter(|(index, _)| self.me.is_none_or(|me| usize::from(me.thread) != *index));
        others.all(|(index, thread)| !thread.registered || self.state.is_asleep(index as u8))
    }

    /// Notes the list of each slot; invariant 1.
    fn walk_lists(&self, places: &mut [Place]) -> Option<String> {
        let slots = self.table.slots;
        let mut damage = None;
        let mut note = |index: u32, place: &'static str, right: bool| {
            let other = places[index as usize].replace(place);
            if let Some(other) = other {
                damage.get_or_insert_with(|| format!("task {index} is {place} and {other}"));
            }
            if !right {
                let phase = slots[index as usize].phase();
                damage.get_or_insert_with(|| format!("task {index} is {place}, and {phase:?}"));
            }
        };
        self.walk_places(&mut |index| {
            note(index, "free", slots[index as usize].phase() == Phase::Free)
        });
        let queued = |index: u32, level: usize, affinity: u8| {
            let slot = &slots[index as usize];
            let its_own = usize::from(slot.priority.get()) == level;
            its_own && slot.affinity.get() == affinity && slot.phase() == Phase::Queued
        };
        let mut bits = self.state.shared.walk(slots, |index, level| {
            note(index, "in the queue", queued(index, level, ANYWHERE));
        });
        for (thread, record) in self.state.threads.iter().enumerate() {
            bits &= record.queue.walk(slots, |index, level| {
                note(index, "in a thread's queue", queued(index, level, thread as u8));
            });
            let local = &self.table.locals[thread];
            for index in local.ring.iter(self.table.entries(thread as u8)) {
                let level = usize::from(local.level.get());
                note(index, "in a ring", queued(index, level, ANYWHERE));
            }
            for index in linked(slots, local.running.get()) {
                note(index, "on a stack", slots[index as usize].phase() == Phase::Running);
            }
        }
        for slot in slots.iter().filter(|slot| slot.phase() != Phase::Free) {
            for index in linked(slots, slot.dependents.get()) {
                let phase = slots[index as usize].phase();
                let waits = matches!(phase, Phase::Blocked | Phase::HeldBlocked);
                let seen = slot.open.load(Ordering::Relaxed) & AWAITED != 0;
                note(index, "waiting for a task", waits && seen);
            }
        }
        damage.or_else(|| (!bits).then(|| "a queue's bits are wrong".into()))
    }

    /// Visits the free places.
    fn walk_places(&self, visit: &mut dyn FnMut(u32)) {
        let slots = self.table.slots;
        let places = &self.state.places;
        linked(slots, places.loose).for_each(&mut *visit);
        let next = |index: &u32| slots.get(*index as usize).map(|slot| slot.dependents.get());
        let batches = core::iter::successors(Some(places.batches), next);
        let batches = batches.take_while(|index| (*index as usize) < slots.len());
        for batch in batches.take(slots.len()) {
            linked(slots, batch).for_each(&mut *visit);
        }
        for local in self.table.locals {
            linked(slots, local.free.get()).for_each(&mut *visit);
            linked(slots, local.spare.get()).for_each(&mut *visit);
        }
    }

    /// Checks that no slot is lost and that counters are right; invariants 1 here and of `Slot`.
    fn check_slots(&self, places: &[Place]) -> Option<String> {
        let slots = self.table.slots;
        let mut open = std::vec![0_u32; slots.len()];
        for slot in slots.iter().filter(|slot| slot.phase() != Phase::Free) {
            let parent = slot.parent.get();
            let Some(of_parent) = (parent != NONE).then(|| &slots[parent as usize]) else {
                continue;
            };
            if of_parent.phase() == Phase::Free {
                return Some(format!("a task of `{}` has a dead parent", slot.name()));
            }
            open[parent as usize] += 1;
        }
        for local in self.table.locals {
            let counts = [
                (local.credit_root.get(), local.credit.get()),
                (local.pending_parent.get(), local.pending.get()),
            ];
            for (index, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                open[index as usize] += count;
            }
        }
        slots.iter().enumerate().find_map(|(index, slot)| {
            let in_none =
                matches!(slot.phase(), Phase::Held | Phase::External | Phase::Open | Phase::Scope);
            if in_none != places[index].is_none() {
                let (phase, list) = (slot.phase(), places[index]);
                return Some(format!("task {index} is {phase:?} and in list {list:?}"));
            }
            let own = !matches!(slot.phase(), Phase::Open | Phase::Free);
            let right = open[index] + u32::from(own);
            let found = slot.open.load(Ordering::Relaxed) & !AWAITED;
            if found != right {
                return Some(format!("task {index} has {found} open, not {right}"));
            }
            let odd = slot.generation.load(Ordering::Relaxed) & 1 == 1;
            (odd == (slot.phase() == Phase::Free))
                .then(|| format!("task {index} is {:?}, which its id does not say", slot.phase()))
        })
    }

    /// Checks the counts of what is open; invariant 2 in part.
    fn check_counts(&self) -> Option<String> {
        let open = self.table.slots.iter().filter(|slot| slot.phase() != Phase::Free).count();
        let counted = self.figures().0 as usize;
        (open != counted).then(|| format!("{open} tasks are open, and {counted} are counted"))
    }

    /// Checks what only the lock guards, the rest of invariant 2, and 3 in part.
    fn check_guarded(&self) -> Option<String> {
        let (state, slots) = (&self.state, self.table.slots);
        let count = |wanted: &dyn Fn(&Slot) -> bool| {
            slots.iter().filter(|slot| wanted(slot)).count() as u32
        };
        let mut shared = 0;
        state.shared.walk(slots, |_, _| shared += 1);
        let mut ready = shared;
        for thread in state.threads.iter() {
            thread.queue.walk(slots, |_, _| ready += 1);
        }
        let right = Counts {
            ready,
            shared,
            held: count(&|slot| matches!(slot.phase(), Phase::Held | Phase::HeldBlocked)),
            external: count(&|slot| slot.phase() == Phase::External),
        };
        if state.counts != right {
            return Some(format!("{:?} should be {right:?}", state.counts));
        }
        for (index, record) in state.threads.iter().enumerate() {
            let asleep = state.is_asleep(index as u8);
            if asleep && record.queue.height() > 0 {
                return Some(format!("thread {index} sleeps and has tasks"));
            }
            if !asleep && record.waits != Waits::Nothing {
                return Some(format!("thread {index} is awake and sleeps for {:?}", record.waits));
            }
        }
        None
    }

    /// Checks that no thread sleeps that should not; the rest of invariant 3.
    fn check_sleep(&self) -> Option<String> {
        let (asleep, shared) = (self.state.asleep, self.state.counts.shared);
        let searching = self.table.board.searching();
        let unseen = asleep != 0 && shared > searching;
        unseen.then(|| {
            format!("threads {asleep:#b} sleep, {searching} look, and {shared} tasks could start")
        })
    }
}
