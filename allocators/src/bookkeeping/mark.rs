//! Marks for AddressSanitizer and Valgrind: memory that is ours but not in a live block.
//!
//! Both tools watch the blocks of the system's malloc; they see nothing inside a block that we
//! allocated and divided. So each allocator marks free memory as unaddressable, and allocated
//! blocks as addressable but uninitialised. Under `--cfg loligo_asan` the marks go to
//! AddressSanitizer (in whole grains of 8 bytes, so blocks of other sizes are marked up to the last
//! whole grain), with the feature `valgrind` to Valgrind, by its client requests, which are five
//! instructions without effect outside of it (on Linux and x86-64; nothing elsewhere). Otherwise a
//! call compiles to nothing.
//!
//! Rules that make marks nest: an allocator marks all of a freed block unaddressable and unpoisons
//! the words of its own links before it accesses them; an allocator that returns memory to its
//! backing need not unpoison it, since the backing marks freed memory again. Those of this crate
//! that contain other blocks unpoison it all the same: their backing may be from another crate. A
//! borrowed region is unpoisoned when its allocator is dropped, so that its owner can use it again.

use core::ptr::NonNull;

/// Marks bytes as unaddressable.
#[inline(always)]
pub(crate) fn no_access(address: NonNull<u8>, bytes: usize) {
    tool::no_access(address.as_ptr(), bytes);
}

/// Marks bytes as addressable and uninitialised.
#[inline(always)]
pub(crate) fn undefined(address: NonNull<u8>, bytes: usize) {
    tool::undefined(address.as_ptr(), bytes);
}

/// Marks bytes as addressable and initialised.
#[inline(always)]
pub(crate) fn defined(address: NonNull<u8>, bytes: usize) {
    tool::defined(address.as_ptr(), bytes);
}

/// As [`no_access`], for a raw address.
#[inline(always)]
pub(crate) fn no_access_at(address: *mut u8, bytes: usize) {
    tool::no_access(address, bytes);
}

/// As [`undefined`], for a raw address.
#[inline(always)]
pub(crate) fn undefined_at(address: *mut u8, bytes: usize) {
    tool::undefined(address, bytes);
}

/// As [`defined`], for a raw address.
#[inline(always)]
pub(crate) fn defined_at(address: *mut u8, bytes: usize) {
    tool::defined(address, bytes);
}

/// Unpoisons words of the allocator while `act` accesses them, and poisons them again.
#[inline(always)]
pub(crate) fn opened<R>(address: *mut u8, bytes: usize, act: impl FnOnce() -> R) -> R {
    tool::defined(address, bytes);
    let result = act();
    tool::no_access(address, bytes);
    result
}

/// Reads a number of the allocator's that another thread may open and close meanwhile, by which
/// AddressSanitizer would be misled.
///
/// # Safety
///
/// `at` is valid for reads, aligned, and written by whole stores alone.
#[inline(always)]
#[cfg(all(feature = "std", not(all(test, loom))))]
pub(crate) unsafe fn read_closed(at: *const u32) -> u32 {
    #[cfg(all(loligo_asan, target_arch = "x86_64"))]
    {
        let number: u32;
        // SAFETY: one load, which the tool does not look at; the promise is the caller's.
        unsafe {
            core::arch::asm!("mov {0:e}, [{1}]", out(reg) number, in(reg) at, options(nostack));
        }
        number
    }
    #[cfg(not(all(loligo_asan, target_arch = "x86_64")))]
    opened(at.cast_mut().cast(), 4, || {
        // SAFETY: the caller's promise.
        let word = unsafe { core::sync::atomic::AtomicU32::from_ptr(at.cast_mut()) };
        // Relaxed: what else a reader needs was published with the kind of the page.
        word.load(core::sync::atomic::Ordering::Relaxed)
    })
}

/// Whether the marks of one allocator reach the tools, for one whose memory is read from outside or
/// is elsewhere. It compiles to nothing if the marks do.
#[derive(Debug)]
pub(crate) struct Watch {
    #[cfg(any(loligo_asan, feature = "valgrind"))]
    is_on: core::cell::Cell<bool>,
}

#[cfg(any(loligo_asan, feature = "valgrind"))]
impl Watch {
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on: core::cell::Cell::new(is_on) }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// Ends the marks of this allocator permanently.
    pub(crate) fn stop(&self) {
        self.is_on.set(false);
    }
}

#[cfg(not(any(loligo_asan, feature = "valgrind")))]
impl Watch {
    #[inline(always)]
    pub(crate) fn new(_is_on: bool) -> Self {
        Self {}
    }

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn stop(&self) {}
}

#[cfg(loligo_asan)]
mod tool {
    unsafe extern "C" {
        fn __asan_poison_memory_region(address: *const u8, bytes: usize);
        fn __asan_unpoison_memory_region(address: *const u8, bytes: usize);
    }

    pub(super) fn no_access(address: *mut u8, bytes: usize) {
        // SAFETY: the tool's books alone are changed; any range of this program is allowed.
        unsafe { __asan_poison_memory_region(address, bytes) }
    }

    pub(super) fn undefined(address: *mut u8, bytes: usize) {
        // SAFETY: as in `no_access`.
        unsafe { __asan_unpoison_memory_region(address, bytes) }
    }

    pub(super) fn defined(address: *mut u8, bytes: usize) {
        undefined(address, bytes);
    }
}

#[cfg(all(feature = "valgrind", not(loligo_asan), target_os = "linux", target_arch = "x86_64"))]
mod tool {
    /// Memcheck's requests, from its public interface: `'M' << 24 | 'C' << 16` plus a number.
    const NO_ACCESS: usize = 0x4d43_0000;
    const UNDEFINED: usize = 0x4d43_0001;
    const DEFINED: usize = 0x4d43_0002;

    #[inline(always)]
    fn request(code: usize, address: *mut u8, bytes: usize) {
        let question = [code, address.expose_provenance(), bytes, 0, 0, 0];
        // SAFETY: rotating a register by 128 bits in all and exchanging one with itself changes
        // nothing; Valgrind interprets the sequence as a request, reads the six words and answers
        // in rdx.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") question.as_ptr(),
                inlateout("rdx") 0_usize => _,
                out("rdi") _,
                options(nostack),
            );
        }
    }

    #[inline(always)]
    pub(super) fn no_access(address: *mut u8, bytes: usize) {
        request(NO_ACCESS, address, bytes);
    }

    #[inline(always)]
    pub(super) fn undefined(address: *mut u8, bytes: usize) {
        request(UNDEFINED, address, bytes);
    }

    #[inline(always)]
    pub(super) fn defined(address: *mut u8, bytes: usize) {
        request(DEFINED, address, bytes);
    }
}

#[cfg(not(any(
    loligo_asan,
    all(feature = "valgrind", target_os = "linux", target_arch = "x86_64")
)))]
mod tool {
    #[inline(always)]
    pub(super) fn no_access(_address: *mut u8, _bytes: usize) {}

    #[inline(always)]
    pub(super) fn undefined(_address: *mut u8, _bytes: usize) {}

    #[inline(always)]
    pub(super) fn defined(_address: *mut u8, _bytes: usize) {}
}
