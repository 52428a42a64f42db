//! A thread's table of pointers, on the heap under test.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use crate::suites::shared_heap::SharedHeap;

/// A growing array of pointers, which may be null.
///
/// # Invariants
///
/// 1. `start` is a live block of `heap` with the layout of `capacity` pointers.
/// 2. The first `len` of them are initialised; `len` is at most `capacity`.
pub(super) struct Pointers<'h, A: GlobalAlloc> {
    heap: SharedHeap<'h, A>,
    start: NonNull<*mut u64>,
    len: usize,
    capacity: usize,
}

impl<'h, A: GlobalAlloc> Pointers<'h, A> {
    /// Returns an empty array with space for `capacity` pointers, at least one.
    pub(super) fn with_capacity(heap: SharedHeap<'h, A>, capacity: usize) -> Self {
        let start = heap.allocate(layout(capacity)).cast();
        Self { heap, start, len: 0, capacity }
    }

    /// Returns an array of null pointers, at least one.
    pub(super) fn nulls(heap: SharedHeap<'h, A>, len: usize) -> Self {
        let start = heap.allocate_zeroed(layout(len)).cast();
        Self { heap, start, len, capacity: len }
    }

    /// Returns the number of pointers.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there is none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a pointer; a full array grows by `growth` pointers first.
    #[inline(always)]
    pub(super) fn push(&mut self, pointer: *mut u64, growth: usize) {
        if self.len == self.capacity {
            self.grow(growth);
        }
        // SAFETY: the length is below the capacity.
        let place = unsafe { self.start.add(self.len) };
        // SAFETY: invariant 1.
        unsafe { place.write(pointer) };
        self.len += 1;
    }

    /// Exchanges a pointer.
    #[inline(always)]
    pub(super) fn replace(&mut self, index: usize, pointer: *mut u64) -> *mut u64 {
        assert!(index < self.len, "pointer {index} of {}", self.len);
        // SAFETY: the index is below the length.
        let place = unsafe { self.start.add(index) };
        // SAFETY: invariants 1 and 2.
        unsafe { place.replace(pointer) }
    }

    #[cold]
    fn grow(&mut self, growth: usize) {
        let capacity = self.capacity + growth;
        let (old, bytes) = (layout(self.capacity), layout(capacity).size());
        // SAFETY: invariant 1; the size is larger than the old one, so it is not 0.
        self.start = unsafe { self.heap.resize(self.start.cast(), old, bytes) }.cast();
        self.capacity = capacity;
    }
}

impl<A: GlobalAlloc> Drop for Pointers<'_, A> {
    fn drop(&mut self) {
        // SAFETY: invariant 1, and the block is not used again.
        unsafe { self.heap.free(self.start.cast(), layout(self.capacity)) };
    }
}

/// Returns the layout of `count` pointers, which is aligned to 16 as in the programs.
fn layout(count: usize) -> Layout {
    Layout::array::<*mut u64>(count)
        .and_then(|layout| layout.align_to(16))
        .expect("tables have megabytes at most")
}

#[cfg(test)]
mod tests;
