//! The functions that take the place of the C library's.

use core::alloc::Layout;
use core::ffi::{c_int, c_void};
use core::ptr::{self, NonNull};

use loligo_allocators::Allocator;

use crate::heap::{self, HEAP};

/// What a block of `malloc` is aligned to at the least.
const ALIGN: usize = 16;

/// Serves a request; without memory it is null, and `errno` says so.
fn served(bytes: usize, align: usize, is_zeroed: bool) -> *mut c_void {
    let layout = Layout::from_size_align(bytes, align.max(ALIGN));
    let block = layout.ok().and_then(|layout| {
        let block = if is_zeroed { HEAP.allocate_zeroed(layout) } else { HEAP.allocate(layout) };
        block.ok()
    });
    block.map_or_else(|| refused(libc::ENOMEM), |block| block.cast::<c_void>().as_ptr())
}

fn refused(error: c_int) -> *mut c_void {
    // SAFETY: the thread's own `errno`.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { place.write(error) };
    ptr::null_mut()
}

/// As the C library's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn malloc(bytes: usize) -> *mut c_void {
    served(bytes, ALIGN, false)
}

/// As the C library's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    match count.checked_mul(bytes) {
        Some(bytes) => served(bytes, ALIGN, true),
        None => refused(libc::ENOMEM),
    }
}

/// As the C library's.
///
/// # Safety
///
/// `block` is null or a live block of these functions, and is not used again.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn free(block: *mut c_void) {
    if let Some(block) = NonNull::new(block.cast()) {
        // SAFETY: the caller's promise, and if it is broken, the heap says so.
        unsafe { HEAP.deallocate(block) };
    }
}

/// As the C library's.
///
/// # Safety
///
/// `block` is null or a live block of these functions, and is not used again unless null returns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    let Some(live) = NonNull::new(block.cast::<u8>()) else { return malloc(bytes) };
    if bytes == 0 {
        // SAFETY: the caller's promise.
        unsafe { free(block) };
        return ptr::null_mut();
    }
    let layout = Layout::from_size_align(bytes, ALIGN);
    let Ok(layout) = layout else { return refused(libc::ENOMEM) };
    // SAFETY: as above.
    let resized = unsafe { heap::resized(live, layout) };
    resized.map_or_else(|_| refused(libc::ENOMEM), |block| block.cast::<c_void>().as_ptr())
}

/// As the C library's.
///
/// # Safety
///
/// As for [`realloc`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    count: usize,
    bytes: usize,
) -> *mut c_void {
    match count.checked_mul(bytes) {
        // SAFETY: the caller's promise.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => refused(libc::ENOMEM),
    }
}

/// As the C library's.
///
/// # Safety
///
/// `place` is valid for a pointer to be written.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    align: usize,
    bytes: usize,
) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = served(bytes, align, false);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller's promise.
    unsafe { place.write(block) };
    0
}

/// As the C library's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void {
    if align.is_power_of_two() { served(bytes, align, false) } else { refused(libc::EINVAL) }
}

/// As the C library's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn memalign(align: usize, bytes: usize) -> *mut c_void {
    aligned_alloc(align, bytes)
}

/// As the C library's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn valloc(bytes: usize) -> *mut c_void {
    served(bytes, 4096, false)
}

/// As the C library's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    match bytes.checked_next_multiple_of(4096) {
        Some(bytes) => served(bytes, 4096, false),
        None => refused(libc::ENOMEM),
    }
}

/// As the C library's.
///
/// # Safety
///
/// `block` is null or a live block of these functions.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    // SAFETY: the caller's promise.
    NonNull::new(block.cast()).map_or(0, |block| unsafe { HEAP.allocated_size(block) })
}
