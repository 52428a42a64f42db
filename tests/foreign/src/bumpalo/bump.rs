//! The bump: a frame that grows, whose blocks have the peer's greatest least alignment.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, FrameAllocator, NoSites, Stats};

use crate::memory::{MEMORY, Memory};

/// The first chunk where nothing is said.
const BYTES: usize = 4096;

/// The most bytes of a first chunk that are not for blocks; the peer's capacity is without them.
const HEAD: usize = 512;

/// The greatest alignment that the peer can be asked for; ours is a parameter of the type as well.
const LEAST_ALIGN: usize = 16;

pub struct Bump<const MIN_ALIGN: usize = 1> {
    pub(super) frame: FrameAllocator<'static, Memory, NoSites, LEAST_ALIGN>,
}

impl Bump {
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(BYTES)
    }

    pub fn try_new() -> Result<Self, AllocError> {
        Self::try_with_capacity(BYTES)
    }

    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_min_align_and_capacity(capacity)
    }

    pub fn try_with_capacity(capacity: usize) -> Result<Self, AllocError> {
        Self::try_with_min_align_and_capacity(capacity)
    }
}

impl<const MIN_ALIGN: usize> Bump<MIN_ALIGN> {
    #[must_use]
    pub fn with_min_align() -> Self {
        Self::with_min_align_and_capacity(BYTES)
    }

    #[must_use]
    pub fn with_min_align_and_capacity(capacity: usize) -> Self {
        Self::try_with_min_align_and_capacity(capacity).expect("there is memory")
    }

    pub fn try_with_min_align_and_capacity(capacity: usize) -> Result<Self, AllocError> {
        const { assert!(MIN_ALIGN <= LEAST_ALIGN, "the peer refuses it, too") };
        // The peer's blocks begin at each `MIN_ALIGN` bytes where it is said, ours at each `LEAST_ALIGN`.
        let times = if MIN_ALIGN == 1 { 1 } else { LEAST_ALIGN / MIN_ALIGN };
        let bytes = capacity.checked_mul(times).and_then(|bytes| bytes.checked_add(HEAD));
        let bytes = bytes.ok_or(AllocError)?;
        let frame = FrameAllocator::growing_in("bump", bytes, &MEMORY)?;
        Ok(Self { frame: frame.with_min_align() })
    }

    pub fn min_align(&self) -> usize {
        MIN_ALIGN
    }

    pub fn allocation_limit(&self) -> Option<usize> {
        self.frame.limit()
    }

    pub fn set_allocation_limit(&self, limit: Option<usize>) {
        self.frame.set_limit(limit);
    }

    pub fn reset(&mut self) {
        self.frame.reset();
    }

    pub fn chunk_capacity(&self) -> usize {
        self.frame.remaining()
    }

    pub fn allocated_bytes(&self) -> usize {
        self.frame.stats().granted
    }

    /// The bytes of the blocks, from the newest chunk on; in a chunk the oldest come first.
    pub fn iter_allocated_chunks(&mut self) -> impl Iterator<Item = &[MaybeUninit<u8>]> {
        self.frame.used()
    }

    pub fn alloc_layout(&self, layout: Layout) -> NonNull<u8> {
        self.allocate(layout).expect("there is memory").cast()
    }
}

// SAFETY: every block is one of the frame's, asked for with no smaller alignment; the frame keeps
// the contract, and does not move what it gave out when it is moved itself.
unsafe impl<const MIN_ALIGN: usize> Allocator for Bump<MIN_ALIGN> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.frame.allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller promises a live block of this allocator, which is one of the frame's.
        unsafe { self.frame.deallocate(block) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: as above.
        unsafe { self.frame.allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        self.frame.stats()
    }

    fn name(&self) -> &str {
        self.frame.name()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.frame.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.frame.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.frame.verify()
    }
}
