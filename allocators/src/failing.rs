//! An allocator that refuses on purpose.
