//! Allocators that move a cursor: memory is freed in order or all at once.

pub(crate) mod fall_back;
pub(crate) mod frame;
pub(crate) mod scratch;
pub(crate) mod shared_frame;
pub(crate) mod temp;
