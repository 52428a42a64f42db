//! The fault that a run plants, so that the tests can be seen to notice one.

use core::alloc::Layout;
use std::sync::OnceLock;

/// Whether the adapters are to be faulty.
static PLANTED: OnceLock<bool> = OnceLock::new();

/// Returns `true` if the adapters are to be faulty.
pub(crate) fn is_planted() -> bool {
    *PLANTED.get_or_init(|| std::env::var_os("LOLIGO_FOREIGN_FAULT").is_some())
}

/// Returns `true` if a global allocator is to be faulty for a block: for those aligned to 32 bytes
/// alone, since asking for a variable allocates.
pub(crate) fn is_due(layout: Layout) -> bool {
    layout.align() == 32 && is_planted()
}
