//! Words of a region's tables that its owner writes and other threads may read.
//!
//! A heap has one owner at a time, who alone writes, so it reads its own words plainly. Where the
//! heap is one of [`ThreadHeap`](crate::ThreadHeap), a thread that frees another's block looks the
//! block up, so what it reads is written atomically: the same stores on x86-64 and AArch64.

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Writes a word of bits.
///
/// # Safety
///
/// `at` is valid for writes, aligned, and written by this thread alone.
#[inline(always)]
pub(super) unsafe fn write_bits(at: *mut u64, bits: u64) {
    #[cfg(target_pointer_width = "64")]
    {
        // SAFETY: the caller's promise.
        let word = unsafe { core::sync::atomic::AtomicU64::from_ptr(at) };
        // Relaxed: each bit is for itself; what else a reader needs was published with its kind.
        word.store(bits, Ordering::Relaxed);
    }
    #[cfg(not(target_pointer_width = "64"))]
    {
        // SAFETY: two numbers are as long as one of twice their bits, and have no invalid values.
        let halves = unsafe { core::mem::transmute::<u64, [u32; 2]>(bits) };
        for (half, bits) in halves.into_iter().enumerate() {
            // SAFETY: the caller's promise; both halves are within the word.
            unsafe { write_number(at.cast::<u32>().wrapping_add(half), bits) };
        }
    }
}

/// Reads a word of bits that another thread may be writing. Each bit is one that was written.
///
/// # Safety
///
/// `at` is valid for reads, aligned, and written by [`write_bits`] alone.
#[cfg(all(feature = "std", not(all(test, loom))))]
#[inline]
pub(super) unsafe fn read_bits(at: *const u64) -> u64 {
    #[cfg(target_pointer_width = "64")]
    {
        // SAFETY: the caller's promise.
        let word = unsafe { core::sync::atomic::AtomicU64::from_ptr(at.cast_mut()) };
        // Relaxed: as in `write_bits`.
        word.load(Ordering::Relaxed)
    }
    #[cfg(not(target_pointer_width = "64"))]
    {
        let half = |half: usize| {
            // SAFETY: the caller's promise; both halves are within the word.
            unsafe { read_number(at.cast::<u32>().wrapping_add(half)) }
        };
        // SAFETY: as in `write_bits`.
        unsafe { core::mem::transmute::<[u32; 2], u64>([half(0), half(1)]) }
    }
}

/// Writes a number.
///
/// # Safety
///
/// As for [`write_bits`].
#[inline(always)]
pub(super) unsafe fn write_number(at: *mut u32, number: u32) {
    // SAFETY: the caller's promise.
    let word = unsafe { AtomicU32::from_ptr(at) };
    // Relaxed: as in `write_bits`.
    word.store(number, Ordering::Relaxed);
}

/// Reads a number that another thread may be writing.
///
/// # Safety
///
/// As for [`read_bits`].
#[cfg(all(feature = "std", not(all(test, loom)), not(target_pointer_width = "64")))]
#[inline]
unsafe fn read_number(at: *const u32) -> u32 {
    // SAFETY: the caller's promise.
    let word = unsafe { AtomicU32::from_ptr(at.cast_mut()) };
    // Relaxed: as in `write_bits`.
    word.load(Ordering::Relaxed)
}

/// Writes a kind or class, after all that it says how to read.
///
/// # Safety
///
/// As for [`write_bits`].
#[inline]
pub(super) unsafe fn publish(at: *mut u8, kind: u8) {
    // SAFETY: the caller's promise.
    let byte = unsafe { AtomicU8::from_ptr(at) };
    // Release pairs with the Acquire in `read_published`: a thread that reads this kind sees the
    // tables that were written before it.
    byte.store(kind, Ordering::Release);
}

/// Reads a kind or class, before what it says how to read.
///
/// # Safety
///
/// As for [`read_bits`].
#[cfg(all(feature = "std", not(all(test, loom))))]
#[inline]
pub(super) unsafe fn read_published(at: *const u8) -> u8 {
    // SAFETY: the caller's promise.
    let byte = unsafe { AtomicU8::from_ptr(at.cast_mut()) };
    // Acquire pairs with the Release in `publish`.
    byte.load(Ordering::Acquire)
}
