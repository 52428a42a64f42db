//! The system's calls on Windows, declared here: five functions are no reason for a dependency.
//!
//! A mapping is one reservation of addresses, which Windows returns only as a whole and places at
//! multiples of 64 KiB. Its pages are committed or not; those that are not have no access.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use super::Access;
use crate::contract::allocator::AllocError;

const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_DECOMMIT: u32 = 0x4000;
const MEM_RELEASE: u32 = 0x8000;
const MEM_RESET: u32 = 0x8_0000;
const PAGE_NOACCESS: u32 = 1;
const PAGE_READWRITE: u32 = 4;

/// `SYSTEM_INFO`.
#[repr(C)]
struct SystemInfo {
    processor: u32,
    page_bytes: u32,
    lowest: *mut c_void,
    highest: *mut c_void,
    processors: usize,
    count: u32,
    kind: u32,
    granularity: u32,
    level: u16,
    revision: u16,
}

/// `MEMORY_BASIC_INFORMATION`: pages of one state from an address on.
#[repr(C)]
struct Region {
    base: *mut c_void,
    /// Where the mapping starts that the pages are in; null if they are in none.
    mapping: *mut c_void,
    first_access: u32,
    bytes: usize,
    state: u32,
    access: u32,
    kind: u32,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(address: *mut c_void, bytes: usize, kind: u32, access: u32) -> *mut c_void;
    fn VirtualFree(address: *mut c_void, bytes: usize, kind: u32) -> i32;
    fn VirtualQuery(address: *const c_void, region: *mut Region, bytes: usize) -> usize;
    fn GetSystemInfo(info: *mut SystemInfo);
}

/// Asks for the size of a page.
pub(super) fn ask_page_size() -> usize {
    let mut info = MaybeUninit::<SystemInfo>::uninit();
    // SAFETY: the function writes the whole structure and nothing else.
    unsafe { GetSystemInfo(info.as_mut_ptr()) };
    // SAFETY: it was just written.
    let info = unsafe { info.assume_init() };
    info.page_bytes as usize
}

/// Maps fresh zeroed pages. Pages with access count as memory of the process, touched or not.
pub(in crate::pages::page) fn map(
    bytes: usize,
    access: Access,
    _unbacked: bool,
) -> Result<NonNull<u8>, AllocError> {
    alloc(ptr::null_mut(), bytes, access)
}

/// Maps fresh zeroed pages at an address, if it is free and a multiple of 64 KiB.
pub(in crate::pages::page) fn map_at(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<NonNull<u8>, AllocError> {
    alloc(address.as_ptr().cast(), bytes, access)
}

fn alloc(address: *mut c_void, bytes: usize, access: Access) -> Result<NonNull<u8>, AllocError> {
    let (kind, access) = match access {
        Access::None => (MEM_RESERVE, PAGE_NOACCESS),
        Access::ReadWrite => (MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE),
    };
    // SAFETY: a reservation takes only unused addresses.
    let mapped = unsafe { VirtualAlloc(address, bytes, kind, access) };
    NonNull::new(mapped.cast()).ok_or(AllocError)
}

/// Unmaps pages. An error leaves them unchanged: only a whole mapping can be unmapped.
///
/// # Safety
///
/// The pages are the caller's and are not used afterwards.
pub(in crate::pages::page) unsafe fn unmap(
    address: NonNull<u8>,
    bytes: usize,
) -> Result<(), AllocError> {
    if !is_whole(address, bytes) {
        return Err(AllocError);
    }
    // SAFETY: the pages are a whole mapping of the caller's, who is done with them.
    done(unsafe { VirtualFree(address.as_ptr().cast(), 0, MEM_RELEASE) })
}

/// Sets the access to pages of one mapping by committing or decommitting them: pages without access
/// lose their contents. An error may leave some of them changed.
///
/// # Safety
///
/// The pages are the caller's, and are not used in a way that `access` forbids.
pub(in crate::pages::page) unsafe fn protect(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<(), AllocError> {
    let at = address.as_ptr().cast::<c_void>();
    match access {
        // SAFETY: the caller owns the pages and answers for their use.
        Access::None => done(unsafe { VirtualFree(at, bytes, MEM_DECOMMIT) }),
        Access::ReadWrite => {
            // SAFETY: as above; committed pages stay as they are.
            let committed = unsafe { VirtualAlloc(at, bytes, MEM_COMMIT, PAGE_READWRITE) };
            done(i32::from(!committed.is_null()))
        }
    }
}

/// Releases the memory of pages and keeps the addresses; they read as zero afterwards.
///
/// Pages with access are cleared and offered to the system, which then has nothing to write to
/// disk: decommitting them would risk that they cannot be committed again.
///
/// # Safety
///
/// The pages are the caller's and their contents are no longer needed; `access` is their access.
pub(in crate::pages::page) unsafe fn discard(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<(), AllocError> {
    if access == Access::None {
        // SAFETY: as promised by the caller.
        return unsafe { protect(address, bytes, access) };
    }
    // SAFETY: the pages are the caller's, writable, and their contents are no longer needed.
    unsafe { address.write_bytes(0, bytes) };
    // SAFETY: the system keeps the zeros or drops the pages, which then read as zero.
    let reset = unsafe { VirtualAlloc(address.as_ptr().cast(), bytes, MEM_RESET, PAGE_READWRITE) };
    done(i32::from(!reset.is_null()))
}

/// Returns `true` if the pages are a whole mapping.
fn is_whole(address: NonNull<u8>, bytes: usize) -> bool {
    let mapping = address.as_ptr().cast::<c_void>();
    let end = address.as_ptr().wrapping_add(bytes).cast::<c_void>();
    let mut at = mapping;
    while at < end {
        let Some(region) = region_at(at).filter(|region| region.mapping == mapping) else {
            return false;
        };
        at = region.base.wrapping_byte_add(region.bytes);
    }
    at == end && region_at(end).is_none_or(|region| region.mapping != mapping)
}

fn region_at(address: *mut c_void) -> Option<Region> {
    let mut region = MaybeUninit::<Region>::uninit();
    // SAFETY: the function writes the structure and reads no memory.
    let written = unsafe { VirtualQuery(address, region.as_mut_ptr(), size_of::<Region>()) };
    // SAFETY: all of it was written.
    (written == size_of::<Region>()).then(|| unsafe { region.assume_init() })
}

fn done(result: i32) -> Result<(), AllocError> {
    if result == 0 { Err(AllocError) } else { Ok(()) }
}
