//! One function that reads and writes.
