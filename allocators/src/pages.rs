//! Memory that comes from the operating system in pages.

#[cfg(any(unix, windows))]
pub(crate) mod guard_page;
#[cfg(any(unix, windows))]
pub(crate) mod page;
