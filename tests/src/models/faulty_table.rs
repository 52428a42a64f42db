//! A plain table of slots with generations, with one thing wrong.

use core::mem;

use crate::conformance::{IdTable, Token};

/// Something that a [`FaultyTable`] does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFault {
    /// None: a table as it should be.
    None,
    /// Counts one more than there are.
    CountsTooMany,
    /// Does not find the last of seven objects.
    LosesSeventh,
    /// Gives the id of the object before, each tenth time.
    GivesIdTwice,
    /// Takes out the object of the next slot.
    RemovesNext,
    /// Finds what was removed as long as the slot is not used again.
    FindsRemoved,
    /// Removes by an id whose slot is used again.
    RemovesByStaleId,
    /// Wraps its generations after 256 lives.
    WrapsAt256,
    /// Wraps its generations after 65 536 lives.
    WrapsAt65536,
    /// Shows the first object twice.
    VisitsTwice,
    /// Shows the id of a new life before it has begun.
    VisitsNextId,
    /// Changes the object of the first slot, whichever is meant.
    ChangesFirst,
    /// Lets ids from before a clearing name what comes after.
    ClearKeepsIds,
    /// Loses the first object when it grows to 4096.
    LosesOnGrowth,
    /// Takes one more than it may.
    TakesOneMore,
    /// Refuses for good once it was full.
    StaysFull,
    /// Forgets to drop what is there when it goes.
    ForgetsDrop,
    /// Forgets to drop what is cleared away.
    ForgetsOnClear,
    /// Drops twice what is removed.
    DropsTwice,
    /// Frees a slot twice when six are free.
    FreesTwice,
    /// Panics when an object is removed from a slot whose number is 90 and more.
    Panics,
}

impl TableFault {
    /// Every fault that the suite must catch, with the check that catches it.
    pub const CAUGHT: [(Self, &'static str); 20] = [
        (Self::CountsTooMany, "empty"),
        (Self::LosesSeventh, "insert_and_get"),
        (Self::GivesIdTwice, "unique_ids"),
        (Self::RemovesNext, "remove"),
        (Self::FindsRemoved, "stale_ids"),
        (Self::RemovesByStaleId, "reuse"),
        (Self::WrapsAt256, "many_lives"),
        (Self::WrapsAt65536, "many_lives"),
        (Self::VisitsTwice, "visit"),
        (Self::VisitsNextId, "visit"),
        (Self::ChangesFirst, "change"),
        (Self::ClearKeepsIds, "clear"),
        (Self::LosesOnGrowth, "growth"),
        (Self::TakesOneMore, "full"),
        (Self::StaysFull, "full"),
        (Self::ForgetsDrop, "drops"),
        (Self::ForgetsOnClear, "drops"),
        (Self::DropsTwice, "drops"),
        (Self::FreesTwice, "programs"),
        (Self::Panics, "remove"),
    ];
}

/// An id of a [`FaultyTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableKey {
    slot: u32,
    generation: u32,
}

/// A table of slots with generations, with one planted [`TableFault`], which the suite must find.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::{self, TableLimits};
/// use loligo_tests::models::{FaultyTable, TableFault};
///
/// let outcomes = conformance::id_table_outcomes(&TableLimits::growing(), |test| {
///     test(&mut FaultyTable::new(TableFault::WrapsAt256, None));
/// });
/// let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome.result.is_err()).collect();
/// assert_eq!(failed[0].check, "many_lives");
/// ```
#[derive(Debug)]
pub struct FaultyTable {
    fault: TableFault,
    objects_max: usize,
    slots: Vec<Slot>,
    free: Vec<u32>,
    last: Option<TableKey>,
    inserted: u32,
    was_full: bool,
}

#[derive(Debug)]
struct Slot {
    generation: u32,
    token: Option<Token>,
}

impl FaultyTable {
    /// Makes a table with that fault, of at most `objects_max` objects.
    #[must_use]
    pub fn new(fault: TableFault, objects_max: Option<usize>) -> Self {
        Self {
            fault,
            objects_max: objects_max.unwrap_or(usize::MAX),
            slots: Vec::new(),
            free: Vec::new(),
            last: None,
            inserted: 0,
            was_full: false,
        }
    }

    fn has(&self, fault: TableFault) -> bool {
        self.fault == fault
    }

    /// The slot that an id names, if its object is there.
    fn find(&self, id: TableKey) -> Option<usize> {
        let slot = id.slot as usize;
        let found = self.slots.get(slot)?;
        let is_hidden = self.has(TableFault::LosesSeventh) && slot == 6;
        (found.generation == id.generation && found.token.is_some() && !is_hidden).then_some(slot)
    }

    /// The generation of the next life.
    fn next(&self, generation: u32) -> u32 {
        match self.fault {
            TableFault::WrapsAt256 => (generation + 1) % 256,
            TableFault::WrapsAt65536 => (generation + 1) % 65536,
            _ => generation + 1,
        }
    }

    /// Empties a slot, which is then used again.
    fn empty(&mut self, slot: usize) -> Option<Token> {
        let next = self.next(self.slots[slot].generation);
        if !self.has(TableFault::FindsRemoved) {
            self.slots[slot].generation = next;
        }
        self.free.push(slot as u32);
        if self.has(TableFault::FreesTwice) && self.free.len() == 6 {
            self.free.push(slot as u32);
        }
        self.slots[slot].token.take()
    }
}

impl IdTable for FaultyTable {
    type Id = TableKey;

    fn insert(&mut self, token: Token) -> Option<TableKey> {
        self.inserted += 1;
        let len = self.slots.iter().filter(|slot| slot.token.is_some()).count();
        let more = usize::from(self.has(TableFault::TakesOneMore));
        let stays_full = self.has(TableFault::StaysFull) && self.was_full;
        if self.objects_max.checked_add(more).is_some_and(|most| len >= most) || stays_full {
            self.was_full = true;
            return None;
        }
        if self.has(TableFault::GivesIdTwice) && self.inserted.is_multiple_of(10) {
            return self.last;
        }
        let slot = match self.free.pop() {
            Some(slot) => slot as usize,
            None => {
                self.slots.push(Slot { generation: 0, token: None });
                self.slots.len() - 1
            }
        };
        if self.has(TableFault::FindsRemoved) && slot + 1 < self.slots.len() {
            self.slots[slot].generation += 1;
        }
        if self.has(TableFault::LosesOnGrowth) && self.slots.len() == 4096 {
            self.slots[0].token = None;
        }
        self.slots[slot].token = Some(token);
        let id = TableKey { slot: slot as u32, generation: self.slots[slot].generation };
        self.last = Some(id);
        Some(id)
    }

    fn remove(&mut self, id: TableKey) -> Option<Token> {
        assert!(!self.has(TableFault::Panics) || id.slot < 90, "planted: slot {}", id.slot);
        let slot = id.slot as usize;
        match self.fault {
            TableFault::RemovesByStaleId => {
                let is_there = self.slots.get(slot)?.token.is_some();
                return is_there.then(|| self.empty(slot)).flatten();
            }
            TableFault::RemovesNext => {
                let next = self.find(id)? + 1;
                let slot = if self.slots.get(next)?.token.is_some() { next } else { slot };
                return self.empty(slot);
            }
            // The object stays where it was, and its id is good until the slot is used again.
            TableFault::FindsRemoved => {
                let slot = self.find(id)?;
                self.free.push(slot as u32);
                let number = self.slots[slot].token.as_ref().map(Token::number)?;
                return Some(Token::new(number));
            }
            _ => {}
        }
        let slot = self.find(id)?;
        let token = self.empty(slot);
        if self.has(TableFault::DropsTwice)
            && let Some(token) = &token
        {
            // SAFETY: a token owns nothing; that it is dropped twice is the fault.
            drop(unsafe { core::ptr::read(token) });
        }
        token
    }

    fn get(&self, id: TableKey) -> Option<&Token> {
        self.slots[self.find(id)?].token.as_ref()
    }

    fn get_mut(&mut self, id: TableKey) -> Option<&mut Token> {
        let slot = self.find(id)?;
        let slot = if self.has(TableFault::ChangesFirst) { 0 } else { slot };
        self.slots[slot].token.as_mut()
    }

    fn len(&self) -> usize {
        let len = self.slots.iter().filter(|slot| slot.token.is_some()).count();
        len + usize::from(self.has(TableFault::CountsTooMany))
    }

    fn visit(&self, each: &mut dyn FnMut(TableKey, &Token)) {
        for (slot, number) in self.slots.iter().zip(0..) {
            let more = u32::from(self.has(TableFault::VisitsNextId));
            let id = TableKey { slot: number, generation: slot.generation + more };
            let times = 1 + usize::from(self.has(TableFault::VisitsTwice) && number == 0);
            for token in slot.token.iter().cycle().take(times) {
                each(id, token);
            }
        }
    }

    fn clear(&mut self) {
        for slot in 0..self.slots.len() {
            let generation = self.slots[slot].generation;
            if self.slots[slot].token.is_some() {
                let token = self.empty(slot);
                if self.has(TableFault::ForgetsOnClear) {
                    mem::forget(token);
                }
            }
            if self.has(TableFault::ClearKeepsIds) {
                self.slots[slot].generation = generation;
            }
        }
    }
}

impl Drop for FaultyTable {
    fn drop(&mut self) {
        if self.has(TableFault::ForgetsDrop) {
            mem::forget(mem::take(&mut self.slots));
        }
    }
}
