//! The containers at work, a module for each.

pub(crate) mod key_values;
