//! What the tests of several modules use.

mod any_memory;
mod crossing;
pub(crate) mod panicking_drops;
pub(crate) mod test_memory;
