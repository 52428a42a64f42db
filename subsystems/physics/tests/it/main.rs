//! Physics from outside: known solutions with planted faults, events, casts, characters, snapshots that
//! go on byte for byte, and random scenes against a model; and its data: sources compiled and refused with
//! their place, blobs read, damage refused, fields in batches as one by one.

mod answered;
mod blown;
mod bodies;
mod casts;
mod collision;
mod components;
mod damage;
mod dolls;
mod driven;
mod events;
mod fields;
mod forms;
mod games;
mod guard;
mod impacts;
mod joined;
mod joints;
mod known;
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod model;
mod motion;
mod placed;
mod play;
mod project;
mod random;
mod refused;
mod reloaded;
mod reshaped;
mod scene;
mod settings;
mod snapshot;
mod subsystem;
mod vehicles;
mod walking;
