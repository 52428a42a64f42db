//! The core that a thread runs on, in less than a nanosecond where the system keeps it in the
//! thread's memory.
//!
//! Linux keeps a few words for each thread that say where it runs (restartable sequences); the C
//! library puts them next to the thread's own memory and says how far from it. Reading such a word
//! takes less than a nanosecond; the instruction that reads the stamp and the core at once takes
//! three times as long as the one that reads the stamp alone.

use core::ptr;

/// The core's number where it is not known.
pub(crate) const UNKNOWN: u32 = u32::MAX >> 1;

/// Where the thread finds the number of its core.
///
/// # Invariants
///
/// 1. It is null, or the address of a word that lives as long as the thread that asked for it,
///    which alone uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreNumber(*const u32);

impl CoreNumber {
    /// Returns where this thread finds its core, which may be nowhere.
    pub(crate) fn of_this_thread() -> Self {
        let place = place();
        if place.is_null() {
            return Self(place);
        }
        // SAFETY: the word is there, and the kernel writes it whole.
        let core = unsafe { place.read_volatile() };
        // A thread that the kernel refused to register has a negative number there.
        Self(if core < UNKNOWN { place } else { ptr::null() })
    }

    /// Returns the number of the core that the thread runs on.
    #[inline(always)]
    pub(crate) fn now(self) -> u32 {
        if self.0.is_null() {
            return UNKNOWN;
        }
        // SAFETY: the word lives as long as this thread (invariant 1), and the kernel writes it
        // whole.
        unsafe { self.0.read_volatile() }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64", not(miri)))]
fn place() -> *const u32 {
    use std::sync::OnceLock;
    /// How far the words are from the thread's own memory; 0 where they are not to be had.
    static OFFSET: OnceLock<isize> = OnceLock::new();
    /// The place of the core's number among the words.
    const CPU_ID: isize = 4;

    let offset = *OFFSET.get_or_init(offset);
    if offset == 0 {
        return ptr::null();
    }
    let thread: *const u8;
    // SAFETY: the first word of a thread's own memory is its address, which every thread may read.
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) thread, options(nostack, readonly, preserves_flags));
    }
    thread.wrapping_offset(offset + CPU_ID).cast()
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64", not(miri)))]
fn offset() -> isize {
    // SAFETY: the name is a text that ends in 0; older C libraries do not have it, and null is
    // returned.
    let size = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_size".as_ptr()) };
    // SAFETY: as above.
    let offset = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_offset".as_ptr()) };
    if size.is_null() || offset.is_null() {
        return 0;
    }
    // SAFETY: the C library documents it as a constant of this type.
    let size = unsafe { size.cast::<u32>().read() };
    if size < 8 {
        return 0;
    }
    // SAFETY: as above.
    unsafe { offset.cast::<isize>().read() }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64", not(miri))))]
fn place() -> *const u32 {
    ptr::null()
}
