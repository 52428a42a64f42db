//! What systems without `mremap` do instead: blocks grow by copying.

use core::ptr::NonNull;

use super::{Access, map, unmap};
use crate::contract::allocator::AllocError;

/// Refuses: the pages after a mapping cannot be added to it.
///
/// # Safety
///
/// The pages are the caller's.
pub(in crate::pages::page) unsafe fn grow(
    _address: NonNull<u8>,
    _old: usize,
    _new: usize,
) -> Result<(), AllocError> {
    Err(AllocError)
}

/// Grows a mapping by copying it into a larger one. An error leaves it unchanged.
///
/// # Safety
///
/// The pages are the caller's and readable; on success the old addresses are not used afterwards.
pub(in crate::pages::page) unsafe fn grow_moving(
    address: NonNull<u8>,
    old: usize,
    new: usize,
) -> Result<NonNull<u8>, AllocError> {
    let target = map(new, Access::ReadWrite, false)?;
    // SAFETY: as promised by the caller; the target is fresh, with `new` bytes.
    let moved = unsafe { move_onto(address, old, target, new) };
    if moved.is_err() {
        // SAFETY: the target is not used. If the system refuses this as well, it is abandoned.
        let _ = unsafe { unmap(target, new) };
    }
    moved
}

/// Copies a mapping onto another one and unmaps it.
///
/// # Errors
///
/// The old mapping is then unchanged, and the target still mapped.
///
/// # Safety
///
/// Both are the caller's, readable and writable; `target` has `new` bytes; the old addresses are
/// not used afterwards.
pub(in crate::pages::page) unsafe fn move_onto(
    address: NonNull<u8>,
    old: usize,
    target: NonNull<u8>,
    new: usize,
) -> Result<NonNull<u8>, AllocError> {
    // SAFETY: both mappings are the caller's, apart, and hold at least that number of bytes.
    unsafe { target.copy_from_nonoverlapping(address, old.min(new)) };
    // SAFETY: the caller uses the old addresses no more.
    unsafe { unmap(address, old) }?;
    Ok(target)
}

/// Does nothing: there is no such advice.
///
/// # Safety
///
/// The pages are the caller's.
pub(in crate::pages::page) unsafe fn advise_huge(_address: NonNull<u8>, _bytes: usize) {}
