//! Platforms on the command line.

use loligo_compiler::{PLATFORMS, Platform};

/// Reads the name of a platform.
pub(crate) fn platform(name: &str) -> Result<Platform, String> {
    let known = || PLATFORMS.map(|platform| platform.name).join(", ");
    Platform::find(name).ok_or_else(|| format!("not known; one of {}", known()))
}
