//! `generational-arena` by the table with holes.

mod arena;
mod index;
mod serial;

pub use arena::{Arena, Iter};
pub use index::Index;
