//! Operations on a table as a whole, and on what is at a slot, next to the map that it is compared
//! with.

use std::collections::BTreeSet;

use loligo_ids::{FreeList, GenerationEnd, InsertError, Repr, Shape, Table};

use crate::programs::model_op::{Beside, same};

use super::IdTableOp;
use super::both::Both;

impl<S, F, E, R, const INDEX: u32, const GENERATION: u32> Both<'_, S, F, E, R, INDEX, GENERATION>
where
    S: Shape,
    F: FreeList,
    E: GenerationEnd,
    R: Repr,
{
    /// Does one of the operations that are here. Returns whether memory was had for it.
    pub(super) fn whole(&mut self, op: IdTableOp) -> Result<bool, String> {
        match op {
            IdTableOp::InsertWith => self.insert_with(),
            IdTableOp::GetBySlot { at } => self.get_by_slot(at).map(|()| true),
            IdTableOp::RemoveBySlot { at } => self.remove_by_slot(at).map(|()| true),
            IdTableOp::Shrink => self.shrink(),
            IdTableOp::Clone => self.clone_table(),
            IdTableOp::Rebuild => self.rebuild(),
            IdTableOp::Extend { count } => self.extend(count),
            _ => Ok(true),
        }
    }

    fn insert_with(&mut self) -> Result<bool, String> {
        let number = self.number();
        let mut made_for = None;
        let outcome = self.table.insert_with(|id| {
            made_for = Some(id);
            number
        });
        same("the id that the object was made for", made_for, outcome.ok())?;
        if let Ok(id) = outcome {
            self.note(id)?;
            self.live.insert(id, number);
        }
        self.served(outcome.map(drop))
    }

    /// Returns a slot, of those that were used and two more, and what is in it.
    fn slot(&self, at: u16) -> (R, Option<(super::both::Ids<R, INDEX, GENERATION>, u32)>) {
        let slots = self.last.last_key_value().map_or(0, |(slot, _)| slot + 1);
        let slot = u64::from(at) % (slots + 2).min(1 << INDEX);
        let index = R::try_from(slot).unwrap_or_default();
        (index, self.live.iter().find(|(id, _)| id.index() == index).map(|(id, n)| (*id, *n)))
    }

    fn get_by_slot(&mut self, at: u16) -> Result<(), String> {
        let (slot, expected) = self.slot(at);
        same("id at a slot", self.table.id_by_slot(slot), expected.map(|(id, _)| id))?;
        let found = self.table.get_by_slot(slot).map(|(id, object)| (id, *object));
        same("object at a slot", found, expected)?;
        let number = self.number();
        let Some((id, object)) = self.table.get_mut_by_slot(slot) else {
            return same("object at a slot", None, expected);
        };
        *object = number;
        self.live.insert(id, number);
        Ok(())
    }

    fn remove_by_slot(&mut self, at: u16) -> Result<(), String> {
        let (slot, expected) = self.slot(at);
        same("removed at a slot", self.table.remove_by_slot(slot), expected)?;
        if let Some((id, _)) = expected {
            self.live.remove(&id);
        }
        Ok(())
    }

    fn shrink(&mut self) -> Result<bool, String> {
        let before = self.table.capacity();
        let outcome = self.table.try_shrink_to_fit();
        let used = self.table.stats().limit - self.table.stats().fresh;
        match outcome {
            Ok(()) => same("shrunk", self.table.capacity() as u64, used)?,
            Err(InsertError::Memory { .. }) => same("kept", self.table.capacity(), before)?,
            Err(error) => return Err(error.to_string()),
        }
        self.compare().map(|()| outcome.is_ok())
    }

    fn clone_table(&mut self) -> Result<bool, String> {
        match self.table.try_clone(self.memory) {
            Ok(copy) => self.table = copy,
            Err(error) => return self.served(Err(error)),
        }
        self.compare().map(|()| true)
    }

    /// The objects of a table that is taken apart, and a table of them: with other ids, and where
    /// there are bits for it another tag.
    fn rebuild(&mut self) -> Result<bool, String> {
        let made = Table::from_iter(self.table.iter().copied(), self.memory);
        let table = match made {
            Ok(table) => table,
            Err(error) => return self.served(Err(error)),
        };
        let old = core::mem::replace(&mut self.table, table);
        let expected: Vec<u32> = old.iter().copied().collect();
        same("taken apart", old.into_iter().collect::<Vec<_>>(), expected)?;
        self.tag = self.table.tag();
        let numbers: Vec<u32> = self.live.values().copied().collect();
        self.live.clear();
        self.reserved.clear();
        self.known.clear();
        self.last.clear();
        self.take_in(numbers)?;
        self.compare().map(|()| true)
    }

    fn extend(&mut self, count: u8) -> Result<bool, String> {
        let numbers: Vec<u32> = (0..count).map(|_| self.number()).collect();
        let outcome = self.table.try_extend(numbers.iter().copied());
        // Those before a slot that has lived all its lives are in the table.
        let inserted = self.table.len() - self.live.len();
        same("extended", inserted == numbers.len() || outcome.is_err(), true)?;
        self.take_in(numbers[..inserted.min(numbers.len())].to_vec())?;
        match outcome {
            Err(InsertError::Full { .. }) => same("of a full table", inserted, 0).map(|()| true),
            outcome => self.served(outcome),
        }
    }

    /// Notes the objects of the table that are new, which are to be these.
    fn take_in(&mut self, numbers: Vec<u32>) -> Result<(), String> {
        let fresh: Vec<_> = self
            .table
            .iter_with_ids()
            .filter(|(id, _)| !self.live.contains_key(id))
            .map(|(id, object)| (id, *object))
            .collect();
        let found: BTreeSet<u32> = fresh.iter().map(|(_, object)| *object).collect();
        same("new objects", found, numbers.into_iter().collect())?;
        for (id, object) in fresh {
            self.note(id)?;
            self.live.insert(id, object);
        }
        Ok(())
    }
}
