//! An allocator that notes what it is asked for, so that a test can say how much that should be.

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use std::vec::Vec;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

use crate::testing::test_memory::{Memory, with_memory};

/// Notes how many bytes each request is for, grants just as many and `more`, and refuses what is
/// beyond a limit. Each block that changes its length moves.
pub(in super::super) struct Noting<'m> {
    /// Where the blocks come from.
    pub(in super::super) memory: &'m Memory<'m>,
    asked: RefCell<Vec<usize>>,
    /// The most bytes that are granted.
    pub(in super::super) most: Cell<usize>,
    /// How many bytes are granted beyond those asked for.
    pub(in super::super) more: Cell<usize>,
    /// By how many bytes `more` grows at each request.
    pub(in super::super) step: Cell<usize>,
}

impl Noting<'_> {
    /// Returns the bytes of all requests since this was last asked, those refused, too.
    pub(in super::super) fn asked(&self) -> Vec<usize> {
        self.asked.take()
    }
}

/// Returns those requests that a layout can make: with 32 bits none is for 2 GiB.
pub(in super::super) fn possible<const N: usize>(requests: [usize; N]) -> Vec<usize> {
    let is_possible = |bytes: &usize| isize::try_from(*bytes).is_ok();
    requests.into_iter().filter(is_possible).collect()
}

/// Runs `test` with such an allocator; the test must free everything.
pub(in super::super) fn with_notes(test: impl FnOnce(&Noting<'_>)) {
    with_memory(|memory| {
        test(&Noting {
            memory,
            asked: RefCell::default(),
            most: Cell::new(usize::MAX),
            more: Cell::new(0),
            step: Cell::new(0),
        });
    });
}

// SAFETY: the blocks are those of another allocator, whole or their beginning.
unsafe impl Allocator for Noting<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.asked.borrow_mut().push(layout.size());
        if layout.size() > self.most.get() {
            return Err(AllocError);
        }
        let bytes = layout.size() + self.more.get();
        self.more.set(self.more.get() + self.step.get());
        let longer = Layout::from_size_align(bytes, layout.align()).map_err(|_| AllocError)?;
        let block = self.memory.allocate(longer)?;
        Ok(NonNull::slice_from_raw_parts(block.cast(), bytes))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.deallocate(block) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        self.memory.stats()
    }

    fn name(&self) -> &str {
        "noting"
    }

    fn owns(&self, address: *const u8) -> bool {
        self.memory.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.memory.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.memory.verify()
    }
}
