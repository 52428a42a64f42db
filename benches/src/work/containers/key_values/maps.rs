//! Sheets in maps: from names, and from the hashes of names.

use std::collections::HashMap;

use loligo_containers::path_key;
use rustc_hash::FxBuildHasher;

use super::{Entry, SHEET, Sheets, malloc_bytes};

/// A value as a map of the standard library has it.
#[derive(Clone)]
pub(crate) enum Value {
    Bool(#[expect(dead_code, reason = "only numbers are looked up")] bool),
    Number(f32),
    Text(String),
    Array(Vec<f32>),
}

impl From<Entry> for Value {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Bool(value) => Self::Bool(value),
            Entry::Number(value) => Self::Number(value),
            Entry::Text(value) => Self::Text(value.into()),
            Entry::Array(value) => Self::Array(value.into()),
        }
    }
}

impl Value {
    #[inline(always)]
    fn number(&self) -> Option<f32> {
        match self {
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the bytes of the block that it owns.
    fn bytes(&self) -> usize {
        match self {
            Self::Bool(_) | Self::Number(_) => 0,
            Self::Text(text) => malloc_bytes(text.capacity()),
            Self::Array(numbers) => malloc_bytes(4 * numbers.capacity()),
        }
    }
}

/// Maps from paths as text.
pub(crate) struct ByName(Box<[HashMap<String, Value>]>);

impl Sheets for ByName {
    type Key = &'static str;
    type Sheet = HashMap<String, Value>;

    const NAME: &'static str = "HashMap<String, Value>";

    fn new(count: u32) -> Self {
        let sheet = || SHEET.map(|(path, entry)| (path.join("."), entry.into())).into();
        Self((0..count).map(|_| sheet()).collect())
    }

    fn key(path: &'static [&'static str]) -> &'static str {
        path.join(".").leak()
    }

    #[inline(always)]
    fn number(&self, sheet: u32, key: &'static str) -> Option<f32> {
        self.0[sheet as usize].get(key)?.number()
    }

    #[inline(always)]
    fn copy(&self, sheet: u32) -> HashMap<String, Value> {
        self.0[sheet as usize].clone()
    }

    fn bytes(&self) -> usize {
        let blocks = |map: &HashMap<String, Value>| {
            let entries: usize =
                map.iter().map(|(key, value)| malloc_bytes(key.capacity()) + value.bytes()).sum();
            entries + malloc_bytes(table_bytes::<(String, Value)>(map.capacity()))
        };
        self.0.iter().map(blocks).sum::<usize>() + size_of_val(&*self.0)
    }
}

/// Maps from hashes, which a quick hasher hashes again.
pub(crate) struct ByHash(Box<[hashbrown::HashMap<u32, Value, FxBuildHasher>]>);

impl Sheets for ByHash {
    type Key = u32;
    type Sheet = hashbrown::HashMap<u32, Value, FxBuildHasher>;

    const NAME: &'static str = "hashbrown (Fx)";

    fn new(count: u32) -> Self {
        let sheet = || {
            SHEET.map(|(path, entry)| (path_key(path).hash(), entry.into())).into_iter().collect()
        };
        Self((0..count).map(|_| sheet()).collect())
    }

    fn key(path: &'static [&'static str]) -> u32 {
        path_key(path).hash()
    }

    #[inline(always)]
    fn number(&self, sheet: u32, key: u32) -> Option<f32> {
        self.0[sheet as usize].get(&key)?.number()
    }

    #[inline(always)]
    fn copy(&self, sheet: u32) -> Self::Sheet {
        self.0[sheet as usize].clone()
    }

    fn bytes(&self) -> usize {
        let blocks = |map: &Self::Sheet| {
            let entries: usize = map.values().map(Value::bytes).sum();
            entries + malloc_bytes(map.allocation_size())
        };
        self.0.iter().map(blocks).sum::<usize>() + size_of_val(&*self.0)
    }
}

/// Returns the bytes of the standard library's table with this capacity, which is hashbrown's and
/// does not say it itself.
fn table_bytes<T>(capacity: usize) -> usize {
    hashbrown::HashTable::<T>::with_capacity(capacity).allocation_size()
}
