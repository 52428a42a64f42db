//! Programs on a map with many values a key, compared with a map of vectors.

use std::collections::BTreeMap;

use loligo_allocators::Allocator;
use loligo_containers::MultiMap;

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a map with many values a key. Values are numbered as they come; keys are
    /// `which`, of which few are used.
    MultiMapOp of 32 by run_multi_map {
        /// Adds a value to a key.
        0..=7 => Insert { which: u16 },
        /// Adds several.
        8..=9 => InsertMany { count: u8, which: u16 },
        /// Takes the first value of a key.
        10..=13 => RemoveFirst { which: u16 },
        /// Drops all values of a key.
        14..=16 => RemoveAll { which: u16 },
        /// Takes one of the values of a key.
        17..=20 => RemoveAt { which: u16, at: u16 },
        /// Keeps those of a key that no number divides.
        21..=22 => RetainOf { count: u8, which: u16 },
        /// Keeps those that no number divides.
        23..=24 => Retain { count: u8 },
        /// Changes one of the values of a key.
        25..=27 => Change { which: u16, at: u16 },
        /// Changes all values.
        28..=28 => ChangeAll,
        /// Makes room.
        29..=30 => Reserve { count: u8 },
        /// Drops all.
        31..=31 => Clear,
    }
}

/// Runs a program on the map and on a map of vectors, and returns how many operations were refused
/// memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the map finds itself damaged.
pub fn run_multi_map(program: &[MultiMapOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// How many keys there are: enough to share buckets.
const KEYS: u16 = 40;

pub(super) struct Both<'a> {
    map: MultiMap<'a, u16, u32>,
    model: BTreeMap<u16, Vec<u32>>,
    next: u32,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { map: MultiMap::new_in(memory), model: BTreeMap::new(), next: 0 }
    }
}

impl Beside for Both<'_> {
    type Op = MultiMapOp;

    fn lose(&mut self) {
        if let Some(key) = self.model.keys().next() {
            self.map.remove_first(key);
        }
    }

    fn step(&mut self, op: MultiMapOp) -> Result<bool, String> {
        use MultiMapOp as Op;
        let served = match op {
            Op::Insert { which } => self.insert(which % KEYS),
            Op::InsertMany { count, which } => {
                let all = 0..count % 48;
                all.fold(true, |served, _| self.insert(which % KEYS) && served)
            }
            Op::Reserve { count } => self.map.try_reserve(count.into()).is_ok(),
            Op::Change { which, at } => self.change(which % KEYS, at).map(|()| true)?,
            Op::ChangeAll => {
                self.map.iter_mut().for_each(|(key, value)| *value ^= u32::from(*key));
                for (key, values) in &mut self.model {
                    values.iter_mut().for_each(|value| *value ^= u32::from(*key));
                }
                true
            }
            _ => self.remove(op).map(|()| true)?,
        };
        self.model.retain(|_, values| !values.is_empty());
        let len: usize = self.model.values().map(Vec::len).sum();
        same("length", self.map.len(), len).map(|()| served)
    }

    fn compare(&self) -> Result<(), String> {
        self.map.validate().map_err(|damage| damage.to_string())?;
        for key in 0..KEYS {
            let expected = self.model.get(&key).map_or(&[][..], |values| values);
            same("values", self.map.values_of(&key), expected)?;
            same("count", self.map.count(&key), expected.len())?;
            same("first", self.map.get_first(&key), expected.first())?;
        }
        let mut all: Vec<_> = self.map.iter().map(|(key, value)| (*key, *value)).collect();
        let keyed = |(key, values): (&u16, &Vec<u32>)| {
            let key = *key;
            values.iter().map(move |value| (key, *value)).collect::<Vec<_>>()
        };
        let mut expected: Vec<_> = self.model.iter().flat_map(keyed).collect();
        all.sort_unstable();
        expected.sort_unstable();
        same("entries", all, expected)
    }
}

impl Both<'_> {
    fn insert(&mut self, key: u16) -> bool {
        self.next += 1;
        let inserted = self.map.try_insert(key, self.next).is_ok();
        if inserted {
            self.model.entry(key).or_default().push(self.next);
        }
        inserted
    }

    /// Picks one of the values of a key by walking its chain; returns which, if it has any.
    fn change(&mut self, key: u16, at: u16) -> Result<(), String> {
        let values = self.model.entry(key).or_default();
        let at = usize::from(at) % values.len().max(1);
        let Some(value) = values.get_mut(at) else {
            return same("no place", self.map.find_first(&key), None);
        };
        let mut place = self.map.find_first(&key).ok_or("a key is lost")?;
        for _ in 0..at {
            place = self.map.find_next(place).ok_or("a value is lost")?;
        }
        same("key", *self.map.key(place), key)?;
        same("value", *self.map.value(place), *value)?;
        self.next += 1;
        *self.map.value_mut(place) = self.next;
        *value = self.next;
        Ok(())
    }

    fn remove(&mut self, op: MultiMapOp) -> Result<(), String> {
        use MultiMapOp as Op;
        match op {
            Op::RemoveFirst { which } => {
                let values = self.model.entry(which % KEYS).or_default();
                let expected = (!values.is_empty()).then(|| values.remove(0));
                same("removed", self.map.remove_first(&(which % KEYS)), expected)
            }
            Op::RemoveAll { which } => {
                let expected = self.model.remove(&(which % KEYS)).map_or(0, |values| values.len());
                same("removed", self.map.remove_all(&(which % KEYS)), expected)
            }
            Op::RemoveAt { which, at } => {
                let values = self.model.entry(which % KEYS).or_default();
                let at = usize::from(at) % values.len().max(1);
                if at >= values.len() {
                    return Ok(());
                }
                let mut place = self.map.find_first(&(which % KEYS)).ok_or("a key is lost")?;
                for _ in 0..at {
                    place = self.map.find_next(place).ok_or("a value is lost")?;
                }
                same("key", *self.map.key(place), which % KEYS)?;
                same("removed", self.map.remove_at(place), values.remove(at))
            }
            Op::RetainOf { count, which } => {
                let number = u32::from(count) % 7 + 2;
                let values = self.model.entry(which % KEYS).or_default();
                let before = values.len();
                values.retain(|value| !value.is_multiple_of(number));
                let keep = |value: &mut u32| !value.is_multiple_of(number);
                same("dropped", self.map.retain_of(&(which % KEYS), keep), before - values.len())
            }
            Op::Retain { count } => {
                let number = u32::from(count) % 7 + 2;
                self.map.retain(|_, value| !value.is_multiple_of(number));
                for values in self.model.values_mut() {
                    values.retain(|value| !value.is_multiple_of(number));
                }
                Ok(())
            }
            _ => {
                self.map.clear();
                self.model.clear();
                Ok(())
            }
        }
    }
}
