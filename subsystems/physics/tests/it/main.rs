//! Physics from outside.
