//! The system's calls on Unix systems other than Linux, macOS among them.

use core::ptr::{self, NonNull};

use super::Access;
use crate::contract::allocator::AllocError;

const FLAGS: libc::c_int = libc::MAP_PRIVATE | libc::MAP_ANON;

impl Access {
    const fn flags(self) -> libc::c_int {
        match self {
            Self::None => libc::PROT_NONE,
            Self::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
        }
    }
}

/// Asks for the size of a page: 16 KiB on newer Macs.
pub(super) fn ask_page_size() -> usize {
    // SAFETY: sysconf takes a number and touches no memory of the program.
    let answer = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(answer).unwrap_or(4096)
}

/// Maps fresh zeroed pages. Whether swap is reserved for them is the system's to say.
pub(in crate::pages::page) fn map(
    bytes: usize,
    access: Access,
    _unbacked: bool,
) -> Result<NonNull<u8>, AllocError> {
    // SAFETY: without MAP_FIXED the kernel chooses unused addresses.
    let address = unsafe { libc::mmap(ptr::null_mut(), bytes, access.flags(), FLAGS, -1, 0) };
    checked(address)
}

/// Unmaps pages. An error leaves them unchanged.
///
/// # Safety
///
/// The pages are the caller's and are not used afterwards.
pub(in crate::pages::page) unsafe fn unmap(
    address: NonNull<u8>,
    bytes: usize,
) -> Result<(), AllocError> {
    // SAFETY: the caller owns the pages and is done with them.
    let result = unsafe { libc::munmap(address.as_ptr().cast(), bytes) };
    done(result)
}

/// Sets the access to pages. An error may leave some of them changed.
///
/// # Safety
///
/// The pages are the caller's, and are not used in a way that `access` forbids.
pub(in crate::pages::page) unsafe fn protect(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<(), AllocError> {
    // SAFETY: the caller owns the pages and answers for their use.
    let result = unsafe { libc::mprotect(address.as_ptr().cast(), bytes, access.flags()) };
    done(result)
}

/// Releases the memory of pages and keeps the addresses; they read as zero afterwards.
///
/// Fresh pages are mapped over the old ones: the advice of these systems either keeps the contents
/// or leaves open when they change.
///
/// # Safety
///
/// The pages are the caller's and their contents are no longer needed; `access` is their access.
pub(in crate::pages::page) unsafe fn discard(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<(), AllocError> {
    let (at, flags) = (address.as_ptr().cast(), FLAGS | libc::MAP_FIXED);
    // SAFETY: the mapping that MAP_FIXED replaces is the caller's own, who gives its contents up.
    let result = unsafe { libc::mmap(at, bytes, access.flags(), flags, -1, 0) };
    checked(result).map(|_| ())
}

fn checked(address: *mut libc::c_void) -> Result<NonNull<u8>, AllocError> {
    if address == libc::MAP_FAILED {
        return Err(AllocError);
    }
    NonNull::new(address.cast()).ok_or(AllocError)
}

fn done(result: libc::c_int) -> Result<(), AllocError> {
    if result == 0 { Ok(()) } else { Err(AllocError) }
}
