//! Entities from outside: spawned and removed beside a model, compiled and refused, with memory that runs out.

mod compiling;
mod golden;
mod memory;
mod model;
mod refusals;
mod resources;
mod spawning;
mod tags_and_data;
mod trees;
mod world;
