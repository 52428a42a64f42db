//! Entities from outside: spawned and removed as in a model, compiled and refused, with memory that
//! runs out.

mod compiling;
mod golden;
mod instances;
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod model;
mod pieces;
mod project;
mod refusals;
mod resources;
mod saving;
mod spawning;
mod tags_and_data;
#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;
mod trees;
mod world;
