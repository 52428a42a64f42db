//! Ids instead of references, and string hashes.
#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(any(feature = "std", test))]
extern crate std;
