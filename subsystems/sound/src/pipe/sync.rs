//! The atomics of core, or the model checker's. The only place of this crate that names them.

#[cfg(not(all(test, loom)))]
pub(crate) use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(all(test, loom))]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The order in which a count of messages is written: after their words.
#[cfg(not(all(test, loom)))]
pub(crate) const fn handed_on() -> Ordering {
    Ordering::Release
}

/// The order in which a count of messages is written, or the wrong one where a model plants that.
#[cfg(all(test, loom))]
pub(crate) fn handed_on() -> Ordering {
    if super::loom::is_planted() { Ordering::Relaxed } else { Ordering::Release }
}
