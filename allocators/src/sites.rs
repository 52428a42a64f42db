//! Call sites kept by any allocator.
