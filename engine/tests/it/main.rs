//! All integration tests, linked once.

mod base;
