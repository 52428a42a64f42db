//! Entities from outside: spawned and removed as in a model, compiled and refused, with memory that
//! runs out.

mod compiling;
mod golden;
mod instances;
mod memory;
mod model;
mod project;
mod refusals;
mod resources;
mod spawning;
mod tags_and_data;
mod trees;
mod world;
