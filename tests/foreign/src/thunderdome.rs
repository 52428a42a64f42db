//! `thunderdome` by the table with holes.

mod arena;
mod index;

pub use arena::Arena;
pub use index::{Generation, Index};
