//! A double-ended queue in a ring buffer.
