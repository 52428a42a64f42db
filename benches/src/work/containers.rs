//! The containers at work, a module for each.
