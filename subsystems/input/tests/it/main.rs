//! Input from outside: what players expect, a naive model, files that are compiled, spoiled and
//! refused, recordings, memory that is counted.

mod chords;
mod compiling;
mod contexts;
mod damage;
mod keys;
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod model;
mod mouse;
mod pads;
mod player;
mod recordings;
mod steady;
#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;
