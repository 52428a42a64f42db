//! JSON read into what takes it, and written again, for the target `json`.

use loligo_allocators::Allocator;
use loligo_containers::{Array, KeyValues, OpenArray, OpenLayout, PathNames};

/// Returns the JSON of an open array that was read from JSON; `None` if it was refused.
///
/// # Panics
///
/// If the array is not whole, or holds a number that is none.
#[must_use]
pub fn array(json: &[u8], layout: OpenLayout, memory: &dyn Allocator) -> Option<String> {
    let array = OpenArray::try_from_json_in(json, layout, memory).ok()?;
    array.validate().expect("what was read is whole");
    let mut written = String::new();
    array.write_json(|_| None, &mut written).expect("all numbers are finite");
    Some(written)
}

/// As [`array()`], of keys and values.
///
/// # Panics
///
/// As [`array()`].
#[must_use]
pub fn key_values(json: &[u8], memory: &dyn Allocator) -> Option<Vec<u8>> {
    let mut names: PathNames = PathNames::new_in(memory);
    let store = KeyValues::try_from_json_with_in(json, &mut names, memory).ok()?;
    store.validate().expect("what was read is whole");
    let mut written: Array<u8> = Array::new_in(memory);
    store.view().try_write_json(&names, &mut written).expect("all numbers are finite");
    Some(written.to_vec())
}
