//! What AddressSanitizer and Valgrind are told about memory that is ours but nobody's.
//!
//! Both tools watch what the system's malloc hands out; inside a block that we took and cut up they
//! are blind. So each allocator marks what is free as unaddressable, and what it hands out as
//! addressable but not yet written. Under `--cfg loligo_asan` the marks go to AddressSanitizer (in
//! whole grains of 8 bytes, so blocks of other sizes are marked up to the last whole grain), with
//! the feature `valgrind` to Valgrind, by its client requests, which are five instructions without
//! effect outside of it (on Linux and x86-64; nothing elsewhere). Otherwise nothing is left of a
//! call.
//!
//! The rules that make marks nest: an allocator that takes a block back marks all of it
//! unaddressable and opens the words it keeps its own links in before it touches them; one that
//! gives memory back to its backing need not open it, since the backing marks what it takes back
//! again. Those of this crate that hold other blocks open it all the same: their backing may be
//! anyone's. A region that was lent is opened when its allocator is dropped, so that its owner may
//! use it again.

use core::ptr::NonNull;

/// Marks bytes that nobody may touch.
#[inline(always)]
pub(crate) fn no_access(address: NonNull<u8>, bytes: usize) {
    tool::no_access(address.as_ptr(), bytes);
}

/// Marks bytes that may be written, and read once they were.
#[inline(always)]
pub(crate) fn undefined(address: NonNull<u8>, bytes: usize) {
    tool::undefined(address.as_ptr(), bytes);
}

/// Marks bytes that may be read and written.
#[inline(always)]
pub(crate) fn defined(address: NonNull<u8>, bytes: usize) {
    tool::defined(address.as_ptr(), bytes);
}

/// As [`no_access`], where the address is a raw one.
#[inline(always)]
pub(crate) fn no_access_at(address: *mut u8, bytes: usize) {
    tool::no_access(address, bytes);
}

/// As [`undefined`], where the address is a raw one.
#[inline(always)]
pub(crate) fn undefined_at(address: *mut u8, bytes: usize) {
    tool::undefined(address, bytes);
}

/// As [`defined`], where the address is a raw one.
#[inline(always)]
pub(crate) fn defined_at(address: *mut u8, bytes: usize) {
    tool::defined(address, bytes);
}

/// Opens words of the allocator's own while `act` looks at them or writes them, and closes them
/// again.
#[inline(always)]
pub(crate) fn opened<R>(address: *mut u8, bytes: usize, act: impl FnOnce() -> R) -> R {
    tool::defined(address, bytes);
    let result = act();
    tool::no_access(address, bytes);
    result
}

/// Whether the marks of one allocator reach the tools, for one whose memory is looked at from
/// outside or lies beside. Nothing is left of it where nothing is left of the marks.
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

    /// Ends the marks of this allocator for good.
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
    /// Memcheck's requests, from its public interface: `'M' << 24 | 'C' << 16` and a number.
    const NO_ACCESS: usize = 0x4d43_0000;
    const UNDEFINED: usize = 0x4d43_0001;
    const DEFINED: usize = 0x4d43_0002;

    #[inline(always)]
    fn request(code: usize, address: *mut u8, bytes: usize) {
        let question = [code, address.expose_provenance(), bytes, 0, 0, 0];
        // SAFETY: rotating a register by 128 bits in all and exchanging one with itself changes
        // nothing; Valgrind takes the sequence for a request, reads the six words and answers in
        // rdx.
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
