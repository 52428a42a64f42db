//! The fault that a run plants, so that the tests can be seen to notice one.

use std::sync::OnceLock;

/// Returns `true` if the adapters are to be faulty.
pub(crate) fn is_planted() -> bool {
    static PLANTED: OnceLock<bool> = OnceLock::new();
    *PLANTED.get_or_init(|| std::env::var_os("LOLIGO_FOREIGN_FAULT").is_some())
}
