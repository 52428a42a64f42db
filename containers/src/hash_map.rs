//! Hash maps and sets on our allocators.
