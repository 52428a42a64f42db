//! Allocators for blocks of any size, and the size classes inside them.

pub(crate) mod heap;
pub(crate) mod size_class_heap;
pub(crate) mod size_classes;
pub(crate) mod slab;
pub(crate) mod static_heap;
#[cfg(all(feature = "std", any(unix, windows)))]
pub(crate) mod system;
#[cfg(all(feature = "std", not(all(test, loom))))]
pub(crate) mod thread_heap;
