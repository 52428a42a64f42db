//! Peers' public API by calls of ours, for their own tests to run over.
#![doc = include_str!("../README.md")]
#![expect(missing_docs, reason = "each name is a peer's, whose documentation says what it is")]
#![expect(clippy::missing_panics_doc, reason = "they panic where the peers do")]
#![expect(clippy::missing_errors_doc, reason = "they fail where the peers do")]
#![expect(clippy::new_without_default, reason = "a peer need not have both")]
#![expect(unsafe_code, reason = "peers' unsafe calls are ours; each block has its argument")]

pub mod allocator_api2;
mod arena_table;
pub mod buddy_system_allocator;
pub mod bumpalo;
mod fault;
pub mod generational_arena;
pub mod global;
pub mod hashbrown;
mod memory;
pub mod rlsf;
pub mod slotmap;
pub mod thunderdome;
