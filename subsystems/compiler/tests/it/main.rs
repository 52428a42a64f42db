//! Tests of the compiler from outside.

mod builds;
mod builtin;
mod equality;
mod killed;
mod place;
mod properties;
mod scripted;
mod sources;
