//! Values that are found by a key.

#[cfg(feature = "hashbrown")]
pub(crate) mod hash_map;
pub(crate) mod hasher;
pub(crate) mod multi_map;
pub(crate) mod sorted_map;
