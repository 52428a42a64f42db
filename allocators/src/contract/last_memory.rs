//! Memory for a global allocator that has found a misuse and is about to end the program.
//!
//! Its lock is held, so it cannot serve the names of frames that the report looks up. A mapping does,
//! from which nothing is given back.

use core::alloc::Layout;
use core::ptr;

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Address space for the tables of a large program's debug information; only what is touched is
/// memory.
const BYTES: usize = if cfg!(target_pointer_width = "64") { 4 << 30 } else { 256 << 20 };

#[cfg(test)]
mod tests;

static IS_BEGUN: AtomicBool = AtomicBool::new(false);
/// Null until the memory serves.
static START: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static USED: AtomicUsize = AtomicUsize::new(0);

/// Lets the memory serve all that reaches the global allocator from here on; returns `false` if it
/// has begun before, or if the system has no address space.
pub(crate) fn begin() -> bool {
    // Relaxed: only one caller goes on, and publishes by `START`.
    if IS_BEGUN.swap(true, Ordering::Relaxed) {
        return false;
    }
    let (access, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE,
    );
    // SAFETY: a new mapping at a place of the system's choice touches no memory that exists.
    let map = unsafe { libc::mmap(ptr::null_mut(), BYTES, access, flags, -1, 0) };
    if map == libc::MAP_FAILED {
        return false;
    }
    // Release: pairs with the acquire in `start`; the mapping is there before its address.
    START.store(map.cast(), Ordering::Release);
    true
}

/// Returns where the memory is, once it serves.
#[inline(always)]
fn start() -> Option<*mut u8> {
    // Acquire: pairs with the release in `begin`.
    let start = START.load(Ordering::Acquire);
    (!start.is_null()).then_some(start)
}

/// Returns a block of zeros, or null without room; `None` as long as the memory does not serve.
#[inline(always)]
pub(crate) fn allocate(layout: Layout) -> Option<*mut u8> {
    start().map(|start| take(start, layout))
}

/// Returns `true` once blocks that are freed stay.
#[inline(always)]
pub(crate) fn serves() -> bool {
    start().is_some()
}

#[cold]
fn take(start: *mut u8, layout: Layout) -> *mut u8 {
    let Some(bytes) = layout.size().checked_add(layout.align()) else { return ptr::null_mut() };
    // Relaxed: the addition alone gives each caller a place.
    let used = USED.fetch_add(bytes, Ordering::Relaxed);
    if used.checked_add(bytes).is_none_or(|end| end > BYTES) {
        return ptr::null_mut();
    }
    // SAFETY: the place and the bytes after it are in the mapping.
    let place = unsafe { start.add(used) };
    let gap = place.align_offset(layout.align());
    // SAFETY: the gap is less than the alignment, which the bytes have room for.
    unsafe { place.add(gap) }
}
