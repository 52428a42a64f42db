//! All integration tests, linked once.

mod compiling;
mod damage;
mod messages;
mod plurals;
mod support;
mod variants;
