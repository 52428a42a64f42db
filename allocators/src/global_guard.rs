//! A global allocator that refuses armed code.
