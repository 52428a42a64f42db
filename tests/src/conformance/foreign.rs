//! Allocators of other traits, adapted to the trait of this family, so that one suite serves all.
//!
//! What the other trait does not report (counters, sizes, walks) is kept here; the checks of those
//! are switched off by [`Limits::foreign`](crate::Limits::foreign).

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use std::collections::BTreeMap;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

/// What the other trait can do. Layouts have a size of at least one byte.
pub(super) trait Foreign {
    /// Allocates; `None` if refused.
    fn take(&self, layout: Layout, zeroed: bool) -> Option<NonNull<[u8]>>;

    /// Frees.
    ///
    /// # Safety
    ///
    /// `block` is live and of that layout.
    unsafe fn give(&self, block: NonNull<u8>, layout: Layout);

    /// Changes the size or moves; `None` if refused.
    ///
    /// # Safety
    ///
    /// `block` is live and of the layout `old`.
    unsafe fn change(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<[u8]>>;

    /// Whether a free may name any size between the one asked and the one granted.
    const SIZES_FIT: bool;

    /// Whether `change` may change the alignment.
    const REALIGNS: bool;
}

/// Makes the `Api2` in scope, the trait of one line of allocator-api2, a foreign one.
#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04"
))]
macro_rules! line {
    () => {
        use core::alloc::Layout;
        use core::ptr::NonNull;

        use super::foreign::Foreign;

        /// An allocator of allocator-api2 as a foreign allocator.
        struct Line<'a>(&'a dyn Api2);

        impl Foreign for Line<'_> {
            const SIZES_FIT: bool = true;
            const REALIGNS: bool = true;

            fn take(&self, layout: Layout, zeroed: bool) -> Option<NonNull<[u8]>> {
                if zeroed {
                    self.0.allocate_zeroed(layout).ok()
                } else {
                    self.0.allocate(layout).ok()
                }
            }

            unsafe fn give(&self, block: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.0.deallocate(block, layout) }
            }

            unsafe fn change(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Option<NonNull<[u8]>> {
                if new.size() >= old.size() {
                    // SAFETY: the caller's promise, passed on; the new size is no less.
                    unsafe { self.0.grow(block, old, new) }.ok()
                } else {
                    // SAFETY: the caller's promise, passed on; the new size is less.
                    unsafe { self.0.shrink(block, old, new) }.ok()
                }
            }
        }
    };
}
#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04"
))]
pub(super) use line;

/// A foreign allocator with the records that it does not keep.
pub(super) struct Adapted<F: Foreign> {
    foreign: F,
    blocks: RefCell<BTreeMap<usize, Record>>,
    stats: Cell<Stats>,
}

/// A live block.
#[derive(Clone, Copy)]
struct Record {
    layout: Layout,
    bytes: usize,
}

impl<F: Foreign> Adapted<F> {
    pub(super) fn new(foreign: F) -> Self {
        Self { foreign, blocks: RefCell::new(BTreeMap::new()), stats: Cell::new(Stats::default()) }
    }

    fn enter(&self, layout: Layout, answer: NonNull<[u8]>) {
        let address = answer.cast::<u8>().addr().get();
        self.blocks.borrow_mut().insert(address, Record { layout, bytes: answer.len() });
    }

    fn leave(&self, block: NonNull<u8>) -> Record {
        let record = self.blocks.borrow_mut().remove(&block.addr().get());
        record.expect("the block is live, as the caller promises")
    }

    fn take(&self, layout: Layout, zeroed: bool) -> Result<NonNull<[u8]>, AllocError> {
        let layout = at_least_a_byte(layout);
        let answer = self.foreign.take(layout, zeroed).ok_or(AllocError)?;
        self.enter(layout, answer);
        Ok(answer)
    }
}

/// The layout, with a size of one byte in place of none: other traits forbid a size of zero, or
/// answer it with an address that is not a block.
fn at_least_a_byte(layout: Layout) -> Layout {
    Layout::from_size_align(layout.size().max(1), layout.align()).unwrap_or(layout)
}

// SAFETY: blocks come from the foreign allocator, whose trait promises the same of them.
unsafe impl<F: Foreign> Allocator for Adapted<F> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, false)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, true)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let record = self.leave(block);
        // SAFETY: the block is live and the record has its layout.
        unsafe { self.foreign.give(block, record.layout) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let record = self.leave(block);
        let layout = if F::SIZES_FIT { at_least_a_byte(layout) } else { record.layout };
        // SAFETY: the block is live; the layout fits it, as that trait has it.
        unsafe { self.foreign.give(block, layout) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let record = self.blocks.borrow()[&block.addr().get()];
        let old = if F::SIZES_FIT { at_least_a_byte(old) } else { record.layout };
        let new = at_least_a_byte(new);
        if old.align() != new.align() && !F::REALIGNS {
            return Err(AllocError);
        }
        // SAFETY: the block is live and `old` fits it.
        let answer = unsafe { self.foreign.change(block, old, new) }.ok_or(AllocError)?;
        self.leave(block);
        self.enter(new, answer);
        Ok(answer)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.blocks.borrow()[&block.addr().get()].bytes
    }

    fn stats(&self) -> Stats {
        self.stats.get()
    }

    fn name(&self) -> &str {
        "foreign"
    }

    fn owns(&self, address: *const u8) -> bool {
        let blocks = self.blocks.borrow();
        let block = blocks.range(..=address.addr()).next_back();
        block.is_some_and(|(start, record)| address.addr() < start + record.bytes)
    }

    fn walk(&self, _visit: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}
