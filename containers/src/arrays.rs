//! Elements of one type in one block.

pub(crate) mod array;
pub(crate) mod buffer;
pub(crate) mod ring;
