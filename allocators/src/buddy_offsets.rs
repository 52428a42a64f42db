//! buddy_offsets.
