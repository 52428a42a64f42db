//! The system's calls on Linux.

use core::ptr::{self, NonNull};

use super::Access;
use crate::contract::allocator::AllocError;

impl Access {
    const fn flags(self) -> libc::c_int {
        match self {
            Self::None => libc::PROT_NONE,
            Self::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
        }
    }
}

/// Asks for the size of a page.
pub(super) fn ask_page_size() -> usize {
    // SAFETY: sysconf takes a number and touches no memory of the program.
    let answer = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // The kernel passes every process its page size at start, so there is always an answer.
    usize::try_from(answer).unwrap_or(4096)
}

/// Maps fresh zeroed pages. `unbacked` asks the kernel not to reserve swap for them.
pub(in crate::pages::page) fn map(
    bytes: usize,
    access: Access,
    unbacked: bool,
) -> Result<NonNull<u8>, AllocError> {
    let mut flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    if unbacked {
        flags |= libc::MAP_NORESERVE;
    }
    // SAFETY: without MAP_FIXED the kernel chooses unused addresses.
    let address = unsafe { libc::mmap(ptr::null_mut(), bytes, access.flags(), flags, -1, 0) };
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

/// Grows a mapping in place.
///
/// # Safety
///
/// The pages are the caller's.
pub(in crate::pages::page) unsafe fn grow(
    address: NonNull<u8>,
    old: usize,
    new: usize,
) -> Result<(), AllocError> {
    // SAFETY: the caller owns the pages; without MAYMOVE they stay where they are.
    let result = unsafe { libc::mremap(address.as_ptr().cast(), old, new, 0) };
    checked(result).map(|_| ())
}

/// Grows a mapping, moving it by its page tables if needed. An error leaves it unchanged.
///
/// # Safety
///
/// The pages are the caller's; on success the old addresses are not used afterwards.
pub(in crate::pages::page) unsafe fn grow_moving(
    address: NonNull<u8>,
    old: usize,
    new: usize,
) -> Result<NonNull<u8>, AllocError> {
    // SAFETY: the caller owns the pages and expects the old addresses to die.
    let result = unsafe { libc::mremap(address.as_ptr().cast(), old, new, libc::MREMAP_MAYMOVE) };
    checked(result)
}

/// Moves a mapping onto another one, which it replaces.
///
/// # Errors
///
/// The old mapping is then unchanged, but it is unknown whether the target is still mapped.
///
/// # Safety
///
/// Both are the caller's; `target` has `new` bytes; the old addresses are not used afterwards.
pub(in crate::pages::page) unsafe fn move_onto(
    address: NonNull<u8>,
    old: usize,
    target: NonNull<u8>,
    new: usize,
) -> Result<NonNull<u8>, AllocError> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    let goal = target.as_ptr().cast::<libc::c_void>();
    // SAFETY: the mapping that MREMAP_FIXED replaces is the caller's own, and so is the one that it
    // moves.
    let result = unsafe { libc::mremap(address.as_ptr().cast(), old, new, flags, goal) };
    checked(result)
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

/// Releases the memory of pages and keeps the addresses; they read as zero afterwards. Their access
/// stays what it is, whatever `_access` says.
///
/// # Safety
///
/// The pages are the caller's and their contents are no longer needed.
pub(in crate::pages::page) unsafe fn discard(
    address: NonNull<u8>,
    bytes: usize,
    _access: Access,
) -> Result<(), AllocError> {
    // SAFETY: the caller gives the contents up.
    let result = unsafe { libc::madvise(address.as_ptr().cast(), bytes, libc::MADV_DONTNEED) };
    done(result)
}

/// Requests huge pages. It is advice: a kernel without them refuses, and nothing is lost.
///
/// # Safety
///
/// The pages are the caller's.
pub(in crate::pages::page) unsafe fn advise_huge(address: NonNull<u8>, bytes: usize) {
    // SAFETY: the advice changes neither contents nor access of the caller's pages.
    let _ = unsafe { libc::madvise(address.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
}

fn checked(address: *mut libc::c_void) -> Result<NonNull<u8>, AllocError> {
    if address == libc::MAP_FAILED {
        return Err(AllocError);
    }
    // Page 0 is mapped only on request, so a null here is a refusal too.
    NonNull::new(address.cast()).ok_or(AllocError)
}

fn done(result: libc::c_int) -> Result<(), AllocError> {
    if result == 0 { Ok(()) } else { Err(AllocError) }
}
