//! The few calls into the operating system that pages need, each refusal as an error.
//!
//! | call | Linux | other Unix | Windows |
//! |---|---|---|---|
//! | `map` | `mmap` | `mmap` | `VirtualAlloc`: reserved, or committed too |
//! | `unmap` | `munmap` | `munmap` | `VirtualFree` of a whole mapping; refuses a part |
//! | `protect` | `mprotect` | `mprotect` | commits or decommits |
//! | `discard` | `madvise` | maps fresh pages over the old | zeros and `MEM_RESET`, or decommits |
//! | `grow` | `mremap` | refuses | refuses |
//! | `grow_moving`, `move_onto` | `mremap` | copy | copy |
//! | `advise_huge` | `madvise` | nothing | nothing |

use core::sync::atomic::{AtomicUsize, Ordering};

// The paths are stated because tests load this file under another name.
#[cfg(not(target_os = "linux"))]
#[path = "system/copied.rs"]
mod copied;
#[cfg(target_os = "linux")]
#[path = "system/linux.rs"]
mod linux;
#[cfg(test)]
#[path = "system/tests.rs"]
mod tests;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "system/unix.rs"]
mod unix;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod windows;

#[cfg(not(target_os = "linux"))]
pub(in crate::pages::page) use self::copied::{advise_huge, grow, grow_moving, move_onto};
#[cfg(target_os = "linux")]
use self::linux as native;
#[cfg(target_os = "linux")]
pub(in crate::pages::page) use self::linux::{advise_huge, grow, grow_moving, move_onto};
#[cfg(all(unix, not(target_os = "linux")))]
use self::unix as native;
#[cfg(windows)]
use self::windows as native;
#[cfg(windows)]
pub(in crate::pages::page) use self::windows::map_at;
pub(in crate::pages::page) use native::{discard, map, protect, unmap};

/// The access to a fresh mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pages::page) enum Access {
    /// None: only address space, which the system does not count as memory.
    None,
    /// Reading and writing.
    ReadWrite,
}

/// The page size, cached.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Returns the size of a page in bytes, a power of two.
#[inline]
pub(crate) fn page_size() -> usize {
    // Relaxed: no other value depends on the number, and every thread would store the same one.
    match PAGE.load(Ordering::Relaxed) {
        0 => ask_page_size(),
        bytes => bytes,
    }
}

#[cold]
fn ask_page_size() -> usize {
    let bytes = native::ask_page_size();
    // Relaxed: as in `page_size`.
    PAGE.store(bytes, Ordering::Relaxed);
    bytes
}

/// Rounds up to whole pages; `None` if that is more than the maximum size of an object.
#[inline]
pub(crate) fn whole_pages(bytes: usize) -> Option<usize> {
    let mask = page_size() - 1;
    let rounded = bytes.checked_add(mask)? & !mask;
    (rounded <= isize::MAX.unsigned_abs()).then_some(rounded)
}
