//! The containers at work, a module for each.

pub(crate) mod blob;
pub(crate) mod array;
pub(crate) mod ring;
pub(crate) mod sorted;
