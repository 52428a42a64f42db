//! Whether the panic hook is installed that writes reports.

use core::sync::atomic::{AtomicBool, Ordering};

static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Notes that it is; returns `true` if it was before.
pub(crate) fn set() -> bool {
    INSTALLED.swap(true, Ordering::AcqRel)
}

/// Returns `true` if reports are written.
pub(crate) fn is_installed() -> bool {
    // Acquire pairs with the AcqRel in `set`; the settings themselves are guarded by a lock.
    INSTALLED.load(Ordering::Acquire)
}
