//! Programs on a sorted map and a sorted set, compared with maps of the standard library.

use core::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use loligo_allocators::Allocator;
use loligo_containers::{GrowError, SortedError, SortedMap, SortedSet};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a sorted map, and on a sorted set. Values are numbered as they come; keys
    /// are `which`, of which few are used.
    SortedMapOp of 32 by run_sorted_map {
        /// Puts an entry where it belongs.
        0..=4 => Insert { which: u16 },
        /// Adds an entry that is sorted in later.
        5..=10 => Push { which: u16 },
        /// Adds several entries that are sorted in later, with keys a given distance apart.
        11..=13 => Extend { count: u8, which: u16, at: u16 },
        /// Removes a key.
        14..=18 => Remove { which: u16 },
        /// Takes the greatest key.
        19..=20 => PopLast,
        /// Puts an entry in if its key is new.
        21..=22 => GetOrInsert { which: u16 },
        /// Changes a value.
        23..=23 => Change { which: u16 },
        /// Sorts in what waits.
        24..=24 => Sort,
        /// Looks at the keys between two.
        25..=26 => Range { which: u16, at: u16 },
        /// Keeps those that no number divides.
        27..=27 => Retain { count: u8 },
        /// Continues with a map that is made from the entries.
        28..=28 => FromSorted,
        /// Makes room.
        29..=29 => Reserve { count: u8 },
        /// Gives back what room there is.
        30..=30 => Shrink,
        /// Drops all.
        31..=31 => Clear,
    }
}

/// Runs a program on a sorted map and a sorted set and on models of both, and returns how many
/// operations were refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as one of them does.
pub fn run_sorted_map(program: &[SortedMapOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// How many keys there are: enough for pushed ones to be between and on those that are there.
const KEYS: u16 = 150;

pub(super) struct Both<'a> {
    /// To be sorted before they are read.
    map: RefCell<SortedMap<'a, u16, u32>>,
    set: RefCell<SortedSet<'a, u16>>,
    model: BTreeMap<u16, u32>,
    set_model: BTreeSet<u16>,
    memory: &'a dyn Allocator,
    next: u32,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self {
            map: RefCell::new(SortedMap::new_in(memory)),
            set: RefCell::new(SortedSet::new_in(memory)),
            model: BTreeMap::new(),
            set_model: BTreeSet::new(),
            memory,
            next: 0,
        }
    }
}

impl Beside for Both<'_> {
    type Op = SortedMapOp;

    fn lose(&mut self) {
        self.map.get_mut().pop_last();
    }

    fn step(&mut self, op: SortedMapOp) -> Result<bool, String> {
        use SortedMapOp as Op;
        self.next += 1;
        match op {
            Op::Insert { .. }
            | Op::Push { .. }
            | Op::Extend { .. }
            | Op::GetOrInsert { .. }
            | Op::Change { .. } => {
                let map = self.put_map(op)?;
                let set = self.put_set(op)?;
                Ok(map && set)
            }
            Op::Remove { .. } | Op::PopLast | Op::Range { .. } => self.look(op).map(|()| true),
            _ => Ok(self.arrange(op).is_ok()),
        }
    }

    fn compare(&self) -> Result<(), String> {
        let (mut map, mut set) = (self.map.borrow_mut(), self.set.borrow_mut());
        map.validate().map_err(|error| error.to_string())?;
        map.sort();
        set.sort();
        map.validate().map_err(|error| error.to_string())?;
        let entries: Vec<_> = map.iter().map(|(key, value)| (*key, *value)).collect();
        let expected: Vec<_> = self.model.iter().map(|(key, value)| (*key, *value)).collect();
        same("entries", entries, expected)?;
        same("keys of the set", set.iter().collect::<Vec<_>>(), self.set_model.iter().collect())?;
        for key in 0..KEYS {
            same("value", map.get(&key), self.model.get(&key))?;
            same("in the set", set.contains(&key), self.set_model.contains(&key))?;
        }
        same("first", map.first(), self.model.first_key_value())?;
        same("nothing waits", map.pending() + set.pending(), 0)
    }
}

/// The keys that an extension adds: not in order, and some of them twice.
fn keys(count: u8, which: u16, at: u16) -> impl Iterator<Item = u16> {
    (0..u16::from(count % 40)).map(move |n| which.wrapping_add(n.wrapping_mul(at)) % KEYS)
}

impl Both<'_> {
    fn put_map(&mut self, op: SortedMapOp) -> Result<bool, String> {
        use SortedMapOp as Op;
        let (map, value) = (self.map.get_mut(), self.next);
        let done = match op {
            Op::Insert { which } => {
                let key = which % KEYS;
                let old = map.try_insert(key, value);
                if let Ok(old) = old {
                    same("old value", old, self.model.insert(key, value))?;
                }
                old.map(drop)
            }
            Op::Push { which } => map.try_push(which % KEYS, value).map(|()| {
                self.model.insert(which % KEYS, value);
            }),
            Op::Extend { count, which, at } => {
                let entries = || keys(count, which, at).zip(value..);
                // Half of them say how many they are.
                let done = match count % 2 {
                    0 => map.try_extend(entries()),
                    _ => map.try_extend(entries().filter(|_| true)),
                };
                done.map(|()| self.model.extend(entries()))
            }
            Op::GetOrInsert { which } => {
                let found = map.try_get_or_insert_with(which % KEYS, || value).copied();
                if let Ok(found) = found {
                    let expected = *self.model.entry(which % KEYS).or_insert(value);
                    same("value", found, expected)?;
                }
                found.map(drop)
            }
            Op::Change { which } => {
                let (ours, models) =
                    (map.get_mut(&(which % KEYS)), self.model.get_mut(&(which % KEYS)));
                same("value", ours.as_deref(), models.as_deref())?;
                if let (Some(ours), Some(models)) = (ours, models) {
                    (*ours, *models) = (value, value);
                }
                Ok(())
            }
            _ => Ok(()),
        };
        Ok(done.is_ok())
    }

    fn put_set(&mut self, op: SortedMapOp) -> Result<bool, String> {
        use SortedMapOp as Op;
        let set = self.set.get_mut();
        let done = match op {
            Op::Insert { which } | Op::GetOrInsert { which } => {
                let is_new = set.try_insert(which % KEYS);
                if let Ok(is_new) = is_new {
                    same("new in the set", is_new, self.set_model.insert(which % KEYS))?;
                }
                is_new.map(drop)
            }
            Op::Push { which } => set.try_push(which % KEYS).map(|()| {
                self.set_model.insert(which % KEYS);
            }),
            Op::Extend { count, which, at } => set
                .try_extend(keys(count, which, at))
                .map(|()| self.set_model.extend(keys(count, which, at))),
            _ => Ok(()),
        };
        Ok(done.is_ok())
    }

    fn look(&mut self, op: SortedMapOp) -> Result<(), String> {
        let (map, set) = (self.map.get_mut(), self.set.get_mut());
        match op {
            SortedMapOp::Remove { which } => {
                let key = which % KEYS;
                same("removed", map.remove(&key), self.model.remove(&key))?;
                let expected = self.set_model.take(&key);
                same("removed of the set", set.remove(&key), expected)
            }
            SortedMapOp::Range { which, at } => {
                let (a, b) = (which % KEYS, at % KEYS);
                let range = a.min(b)..a.max(b);
                map.sort();
                set.sort();
                let found: Vec<_> = map.range(range.clone()).collect();
                same("range", found, self.model.range(range.clone()).collect())?;
                let found: Vec<_> = set.range(range.clone()).iter().collect();
                same("range of the set", found, self.set_model.range(range).collect())
            }
            _ => {
                same("taken", map.pop_last(), self.model.pop_last())?;
                same("taken of the set", set.pop_last(), self.set_model.pop_last())
            }
        }
    }

    fn arrange(&mut self, op: SortedMapOp) -> Result<(), GrowError> {
        let (map, set) = (self.map.get_mut(), self.set.get_mut());
        match op {
            SortedMapOp::Retain { count } => {
                let number = u32::from(count) % 7 + 2;
                map.retain(|_, value| !value.is_multiple_of(number));
                self.model.retain(|_, value| !value.is_multiple_of(number));
                set.retain(|key| !u32::from(*key).is_multiple_of(number));
                self.set_model.retain(|key| !u32::from(*key).is_multiple_of(number));
            }
            SortedMapOp::FromSorted => {
                map.sort();
                set.sort();
                let copy = SortedMap::try_from_sorted_in(map.keys(), map.values(), self.memory);
                *map = copy.or_else(refusal)?;
                let copy = SortedSet::try_from_sorted_in(set.as_slice(), self.memory);
                *set = copy.or_else(refusal)?;
            }
            SortedMapOp::Reserve { count } => map.try_reserve(count.into())?,
            SortedMapOp::Shrink => {
                map.shrink_to_fit();
                set.shrink_to_fit();
            }
            SortedMapOp::Clear => {
                map.clear();
                set.clear();
                self.model.clear();
                self.set_model.clear();
            }
            _ => {
                map.sort();
                set.sort();
            }
        }
        Ok(())
    }
}

/// Sorted entries are refused for lack of memory alone.
fn refusal<T>(error: SortedError) -> Result<T, GrowError> {
    match error {
        SortedError::Grow(error) => Err(error),
        other => panic!("entries of a sorted map are sorted: {other}"),
    }
}
