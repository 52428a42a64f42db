//! A global allocator that works before `main`.
