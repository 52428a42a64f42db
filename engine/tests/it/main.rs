//! All integration tests, linked once.

mod base;
mod frames;
mod memory;
mod support;
mod tools;
