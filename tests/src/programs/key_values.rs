//! Programs on a store of keys and values, compared with a map.

use std::collections::BTreeMap;

use loligo_allocators::Allocator;
use loligo_containers::{GrowError, KeyValues, KeyValuesRef, Value};
use loligo_ids::IdString32;

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a store of keys and values. Keys are `which`, of which few are used; values
    /// are made of `count` and `at`.
    KeyValuesOp of 32 by run_key_values {
        /// Sets a truth value.
        0..=3 => SetBool { count: u8, which: u16 },
        /// Sets a number.
        4..=8 => SetNumber { which: u16, at: u16 },
        /// Sets a text of several bytes.
        9..=14 => SetText { count: u8, which: u16 },
        /// Sets an array of several numbers.
        15..=18 => SetArray { count: u8, which: u16 },
        /// Sets a text that 16 bits may not place.
        19..=19 => SetLong { which: u16, at: u16 },
        /// Removes a key.
        20..=24 => Remove { which: u16 },
        /// Merges a store of the given number of keys, from one on, into this one.
        25..=26 => Merge { count: u8, which: u16 },
        /// Makes room.
        27..=27 => Reserve { count: u8, at: u16 },
        /// Gives back what is free.
        28..=28 => Shrink,
        /// Continues with the store opened from its own bytes.
        29..=29 => Open,
        /// Continues with a copy.
        30..=30 => Clone,
        /// Removes all.
        31..=31 => Clear,
    }
}

/// Runs a program on a store and on a map, and returns how many operations were refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the store finds itself damaged.
pub fn run_key_values(program: &[KeyValuesOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// How many keys there are at most, without merged ones: enough for a search in halves.
const KEYS: u16 = 90;

/// A value of the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kept {
    Bool(bool),
    Number(f32),
    Text(String),
    Array(Vec<f32>),
}

impl Kept {
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(value) => Value::F32(*value),
            Self::Text(text) => Value::Str(text),
            Self::Array(numbers) => Value::Array(numbers),
        }
    }

    pub(super) fn of(value: Value<'_>) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(value),
            Value::F32(value) => Self::Number(value),
            Value::Str(text) => Self::Text(text.to_owned()),
            Value::Array(numbers) => Self::Array(numbers.to_vec()),
        }
    }
}

pub(super) struct Both<'a> {
    store: KeyValues<'a>,
    model: BTreeMap<IdString32, Kept>,
}

/// Spreads the keys, as hashes are.
pub(super) fn key(which: u16) -> IdString32 {
    IdString32::from_hash(u32::from(which % KEYS).wrapping_mul(0x9e37_79b1))
}

impl Beside for Both<'_> {
    type Op = KeyValuesOp;

    fn lose(&mut self) {
        if let Some(key) = self.model.keys().next() {
            self.store.remove(*key);
        }
    }

    fn step(&mut self, op: KeyValuesOp) -> Result<bool, String> {
        use KeyValuesOp as Op;
        let outcome = match op {
            Op::SetBool { count, which } => self.set(which, Kept::Bool(count % 2 == 1)),
            Op::SetNumber { which, at } => self.set(which, Kept::Number(f32::from(at) - 9.5)),
            Op::SetText { count, which } => self.set(which, Kept::Text("x".repeat(count.into()))),
            Op::SetArray { count, which } => {
                let numbers = (0..count).map(|number| f32::from(number) + 0.5);
                self.set(which, Kept::Array(numbers.collect()))
            }
            Op::SetLong { which, at } => {
                self.set(which, Kept::Text("y".repeat(4 * usize::from(at))))
            }
            Op::Remove { which } => {
                let removed = self.store.remove(key(which));
                same("removed", removed, self.model.remove(&key(which)).is_some())?;
                Ok(())
            }
            Op::Merge { count, which } => self.merge(count, which),
            Op::Reserve { count, at } => self.store.try_reserve(count.into(), at.into()),
            Op::Shrink => self.store.try_shrink(),
            Op::Open => self.open()?,
            Op::Clone => self.store.try_clone().map(|copy| self.store = copy),
            Op::Clear => {
                self.store.clear();
                self.model.clear();
                Ok(())
            }
        };
        same("length", self.store.len(), self.model.len())?;
        Ok(outcome.is_ok())
    }

    fn compare(&self) -> Result<(), String> {
        self.store.validate().map_err(|damage| damage.to_string())?;
        let all: Vec<_> = self.store.iter().map(|(key, value)| (key, Kept::of(value))).collect();
        let expected: Vec<_> = self.model.iter().map(|(key, kept)| (*key, kept.clone())).collect();
        same("keys and values", all, expected)?;
        for which in 0..KEYS {
            let found = self.store.get(key(which)).map(Kept::of);
            same("value", found.as_ref(), self.model.get(&key(which)))?;
        }
        Ok(())
    }
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { store: KeyValues::new_in(memory), model: BTreeMap::new() }
    }
}

impl Both<'_> {
    fn set(&mut self, which: u16, kept: Kept) -> Result<(), GrowError> {
        self.store.try_set(key(which), kept.value())?;
        self.model.insert(key(which), kept);
        Ok(())
    }

    fn merge(&mut self, count: u8, which: u16) -> Result<(), GrowError> {
        let mut other: KeyValues = KeyValues::new_in(self.store.memory());
        let mut expected = BTreeMap::new();
        for (which, number) in (which % KEYS..).zip(0..count % 24) {
            let kept = match number % 3 {
                0 => Kept::Number(number.into()),
                1 => Kept::Text("merged".repeat(number.into())),
                _ => Kept::Array(vec![1.5; number.into()]),
            };
            other.try_set(key(which), kept.value())?;
            expected.insert(key(which), kept);
        }
        self.store.try_merge(other.view())?;
        self.model.extend(expected);
        Ok(())
    }

    fn open(&mut self) -> Result<Result<(), GrowError>, String> {
        let opened =
            KeyValuesRef::open(self.store.as_bytes()).map_err(|error| error.to_string())?;
        let copy = KeyValues::try_from_ref_in(opened, self.store.memory());
        Ok(copy.map(|copy| self.store = copy))
    }
}
