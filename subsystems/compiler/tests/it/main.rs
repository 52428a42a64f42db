//! Tests of the compiler from outside.

mod builds;
mod builtin;
mod bundling;
mod cache;
mod edits;
mod equality;
mod hostile;
mod killed;
mod looks;
mod place;
mod program_sources;
mod properties;
#[cfg(feature = "__s3-server")]
mod s3;
#[cfg(feature = "__s3-server")]
mod s3_server;
mod scripted;
mod sources;
#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;
