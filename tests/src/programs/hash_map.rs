//! Programs on a hash map and a hash set, compared with maps of the standard library.

use std::collections::{BTreeMap, BTreeSet};

use loligo_allocators::Allocator;
use loligo_containers::{GrowError, HashMap, HashSet};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a hash map and a hash set. Values are numbered as they come; keys are
    /// `which`, of which few are used.
    HashMapOp of 32 by run_hash_map {
        /// Sets the value of a key.
        0..=7 => Insert { which: u16 },
        /// Sets it where the key is new, through the key's place.
        8..=10 => Entry { which: u16 },
        /// Removes a key.
        11..=16 => Remove { which: u16 },
        /// Sets several, from a key on.
        17..=19 => Extend { count: u8, which: u16 },
        /// Sets several without saying how many they are.
        20..=20 => ExtendUnsaid { count: u8, which: u16 },
        /// Changes a value.
        21..=22 => Change { which: u16 },
        /// Keeps those that no number divides.
        23..=24 => Retain { count: u8 },
        /// Takes all out and looks at the first few.
        25..=25 => Drain { count: u8 },
        /// Makes room.
        26..=27 => Reserve { count: u8 },
        /// Gives back what room there is.
        28..=28 => Shrink,
        /// Continues with a copy.
        29..=30 => Clone,
        /// Drops all.
        31..=31 => Clear,
    }
}

/// Runs a program on a hash map and a hash set and on models of both, and returns how many
/// operations were refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as one of them does.
pub fn run_hash_map(program: &[HashMapOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// How many keys there are.
const KEYS: u16 = 200;

pub(super) struct Both<'a> {
    map: HashMap<'a, u16, u32>,
    set: HashSet<'a, u16>,
    model: BTreeMap<u16, u32>,
    set_model: BTreeSet<u16>,
    next: u32,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self {
            map: HashMap::new_in(memory),
            set: HashSet::new_in(memory),
            model: BTreeMap::new(),
            set_model: BTreeSet::new(),
            next: 0,
        }
    }
}

impl Beside for Both<'_> {
    type Op = HashMapOp;

    fn lose(&mut self) {
        if let Some(key) = self.model.keys().next() {
            self.map.remove(key);
        }
    }

    fn step(&mut self, op: HashMapOp) -> Result<bool, String> {
        use HashMapOp as Op;
        self.next += 1;
        let served = match op {
            Op::Insert { .. } | Op::Entry { .. } | Op::Extend { .. } | Op::ExtendUnsaid { .. } => {
                let map = self.put_map(op)?;
                let set = self.put_set(op)?;
                map && set
            }
            Op::Reserve { .. } | Op::Shrink | Op::Clone => self.arrange(op).is_ok(),
            _ => self.take(op).map(|()| true)?,
        };
        same("length", self.map.len(), self.model.len())?;
        same("length of the set", self.set.len(), self.set_model.len())?;
        Ok(served)
    }

    fn compare(&self) -> Result<(), String> {
        for key in 0..KEYS {
            same("value", self.map.get(&key), self.model.get(&key))?;
            same("in the set", self.set.contains(&key), self.set_model.contains(&key))?;
        }
        let entries: BTreeMap<_, _> = self.map.iter().map(|(key, value)| (*key, *value)).collect();
        same("entries", &entries, &self.model)?;
        same("visited", self.map.iter().count(), self.model.len())?;
        let elements: BTreeSet<u16> = self.set.iter().copied().collect();
        same("elements of the set", &elements, &self.set_model)
    }
}

/// The keys of an extension.
fn keys(count: u8, which: u16) -> impl ExactSizeIterator<Item = u16> {
    (0..u16::from(count % 100)).map(move |n| which.wrapping_add(n) % KEYS)
}

impl Both<'_> {
    fn put_map(&mut self, op: HashMapOp) -> Result<bool, String> {
        use HashMapOp as Op;
        let value = self.next;
        let done = match op {
            Op::Insert { which } => {
                let old = self.map.try_insert(which % KEYS, value);
                if let Ok(old) = old {
                    same("old value", old, self.model.insert(which % KEYS, value))?;
                }
                old.map(drop)
            }
            Op::Entry { which } => {
                let found = self.map.try_entry(which % KEYS).map(|entry| *entry.or_insert(value));
                if let Ok(found) = found {
                    let expected = *self.model.entry(which % KEYS).or_insert(value);
                    same("value", found, expected)?;
                }
                found.map(drop)
            }
            Op::Extend { count, which } => {
                let entries = || keys(count, which).map(|key| (key, value));
                self.map.try_extend(entries()).map(|()| self.model.extend(entries()))
            }
            Op::ExtendUnsaid { count, which } => {
                let entries = || keys(count, which).map(|key| (key, value)).filter(|_| true);
                let done = self.map.try_extend(entries());
                // What came before a refusal is in the map, and nothing after it.
                let is_in = |&(key, value): &(u16, u32)| self.map.get(&key) == Some(&value);
                self.model.extend(entries().take_while(|entry| done.is_ok() || is_in(entry)));
                done
            }
            _ => Ok(()),
        };
        Ok(done.is_ok())
    }

    fn put_set(&mut self, op: HashMapOp) -> Result<bool, String> {
        use HashMapOp as Op;
        let done = match op {
            Op::Insert { which } => {
                let is_new = self.set.try_insert(which % KEYS);
                if let Ok(is_new) = is_new {
                    same("new in the set", is_new, self.set_model.insert(which % KEYS))?;
                }
                is_new.map(drop)
            }
            Op::Entry { which } => {
                let old = self.set.try_replace(which % KEYS);
                if let Ok(old) = old {
                    same("replaced in the set", old, self.set_model.replace(which % KEYS))?;
                }
                old.map(drop)
            }
            Op::Extend { count, which } => self
                .set
                .try_extend(keys(count, which))
                .map(|()| self.set_model.extend(keys(count, which))),
            _ => Ok(()),
        };
        Ok(done.is_ok())
    }

    fn take(&mut self, op: HashMapOp) -> Result<(), String> {
        use HashMapOp as Op;
        match op {
            Op::Remove { which } => {
                let key = which % KEYS;
                same("removed", self.map.remove(&key), self.model.remove(&key))?;
                same("removed of the set", self.set.remove(&key), self.set_model.remove(&key))
            }
            Op::Change { which } => {
                let key = which % KEYS;
                let (ours, models) = (self.map.get_mut(&key), self.model.get_mut(&key));
                same("value", ours.as_deref(), models.as_deref())?;
                if let (Some(ours), Some(models)) = (ours, models) {
                    (*ours, *models) = (self.next, self.next);
                }
                Ok(())
            }
            Op::Retain { count } => {
                let number = u32::from(count) % 7 + 2;
                self.map.retain(|_, value| !value.is_multiple_of(number));
                self.model.retain(|_, value| !value.is_multiple_of(number));
                self.set.retain(|key| !u32::from(*key).is_multiple_of(number));
                self.set_model.retain(|key| !u32::from(*key).is_multiple_of(number));
                Ok(())
            }
            Op::Drain { count } => {
                for (key, value) in self.map.drain().take(count.into()) {
                    same("drained", self.model.remove(&key), Some(value))?;
                }
                self.model.clear();
                Ok(())
            }
            _ => {
                self.map.clear();
                self.model.clear();
                self.set.clear();
                self.set_model.clear();
                Ok(())
            }
        }
    }

    fn arrange(&mut self, op: HashMapOp) -> Result<(), GrowError> {
        match op {
            HashMapOp::Reserve { count } => {
                self.set.try_reserve(count.into())?;
                self.map.try_reserve(count.into())
            }
            HashMapOp::Shrink => {
                self.set.try_shrink_to_fit()?;
                self.map.try_shrink_to_fit()
            }
            _ => {
                self.set = self.set.try_clone()?;
                self.map = self.map.try_clone()?;
                Ok(())
            }
        }
    }
}
