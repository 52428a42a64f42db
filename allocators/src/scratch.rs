//! A ring buffer for short-lived memory.
