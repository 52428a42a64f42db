//! Sound from outside: what must be the same to the bit, what may differ by how much, and what never happens.

mod compiled;
mod device;
mod ears;
mod effects;
mod errors;
mod files;
mod long;
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod meters;
mod null;
mod parameters;
mod player;
mod playing;
mod project;
mod random;
mod resampling;
mod space;
mod streams;
mod subsystem;
mod tones;
mod trees;
mod voices;
mod waves;
