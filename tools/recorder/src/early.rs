//! Memory for the moment in which the real functions are looked up: the search itself may allocate.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};

/// What there is; the search takes some hundred bytes, or none at all.
const BYTES: usize = 16 << 10;

/// The alignment of each block.
const ALIGN: usize = 16;

#[repr(C, align(16))]
struct Buffer {
    bytes: UnsafeCell<[u8; BYTES]>,
    used: AtomicUsize,
}

// SAFETY: each part of the bytes is given out once, by the counter, to one caller.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer { bytes: UnsafeCell::new([0; BYTES]), used: AtomicUsize::new(0) };

/// Returns a block of zeros, aligned to 16, or null. It is never given back. Its size is before it.
pub(crate) fn allocate(bytes: usize) -> *mut u8 {
    if bytes > BYTES {
        return core::ptr::null_mut();
    }
    let whole = ALIGN + bytes.next_multiple_of(ALIGN);
    // Relaxed: the counter alone decides whose bytes they are, and nobody else's are read.
    let taken = BUFFER.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        used.checked_add(whole).filter(|&end| end <= BYTES)
    });
    let Ok(start) = taken else { return core::ptr::null_mut() };
    let base: *mut u8 = BUFFER.bytes.get().cast();
    // SAFETY: `start + whole` is at most `BYTES`, so this and what follows stays inside the buffer.
    let head = unsafe { base.add(start) };
    // SAFETY: the sixteen bytes at `head` were given out to this call, aligned to 16.
    unsafe { head.cast::<usize>().write(bytes) };
    // SAFETY: as for `head`.
    unsafe { head.add(ALIGN) }
}

/// Returns the size of a block if it is one of these.
pub(crate) fn size(block: *mut u8) -> Option<usize> {
    let base = BUFFER.bytes.get().addr();
    if !(base + ALIGN..base + BYTES).contains(&block.addr()) {
        return None;
    }
    // SAFETY: a caller that frees or reallocates passes a block that was handed out; one inside the
    // buffer came from `allocate`, which wrote its size before it.
    let head = unsafe { block.sub(ALIGN) };
    // SAFETY: as above; it is aligned to 16.
    Some(unsafe { head.cast::<usize>().read() })
}
