//! Data of physics from outside: sources compiled and refused with their place, blobs read, damage refused,
//! fields in batches as one by one.

mod collision;
mod components;
mod damage;
mod fields;
mod impacts;
mod model;
mod project;
mod settings;

#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
