//! Helpers for the tests of several modules.

#[cfg(not(loom))]
mod any_backing;
#[cfg(not(loom))]
mod plain_types;
pub(crate) mod test_backing;
#[cfg(target_os = "linux")]
pub(crate) mod test_child;
pub(crate) mod test_random;
pub(crate) mod test_world;
