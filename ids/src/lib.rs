//! Ids instead of references, and string hashes.
#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(any(feature = "std", test))]
extern crate std;

mod hash;

pub use hash::{
    DamagedLookup, IdString, IdString32, IdString64, Key, LookupBytes, LookupError,
    PerfectSeedError, ReverseLookup, ReverseLookupBuilder, SMALL_KEYS_MAX, Shown, murmur2_32,
    murmur2_32_inverse, murmur2_64a, murmur2_64a_inverse, perfect_seed, perfect_seed_in,
    preimage_32, preimage_64,
};
