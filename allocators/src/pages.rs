//! Memory that comes from the operating system in pages.

#[cfg(target_os = "linux")]
pub(crate) mod guard_page;
#[cfg(target_os = "linux")]
pub(crate) mod page;
