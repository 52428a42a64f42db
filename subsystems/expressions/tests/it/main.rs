//! The expressions from outside: compared with a model, with memory that runs out, and as bytes
//! from anywhere.

mod article;
mod bytes;
mod faults;
mod language;
mod memory;
mod model;
mod properties;
mod refusals;
#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;
