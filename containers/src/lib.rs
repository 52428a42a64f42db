//! Containers in contiguous memory.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(unsafe_code, reason = "elements lie in raw memory; every block has its argument")]

#[cfg(any(feature = "std", test))]
extern crate std;

mod array;
mod array_of_arrays;
mod blob;
mod buffer;
mod callbacks;
mod error;
mod event_stream;
mod handle_heap;
#[cfg(feature = "hashbrown")]
mod hash_map;
mod json;
mod key_values;
mod list_pool;
mod multi_map;
mod open_struct;
mod ring;
mod sorted_map;
mod stream;
#[cfg(test)]
mod test_memory;
pub mod text;

pub use array::Array;
pub use error::GrowError;
pub use json::JsonError;
pub use key_values::{
    DamagedKeyValues, KeyValues, KeyValuesJsonError, KeyValuesRef, KeyValuesSet, KeyValuesSetError,
    KeyValuesWriteError, PathCollision, PathName, PathNames, PathNamesError, PathText, StoreId,
    StoreTag, Value, child_key, path_key,
};
