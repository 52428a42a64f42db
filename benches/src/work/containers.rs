//! The containers at work, a module for each.

pub(crate) mod callbacks;
pub(crate) mod events;
