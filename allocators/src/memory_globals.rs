//! The allocators that a program starts with.
