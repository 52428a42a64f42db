//! Waiting blocks: their fill byte, the search for changes, and their ring.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::{self, NonNull};

use super::pattern::{count_unlike, first_unlike};
use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator};

#[cfg(test)]
mod tests;

/// The fill byte of a waiting block. As an address it is unmapped, so a pointer read from a freed
/// block faults.
pub(super) const FREED: u8 = 0xdf;

/// A block that its user has freed and that is not yet returned to the backing.
///
/// # Invariants
///
/// 1. `block` is a live block of the backing with `bytes` bytes and the layout `layout`, which is
///    no longer used and which [`fill`](Self::fill) has filled.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) block: NonNull<u8>,
    pub(super) bytes: usize,
    pub(super) layout: Layout,
    /// Where it was freed.
    pub(super) site: &'static Location<'static>,
}

/// A change found in a freed block.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) held: Held,
    /// The first byte that differs.
    pub(super) offset: usize,
    /// How many bytes differ.
    pub(super) changed: usize,
}

impl Held {
    /// Fills a block that its user has freed, and poisons it for the tools.
    ///
    /// # Safety
    ///
    /// The block is live in the backing, has `bytes` bytes and that layout, and is no longer used.
    pub(super) unsafe fn fill(
        block: NonNull<u8>,
        bytes: usize,
        layout: Layout,
        site: &'static Location<'static>,
    ) -> Self {
        mark::undefined(block, bytes);
        // SAFETY: as promised by the caller.
        unsafe { block.write_bytes(FREED, bytes) };
        mark::no_access(block, bytes);
        Self { block, bytes, layout, site }
    }

    /// Looks for bytes written since the block was filled.
    pub(super) fn change(self) -> Option<Change> {
        mark::defined(self.block, self.bytes);
        // SAFETY: the block is live in the backing, is this long and was filled (invariant 1). The
        // slice ends with this function, and only a program that is wrong writes to it.
        let contents = unsafe { core::slice::from_raw_parts(self.block.as_ptr(), self.bytes) };
        let change = first_unlike(contents, FREED).map(|offset| Change {
            held: self,
            offset,
            changed: count_unlike(contents, FREED),
        });
        mark::no_access(self.block, self.bytes);
        change
    }
}

/// The waiting blocks, oldest first.
///
/// # Invariants
///
/// 1. `slots` leads to `capacity` slots taken from the allocator for books, or `capacity` is zero.
/// 2. The `len` slots from `first` on, the first following the last, are written; `len` is at most
///    `capacity`, and `first` is less, or both are zero.
pub(super) struct Ring {
    slots: Cell<*mut Held>,
    capacity: usize,
    first: Cell<usize>,
    len: Cell<usize>,
}

impl Ring {
    pub(super) fn new<K: Allocator + ?Sized>(
        capacity: usize,
        books: &K,
    ) -> Result<Self, AllocError> {
        let layout = Layout::array::<Held>(capacity).map_err(|_| AllocError)?;
        let slots = if capacity == 0 {
            ptr::null_mut()
        } else {
            books.allocate(layout)?.cast::<Held>().as_ptr()
        };
        let (first, len) = (Cell::new(0), Cell::new(0));
        Ok(Self { slots: Cell::new(slots), capacity, first, len })
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn len(&self) -> usize {
        self.len.get()
    }

    /// Appends a block and returns its slot. The ring must not be full.
    pub(super) fn push(&self, held: Held) -> usize {
        assert!(self.len.get() < self.capacity, "room is made before a block is kept back");
        let slot = self.nth(self.len.get());
        self.len.set(self.len.get() + 1);
        // SAFETY: the slot is below the capacity, and the slots are the ring's own (invariant 1).
        unsafe { self.place(slot).write(held) };
        slot
    }

    /// Removes the oldest block.
    pub(super) fn pop(&self) -> Option<Held> {
        if self.len.get() == 0 {
            return None;
        }
        let held = self.at(self.first.get());
        self.first.set(self.nth(1));
        self.len.set(self.len.get() - 1);
        Some(held)
    }

    /// Returns the block in an occupied slot that [`push`](Self::push) returned.
    pub(super) fn at(&self, slot: usize) -> Held {
        // SAFETY: an occupied slot is below the capacity and written (invariant 2).
        unsafe { self.place(slot).read() }
    }

    /// Shows the occupied slots, the oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Held)> + '_ {
        (0..self.len.get()).map(|index| {
            let slot = self.nth(index);
            (slot, self.at(slot))
        })
    }

    /// Frees the memory; the ring must be empty and is not used again.
    pub(super) fn release<K: Allocator + ?Sized>(&self, books: &K) {
        if let Some(slots) = NonNull::new(self.slots.replace(ptr::null_mut())) {
            let layout = Layout::array::<Held>(self.capacity);
            let layout = layout.expect("the ring's size was checked before it was taken");
            // SAFETY: the slots came from `books` with this layout (invariant 1) and are not used
            // again.
            unsafe { books.deallocate_sized(slots.cast(), layout) };
        }
    }

    /// Returns the slot `index` places after the first.
    fn nth(&self, index: usize) -> usize {
        let slot = self.first.get() + index;
        if slot < self.capacity { slot } else { slot - self.capacity }
    }

    fn place(&self, slot: usize) -> *mut Held {
        debug_assert!(slot < self.capacity, "slot {slot} is within the ring");
        // SAFETY: callers pass slots below the capacity (invariant 1).
        unsafe { self.slots.get().add(slot) }
    }
}
