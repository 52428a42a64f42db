//! Tests of the compiler from outside.

mod builds;
mod builtin;
mod bundling;
mod equality;
mod hostile;
mod killed;
mod looks;
mod place;
mod program_sources;
mod properties;
mod scripted;
mod sources;
#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;
