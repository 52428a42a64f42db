//! heap.
