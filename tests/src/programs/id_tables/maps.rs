//! Maps by the ids of a table, next to a map from slots.

use std::collections::BTreeMap;

use loligo_allocators::Allocator;
use loligo_ids::{Entry, Id, InsertError, Placement, Repr, Secondary, SparseSecondary, TableId};

use crate::programs::model_op::same;

use super::IdTableOp;

/// A map with a place for every slot, one with places for its values alone, and what both must
/// hold: a value a slot, with the id that it was last given for.
pub(super) struct Maps<'a, I: TableId> {
    dense: Secondary<'a, I, u32>,
    sparse: SparseSecondary<'a, I, u32>,
    model: BTreeMap<u64, (I, u32)>,
    memory: &'a dyn Allocator,
}

impl<'a, R: Repr, const INDEX: u32, const GENERATION: u32> Maps<'a, Id<u32, R, INDEX, GENERATION>> {
    pub(super) fn new(memory: &'a dyn Allocator) -> Self {
        let (dense, sparse) = (Secondary::new(memory), Secondary::new_in(memory));
        Self { dense, sparse, model: BTreeMap::new(), memory }
    }

    /// Does an operation at an id, or at two. Returns whether memory was had for it.
    ///
    /// Where one map was refused memory, the value is taken out of both.
    pub(super) fn step_at(
        &mut self,
        op: IdTableOp,
        id: Id<u32, R, INDEX, GENERATION>,
        other: Id<u32, R, INDEX, GENERATION>,
        number: u32,
    ) -> Result<bool, String> {
        let slot = id.index().into();
        let known = self.get(id);
        match op {
            IdTableOp::MapInsert { .. } => {
                let outcomes = [self.dense.insert(id, number), self.sparse.insert(id, number)];
                self.inserted(id, outcomes.map(|old| old.map(|old| (old, number))), known)
            }
            IdTableOp::MapEntry { count, .. } => {
                let number = number ^ u32::from(count);
                let outcomes =
                    [by_entry(&mut self.dense, id, number), by_entry(&mut self.sparse, id, number)];
                self.inserted(id, outcomes, known)
            }
            IdTableOp::MapRemove { .. } => {
                let removed = [self.dense.remove(id), self.sparse.remove(id)];
                same("values removed", removed, [known; 2])?;
                if known.is_some() {
                    self.model.remove(&slot);
                }
                Ok(true)
            }
            _ => self.get_many(id, other, number).map(|()| true),
        }
    }

    /// Does an operation on the maps as a whole. Returns whether memory was had for it.
    pub(super) fn step(
        &mut self,
        op: IdTableOp,
        live: &BTreeMap<Id<u32, R, INDEX, GENERATION>, u32>,
    ) -> Result<bool, String> {
        match op {
            IdTableOp::MapRetain => {
                let mut asked = [BTreeMap::new(), BTreeMap::new()];
                let [dense, sparse] = &mut asked;
                let ask = |id, value: &mut u32, asked: &mut BTreeMap<_, _>| {
                    asked.insert(id, *value).is_none() && live.contains_key(&id)
                };
                self.dense.retain(|id, value| ask(id, value, dense));
                self.sparse.retain(|id, value| ask(id, value, sparse));
                let all: BTreeMap<_, _> = self.model.values().copied().collect();
                same("values asked about", asked, [all.clone(), all])?;
                self.model.retain(|_, (id, _)| live.contains_key(id));
                Ok(true)
            }
            IdTableOp::MapShrink => {
                served(&[self.dense.try_shrink_to_fit(), self.sparse.try_shrink_to_fit()])
            }
            IdTableOp::MapClone => {
                let copies =
                    (self.dense.try_clone(self.memory), self.sparse.try_clone(self.memory));
                let (Ok(dense), Ok(sparse)) = copies else { return Ok(false) };
                (self.dense, self.sparse) = (dense, sparse);
                Ok(true)
            }
            _ => {
                self.dense.clear();
                self.sparse.clear();
                self.model.clear();
                Ok(true)
            }
        }
    }

    pub(super) fn compare(&self, known: &[Id<u32, R, INDEX, GENERATION>]) -> Result<(), String> {
        let lens = [self.dense.len(), self.sparse.len()];
        same("values", lens, [self.model.len(); 2])?;
        let dense: Vec<_> = self.dense.iter().map(|(id, value)| (id, *value)).collect();
        let in_order: Vec<_> = self.model.values().copied().collect();
        same("values in order of the slots", &dense, &in_order)?;
        let sparse: BTreeMap<_, _> = self.sparse.iter().map(|(id, value)| (id, *value)).collect();
        same("values visited", sparse, in_order.into_iter().collect())?;
        for id in known {
            let found = [self.dense.get(*id).copied(), self.sparse.get(*id).copied()];
            same("values of an id", found, [self.get(*id); 2])?;
        }
        Ok(())
    }

    /// What the model has for an id.
    fn get(&self, id: Id<u32, R, INDEX, GENERATION>) -> Option<u32> {
        let value = self.model.get(&id.index().into());
        value.filter(|(owner, _)| *owner == id).map(|&(_, value)| value)
    }

    /// Compares what an insertion returned, the value before and the one after.
    fn inserted(
        &mut self,
        id: Id<u32, R, INDEX, GENERATION>,
        outcomes: [Result<(Option<u32>, u32), InsertError>; 2],
        known: Option<u32>,
    ) -> Result<bool, String> {
        let slot = id.index().into();
        if let [Ok((before, after)), Ok(other)] = outcomes {
            same("values before and after", (before, after), other)?;
            same("value before", before, known)?;
            self.model.insert(slot, (id, after));
            return Ok(true);
        }
        // What has a place needs no memory.
        same("refused where there is no value", known, None)?;
        let is_in = outcomes.map(|outcome| outcome.is_ok());
        let removed = [self.dense.remove(id).is_some(), self.sparse.remove(id).is_some()];
        same("inserted", removed, is_in)?;
        // A stale value of the slot is gone from the map that had memory, so it goes from both.
        if let Some((stale, _)) = self.model.remove(&slot) {
            let left = [self.dense.remove(stale).is_some(), self.sparse.remove(stale).is_some()];
            same("stale values left", left, is_in.map(|is_in| !is_in))?;
        }
        served(&outcomes.map(|outcome| outcome.map(drop)))
    }

    fn get_many(
        &mut self,
        id: Id<u32, R, INDEX, GENERATION>,
        other: Id<u32, R, INDEX, GENERATION>,
        number: u32,
    ) -> Result<(), String> {
        let expected = match (self.get(id), self.get(other)) {
            (Some(first), Some(second)) if id != other => Some([first, second]),
            _ => None,
        };
        let change = |values: Option<[&mut u32; 2]>| {
            values.map(|values| values.map(|value| core::mem::replace(value, number)))
        };
        let dense = change(self.dense.get_many_mut([id, other]));
        let sparse = change(self.sparse.get_many_mut([id, other]));
        same("two at once", [dense, sparse], [expected; 2])?;
        if expected.is_some() {
            for id in [id, other] {
                self.model.insert(id.index().into(), (id, number));
            }
        }
        Ok(())
    }
}

/// Changes the value of an id, or inserts one, by its entry; returns the value before and the one
/// after.
fn by_entry<I: TableId, P: Placement>(
    map: &mut Secondary<'_, I, u32, dyn Allocator + '_, P>,
    id: I,
    number: u32,
) -> Result<(Option<u32>, u32), InsertError> {
    let entry = map.entry(id)?;
    let before = match &entry {
        Entry::Occupied(entry) => Some(*entry.get()),
        Entry::Vacant(_) => None,
    };
    let changed = entry.and_modify(|value| *value ^= number).or_insert(number);
    Ok((before, *changed))
}

/// Returns `true` if memory was had for all.
fn served(outcomes: &[Result<(), InsertError>]) -> Result<bool, String> {
    for outcome in outcomes {
        match outcome {
            Ok(()) => {}
            Err(InsertError::Memory { .. }) => return Ok(false),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(true)
}
