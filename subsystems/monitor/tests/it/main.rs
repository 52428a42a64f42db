//! The tests of the crate as its users see it.

mod exports;
mod graphs;
mod hostile;
mod model;
mod packets;
mod seen;
mod threads;
mod timeline;
