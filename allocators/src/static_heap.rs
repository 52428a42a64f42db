//! static_heap.
