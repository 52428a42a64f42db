//! Physics from outside: known solutions with planted faults, events, casts, characters, snapshots that
//! go on byte for byte, and random scenes against a model.

mod bodies;
mod casts;
mod events;
mod forms;
mod guard;
mod joints;
mod known;
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod model;
mod motion;
mod refused;
mod scene;
mod snapshot;
mod vehicles;
mod walking;
