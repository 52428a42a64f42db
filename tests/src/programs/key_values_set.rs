//! Programs on a set of stores of keys and values, compared with maps.

use std::collections::{BTreeMap, VecDeque};

use loligo_allocators::Allocator;
use loligo_containers::{GrowError, KeyValues, KeyValuesSet, KeyValuesSetError, StoreId};
use loligo_ids::IdString32;

use super::key_values::{Kept, key};
use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a set of stores. Keys are `at`, of which few are used; `which` is taken
    /// modulo the number of stores that there are and of some that there were.
    KeyValuesSetOp of 32 by run_key_values_set {
        /// Puts in a store of the given number of keys, from one on.
        0..=4 => Insert { count: u8, at: u16 },
        /// Puts in a copy of a store.
        5..=7 => Duplicate { which: u16 },
        /// Removes a store.
        8..=12 => Remove { which: u16 },
        /// Sets a truth value.
        13..=14 => SetBool { count: u8, which: u16, at: u16 },
        /// Sets a number.
        15..=18 => SetNumber { count: u8, which: u16, at: u16 },
        /// Sets a text of several bytes.
        19..=21 => SetText { count: u8, which: u16, at: u16 },
        /// Sets an array of several numbers.
        22..=23 => SetArray { count: u8, which: u16, at: u16 },
        /// Puts a store of the given number of keys in place of one.
        24..=25 => Replace { count: u8, which: u16, at: u16 },
        /// Removes a key.
        26..=29 => RemoveKey { which: u16, at: u16 },
        /// Gives back what is free.
        30..=31 => Shrink,
    }
}

/// Runs a program on a set of stores and on maps, and returns how many operations were refused
/// memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the set finds itself damaged.
pub fn run_key_values_set(
    program: &[KeyValuesSetOp],
    memory: &dyn Allocator,
) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// How many ids are remembered of stores that are gone: fewer than an id has generations.
const GONE: usize = 50;

/// How many keys there are.
const KEYS: u16 = 12;

type Store = BTreeMap<IdString32, Kept>;

pub(super) struct Both<'a> {
    set: KeyValuesSet<'a>,
    live: Vec<(StoreId, Store)>,
    gone: VecDeque<StoreId>,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { set: KeyValuesSet::new_in(memory), live: Vec::new(), gone: VecDeque::new() }
    }
}

impl Beside for Both<'_> {
    type Op = KeyValuesSetOp;

    fn lose(&mut self) {
        if let Some((id, store)) = self.live.iter().find(|(_, store)| !store.is_empty()) {
            let first = store.keys().next().copied().unwrap_or_else(|| key(0));
            self.set.remove_key(*id, first);
        }
    }

    fn step(&mut self, op: KeyValuesSetOp) -> Result<bool, String> {
        use KeyValuesSetOp as Op;
        let served = match op {
            Op::Insert { count, at } => self.insert(count, at).is_ok(),
            Op::Shrink => self.set.try_shrink().is_ok(),
            Op::Duplicate { which }
            | Op::Remove { which }
            | Op::SetBool { which, .. }
            | Op::SetNumber { which, .. }
            | Op::SetText { which, .. }
            | Op::SetArray { which, .. }
            | Op::Replace { which, .. }
            | Op::RemoveKey { which, .. } => self.change(op, which)?,
        };
        same("length", self.set.len(), self.live.len()).map(|()| served)
    }

    fn compare(&self) -> Result<(), String> {
        self.set.validate().map_err(|damage| damage.to_string())?;
        for (id, store) in &self.live {
            let found = self.set.get(*id).ok_or("a store is lost")?;
            let found: Store = found.iter().map(|(key, value)| (key, Kept::of(value))).collect();
            same("store", &found, store)?;
        }
        for id in &self.gone {
            same("gone", self.set.contains(*id), false)?;
        }
        same("visited", self.set.iter().count(), self.live.len())
    }
}

impl<'a> Both<'a> {
    /// Makes a store of the given number of keys, and its model.
    fn make(&self, count: u8, at: u16) -> Result<(KeyValues<'a>, Store), GrowError> {
        let mut store: KeyValues<'a> = KeyValues::new_in(self.set.memory());
        let mut model = Store::new();
        for number in 0..u16::from(count % 10) {
            let kept = match number % 4 {
                0 => Kept::Number(f32::from(at)),
                1 => Kept::Bool(at.is_multiple_of(2)),
                2 => Kept::Text("inserted".repeat(usize::from(at % 5))),
                _ => Kept::Array(vec![0.25; usize::from(at % 9)]),
            };
            let key = key(at.wrapping_add(number) % KEYS);
            store.try_set(key, kept.value())?;
            model.insert(key, kept);
        }
        Ok((store, model))
    }

    fn insert(&mut self, count: u8, at: u16) -> Result<(), GrowError> {
        // A store of bools and numbers alone is laid out otherwise than one with texts.
        let count = if at.is_multiple_of(3) { count % 3 } else { count };
        let (store, model) = self.make(count, at)?;
        let id = self.set.try_insert(store.view())?;
        self.live.push((id, model));
        Ok(())
    }

    fn change(&mut self, op: KeyValuesSetOp, which: u16) -> Result<bool, String> {
        use KeyValuesSetOp as Op;
        let at = usize::from(which) % (self.live.len() + self.gone.len()).max(1);
        let is_there = at < self.live.len();
        let Some(id) = self.id(at) else { return Ok(true) };
        let outcome = match op {
            Op::Duplicate { .. } => {
                let copied = self.set.try_duplicate(id);
                if let Ok(copy) = copied {
                    let store = self.live[at].1.clone();
                    self.live.push((copy, store));
                }
                copied.map(drop)
            }
            Op::Remove { .. } => {
                same("removed", self.set.remove(id), is_there)?;
                if is_there {
                    self.live.swap_remove(at);
                    self.gone.push_back(id);
                    self.gone.truncate(GONE);
                }
                return Ok(true);
            }
            Op::RemoveKey { at: name, .. } => {
                let name = key(name % KEYS);
                let store = self.live.get_mut(at).map(|(_, store)| store);
                let expected = store.is_some_and(|store| store.remove(&name).is_some());
                return same("removed", self.set.remove_key(id, name), expected).map(|()| true);
            }
            Op::Replace { count, at: name, .. } => {
                let Ok((store, model)) = self.make(count, name) else { return Ok(false) };
                let outcome = self.set.try_replace(id, store.view());
                if let (Ok(()), Some((_, old))) = (outcome, self.live.get_mut(at)) {
                    *old = model;
                }
                outcome
            }
            Op::SetBool { count, at: name, .. } => {
                self.set(at, id, name, Kept::Bool(count.is_multiple_of(2)))
            }
            Op::SetText { count, at: name, .. } => {
                self.set(at, id, name, Kept::Text("t".repeat(count.into())))
            }
            Op::SetArray { count, at: name, .. } => {
                let numbers = (0..count % 64).map(f32::from).collect();
                self.set(at, id, name, Kept::Array(numbers))
            }
            Op::SetNumber { count, at: name, .. } => {
                self.set(at, id, name, Kept::Number(f32::from(count)))
            }
            Op::Insert { .. } | Op::Shrink => Ok(()),
        };
        same("the store is there", outcome != Err(KeyValuesSetError::NoStore), is_there)?;
        Ok(!matches!(outcome, Err(KeyValuesSetError::Grow(_))))
    }

    fn id(&self, at: usize) -> Option<StoreId> {
        let live = self.live.get(at).map(|(id, _)| *id);
        live.or_else(|| self.gone.get(at.checked_sub(self.live.len())?).copied())
    }

    fn set(
        &mut self,
        at: usize,
        id: StoreId,
        name: u16,
        kept: Kept,
    ) -> Result<(), KeyValuesSetError> {
        self.set.try_set(id, key(name % KEYS), kept.value())?;
        if let Some((_, store)) = self.live.get_mut(at) {
            store.insert(key(name % KEYS), kept);
        }
        Ok(())
    }
}
