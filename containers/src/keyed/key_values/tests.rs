//! Stores of keys and values against a sorted map, bytes that are wrong in every way, and memory
//! that runs out.

pub(super) mod asked;
mod bytes;
mod in_place;
mod json;
mod names;
mod refusals;
mod room;
mod set;
mod store;
mod values;
mod views;

use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;

use loligo_ids::IdString32;

use super::open::MARK;
use super::*;
use crate::testing::test_memory::Random;

/// A value that owns what it has.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Bool(bool),
    F32(f32),
    Str(String),
    Array(Vec<f32>),
}

impl Owned {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::F32(value) => Value::F32(*value),
            Self::Str(value) => Value::Str(value),
            Self::Array(value) => Value::Array(value),
        }
    }

    /// Draws a value with up to `longest` letters or numbers.
    fn drawn(random: &mut Random, longest: usize) -> Self {
        match random.below(6) {
            0 => Self::Bool(random.below(2) == 1),
            1 | 2 => Self::F32(random.below(1000) as f32 * 0.25),
            3 | 4 => {
                let length = random.below(longest + 1);
                Self::Str((0..length).map(|_| ['a', 'ö', '∀', 'z'][random.below(4)]).collect())
            }
            _ => {
                let length = random.below(longest + 1);
                Self::Array((0..length).map(|_| random.below(100) as f32).collect())
            }
        }
    }
}

/// What a store should hold.
type Model = BTreeMap<u32, Owned>;

fn key(number: usize) -> IdString32 {
    IdString32::from_hash((number as u32).wrapping_mul(0x9e37_79b9))
}

/// Reads a store whole, in every way.
#[track_caller]
fn assert_same(store: KeyValuesRef<'_>, model: &Model) {
    assert_eq!(store.len(), model.len(), "keys");
    assert_eq!(store.is_empty(), model.is_empty());
    let types: &[u8] = bytemuck::cast_slice(&store.block[..head_words(store.count)]);
    let behind = &types[9 * store.count..];
    assert!(behind.iter().all(|&byte| byte == 0), "after the last type: {behind:?}");
    for ((key, value), (wanted_key, wanted)) in store.iter().zip(model) {
        let wanted = wanted.value();
        assert_eq!((key.hash(), value), (*wanted_key, wanted));
        assert_eq!(store.get(key), Some(wanted));
        assert_eq!(store.get_bool(key).map(Value::Bool), Some(wanted).filter(is_bool));
        assert_eq!(store.get_f32(key).map(Value::F32), Some(wanted).filter(is_f32));
        assert_eq!(store.get_str(key).map(Value::Str), Some(wanted).filter(is_str));
        assert_eq!(store.get_array(key).map(Value::Array), Some(wanted).filter(is_array));
    }
}

fn is_bool(value: &Value<'_>) -> bool {
    matches!(value, Value::Bool(_))
}

fn is_f32(value: &Value<'_>) -> bool {
    matches!(value, Value::F32(_))
}

fn is_str(value: &Value<'_>) -> bool {
    matches!(value, Value::Str(_))
}

fn is_array(value: &Value<'_>) -> bool {
    matches!(value, Value::Array(_))
}

/// Returns a store with values of all kinds, of texts and arrays several, one of each empty, and
/// garbage.
fn mixed<'a, A: Allocator + ?Sized>(memory: &'a A) -> Result<KeyValues<'a, A>, GrowError> {
    let mut store = KeyValues::new_in(memory);
    store.try_set(key(1), "a first text")?;
    store.try_set(key(2), &[1.0, -2.5, 4.0])?;
    store.try_set(key(3), true)?;
    store.try_set(key(4), 0.5)?;
    store.try_set(key(5), "")?;
    store.try_set(key(6), &[])?;
    store.try_set(key(7), "zwölf Boxkämpfer")?;
    store.try_set(key(1), "a first text that no longer fits")?;
    store.try_set(key(8), false)?;
    Ok(store)
}
