//! The bump: a frame, with the peer's least alignment and its limit, as any user could add them.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Arena, Block, Damage, FrameAllocator, Stats};

use crate::memory::{MEMORY, Memory};

/// How much there is if nothing is said. The peer grows; ours has a fixed size.
const BYTES: usize = 1 << 20;

pub struct Bump<const MIN_ALIGN: usize = 1> {
    frame: FrameAllocator<'static, Memory>,
    limit: Cell<Option<usize>>,
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
        // The records of a frame are in its memory, too.
        let bytes = capacity.max(BYTES);
        let frame = FrameAllocator::new_in("bump", bytes, &MEMORY)?;
        Ok(Self { frame, limit: Cell::new(None) })
    }

    pub fn min_align(&self) -> usize {
        MIN_ALIGN
    }

    pub fn allocation_limit(&self) -> Option<usize> {
        self.limit.get()
    }

    pub fn set_allocation_limit(&self, limit: Option<usize>) {
        self.limit.set(limit);
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

    pub fn alloc_layout(&self, layout: Layout) -> NonNull<u8> {
        self.allocate(layout).expect("there is memory").cast()
    }
}

// SAFETY: every block is one of the frame's, asked for with no smaller alignment; the frame keeps
// the contract, and does not move what it gave out when it is moved itself.
unsafe impl<const MIN_ALIGN: usize> Allocator for Bump<MIN_ALIGN> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let is_beyond = |limit| self.allocated_bytes() + layout.size() > limit;
        if self.limit.get().is_some_and(is_beyond) {
            return Err(AllocError);
        }
        self.frame.allocate(layout.align_to(MIN_ALIGN).expect("it is a power of two"))
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

impl<const MIN_ALIGN: usize> Arena for Bump<MIN_ALIGN> {}
