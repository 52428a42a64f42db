//! The tests of the crate as its users see it.

mod seen;
mod threads;
