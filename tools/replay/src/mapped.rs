//! Memory taken straight from the system, so that the replayer's own tables never pass through an
//! allocator that is being measured.

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::io;

/// Bytes of a page on the systems this crate runs on.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Types whose zeroed bytes are a value and which need no destructor.
///
/// # Safety
///
/// All-zero bytes are a valid value of the type, which has no destructor.
pub(crate) unsafe trait Zeroable {}

// SAFETY: zero is a valid integer.
unsafe impl Zeroable for u8 {}
// SAFETY: zero is a valid integer.
unsafe impl Zeroable for u32 {}
// SAFETY: zero is a valid integer.
unsafe impl Zeroable for u64 {}
// SAFETY: null is a valid raw pointer.
unsafe impl Zeroable for *mut u8 {}

/// An anonymous mapping seen as an array, zeroed at first.
pub(crate) struct Mapped<T> {
    start: NonNull<T>,
    length: usize,
    bytes: usize,
}

// SAFETY: the mapping is this value's alone, as the elements of a boxed slice are, and a shared
// reference gives out shared references to them and no more.
unsafe impl<T: Sync> Sync for Mapped<T> {}

impl<T: Zeroable> Mapped<T> {
    /// Maps an array of `length` zeros; no page is touched.
    ///
    /// # Errors
    ///
    /// The system's own where it has no address space or memory left.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let bytes = length.checked_mul(size_of::<T>()).ok_or_else(too_large)?;
        // A mapping of no bytes is an error to the system, so one page is mapped instead.
        let bytes = bytes.max(1).checked_next_multiple_of(PAGE_BYTES).ok_or_else(too_large)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping at a place of the system's choice touches no memory that
        // exists.
        let map = unsafe { libc::mmap(core::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(map).ok_or_else(too_large)?.cast();
        Ok(Self { start, length, bytes })
    }

    /// Returns the array.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: the mapping holds `length` elements, is page aligned, was zeroed by the system
        // and so holds valid values, and is borrowed mutably with `self`.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    /// Returns the array.
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: as in `as_mut_slice`, borrowed with `self`.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// Returns where the mapping starts.
    pub(crate) fn start(&self) -> NonNull<T> {
        self.start
    }
}

impl<T> Drop for Mapped<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours alone, has these bytes, and nothing refers to it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// A fixed region of memory, aligned to 2 MiB, for the allocators that live in one.
pub(crate) struct Region {
    map: Mapped<u8>,
    offset: usize,
    bytes: usize,
    resident: usize,
}

/// The alignment of a region.
const REGION_ALIGN: usize = 2 << 20;

impl Region {
    /// Maps a region of `bytes`; no page is touched.
    ///
    /// # Errors
    ///
    /// The system's own where it has no address space left.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        let map = Mapped::<u8>::new(bytes.saturating_add(REGION_ALIGN))?;
        let offset = map.start().as_ptr().align_offset(REGION_ALIGN);
        Ok(Self { map, offset, bytes, resident: 0 })
    }

    /// Writes to each page of the first `bytes` once, so that none faults later.
    pub(crate) fn make_resident(&mut self, bytes: usize) {
        let end = bytes.min(self.bytes);
        let region = &mut self.map.as_mut_slice()[self.offset..self.offset + self.bytes];
        for index in (self.resident..end).step_by(PAGE_BYTES) {
            region[index] = 1;
        }
        self.resident = self.resident.max(end);
    }

    /// Returns the first `bytes` of the region for one allocator at a time.
    pub(crate) fn arena(&self, bytes: usize) -> Arena {
        let bytes = bytes.min(self.bytes);
        // SAFETY: the mapping is `REGION_ALIGN` longer than the region, so the offset is within.
        let start = unsafe { self.map.start().add(self.offset) };
        Arena { start, bytes }
    }
}

/// The part of a fixed region that an allocator gets.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    start: NonNull<u8>,
    bytes: usize,
}

impl Arena {
    /// Returns where the arena starts; aligned to 2 MiB.
    #[must_use]
    pub fn start(self) -> NonNull<u8> {
        self.start
    }

    /// Returns how long the arena is.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Returns the arena as the region that our allocators take.
    ///
    /// # Safety
    ///
    /// What is built on it is dropped before the arena ends, and nothing else uses it meanwhile.
    #[must_use]
    pub unsafe fn as_region<'a>(self) -> &'a mut [MaybeUninit<u8>] {
        // SAFETY: the arena is in one mapping, is valid for reads and writes, and is used by the
        // caller alone by its promise.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.bytes) }
    }
}
