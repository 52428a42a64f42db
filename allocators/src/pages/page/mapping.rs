//! Fresh pages at any alignment: mapped directly, or mapped too large and trimmed.

use core::ptr::NonNull;

use super::state::Request;
use super::system::{self, Access};

/// Why no pages were mapped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    /// The kernel refused; nothing is left of the attempt.
    Clean,
    /// The kernel refused, and also refused to unmap what was mapped before.
    Stranded {
        /// The address of the pages.
        address: NonNull<u8>,
        /// How many bytes.
        bytes: usize,
    },
}

/// Maps fresh pages for `request`.
///
/// Most mappings are aligned by chance: those of a page always, and those that follow equal ones
/// often, as Linux places one right below the other. So the plain size is tried first.
///
/// ```text
///  plain:     [ block ]                               1 call
///  trimmed:   [ front | block              | tail ]   at most 5 more
/// ```
///
/// Windows unmaps no parts of a mapping. There the large one shows where an aligned address is, and
/// is given back; then the block is mapped at that address, if no other thread was faster.
pub(super) fn fresh(request: Request, access: Access) -> Result<NonNull<u8>, Refused> {
    let unbacked = access == Access::None;
    let Ok(plain) = system::map(request.bytes, access, unbacked) else {
        return Err(Refused::Clean);
    };
    let address = if is_aligned(plain, request.grain) {
        plain
    } else {
        // SAFETY: the fresh mapping is not yet used.
        unsafe { give_back(plain, request.bytes) }?;
        trimmed(request, access, unbacked)?
    };
    if request.huge {
        // SAFETY: the fresh mapping is ours.
        unsafe { system::advise_huge(address, request.bytes) };
    }
    Ok(address)
}

/// How often an aligned address is looked for.
#[cfg(windows)]
const PLACES: u32 = 16;

#[cfg(windows)]
#[cold]
fn trimmed(request: Request, access: Access, _unbacked: bool) -> Result<NonNull<u8>, Refused> {
    let Request { bytes, grain, .. } = request;
    let Some(span) = bytes.checked_add(grain) else {
        return Err(Refused::Clean);
    };
    for _ in 0..PLACES {
        let Ok(start) = system::map(span, Access::None, true) else {
            return Err(Refused::Clean);
        };
        let front = start.addr().get().wrapping_neg() & (grain - 1);
        // SAFETY: `front` is less than `grain`, which is at most the span.
        let address = unsafe { start.add(front) };
        // SAFETY: the fresh mapping is not used.
        unsafe { give_back(start, span) }?;
        if let Ok(address) = system::map_at(address, bytes, access) {
            return Ok(address);
        }
    }
    Err(Refused::Clean)
}

#[cfg(not(windows))]
#[cold]
fn trimmed(request: Request, access: Access, unbacked: bool) -> Result<NonNull<u8>, Refused> {
    let Request { bytes, grain, .. } = request;
    let slack = grain - system::page_size();
    let Some(span) = bytes.checked_add(slack) else {
        return Err(Refused::Clean);
    };
    // Without access the slack does not count as memory, so an alignment of many GiB costs only
    // address space.
    let Ok(start) = system::map(span, Access::None, unbacked) else {
        return Err(Refused::Clean);
    };
    let front = start.addr().get().wrapping_neg() & (grain - 1);
    if front > 0 {
        // SAFETY: the fresh mapping is not yet used, and its front is not needed.
        if unsafe { system::unmap(start, front) }.is_err() {
            // SAFETY: the fresh mapping is not yet used.
            unsafe { give_back(start, span) }?;
            return Err(Refused::Clean);
        }
    }
    // SAFETY: `front` is less than `grain`, so at most `slack`, which is less than `span`.
    let address = unsafe { start.add(front) };
    let tail = slack - front;
    if tail > 0 {
        // SAFETY: `bytes + tail` is what is left of the span.
        let end = unsafe { address.add(bytes) };
        // SAFETY: the fresh mapping is not yet used, and its tail is not needed.
        if unsafe { system::unmap(end, tail) }.is_err() {
            // SAFETY: the fresh mapping is not yet used.
            unsafe { give_back(address, bytes + tail) }?;
            return Err(Refused::Clean);
        }
    }
    if access == Access::ReadWrite {
        // SAFETY: the mapping is ours and unused.
        if unsafe { system::protect(address, bytes, access) }.is_err() {
            // SAFETY: the fresh mapping is not yet used.
            unsafe { give_back(address, bytes) }?;
            return Err(Refused::Clean);
        }
    }
    Ok(address)
}

/// Unmaps pages of a failed attempt.
///
/// # Safety
///
/// The pages are the caller's and are not used afterwards.
unsafe fn give_back(address: NonNull<u8>, bytes: usize) -> Result<(), Refused> {
    // SAFETY: as promised by the caller.
    unsafe { system::unmap(address, bytes) }.map_err(|_| Refused::Stranded { address, bytes })
}

pub(super) fn is_aligned(address: NonNull<u8>, grain: usize) -> bool {
    address.addr().get() & (grain - 1) == 0
}
