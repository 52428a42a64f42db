//! A growable array whose memory comes from the allocator for books.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use crate::contract::allocator::{AllocError, Allocator};

#[cfg(test)]
pub(super) mod tests;

/// The capacity of the first allocation.
const ITEMS_MIN: usize = 16;

/// A contiguous array of `Copy` items, changed through a shared reference.
///
/// Like the address table, it does not store the allocator that its memory comes from: its owner
/// passes the same one to each call, and calls [`release`](Self::release) before dropping it. No
/// call returns a reference to an item, so items can be changed through a shared array.
///
/// # Complexity
///
/// O(1) amortised; it doubles when full, so at most half of it is unused after the first 16 items.
///
/// # Invariants
///
/// 1. `items` is null and `capacity` zero, or `items` points to `capacity` items, allocated from
///    `books` with `layout(capacity)`.
/// 2. The first `len <= capacity` of them are written.
pub(crate) struct Array<T: Copy> {
    items: Cell<*mut T>,
    capacity: Cell<usize>,
    len: Cell<usize>,
}

impl<T: Copy> Array<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Cell::new(ptr::null_mut()), capacity: Cell::new(0), len: Cell::new(0) }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len.get()
    }

    /// Returns the size of its memory.
    pub(crate) fn bytes(&self) -> usize {
        self.capacity.get() * size_of::<T>()
    }

    /// Reserves room for `count` items in total.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; the array is as it was.
    #[inline]
    pub(crate) fn reserve<K: Allocator + ?Sized>(
        &self,
        count: usize,
        books: &K,
    ) -> Result<(), AllocError> {
        if count <= self.capacity.get() { Ok(()) } else { self.grow(count, books) }
    }

    /// Appends an item.
    ///
    /// # Panics
    ///
    /// If there is no room.
    #[inline]
    pub(crate) fn push(&self, item: T) {
        let at = self.len.get();
        assert!(at < self.capacity.get(), "room is reserved before pushing");
        self.len.set(at + 1);
        // SAFETY: `place` points to an item of this array, to which no call returns a reference.
        unsafe { self.place(at).write(item) };
    }

    /// Removes and returns the last item.
    #[inline]
    pub(crate) fn pop(&self) -> Option<T> {
        let at = self.len.get().checked_sub(1)?;
        let item = self.get(at);
        self.len.set(at);
        Some(item)
    }

    /// Returns an item.
    ///
    /// # Panics
    ///
    /// If `at` is not below the length.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> T {
        // SAFETY: `place` points to a written item (invariant 2).
        unsafe { self.place(at).read() }
    }

    /// Changes a copy of an item and writes it back.
    ///
    /// # Panics
    ///
    /// If `at` is not below the length.
    #[inline]
    pub(crate) fn update(&self, at: usize, change: impl FnOnce(&mut T)) {
        let mut item = self.get(at);
        change(&mut item);
        // SAFETY: `place` points to an item of this array, to which no call returns a reference.
        unsafe { self.place(at).write(item) };
    }

    /// Sorts the items by a key.
    pub(crate) fn sort_by_key<N: Ord>(&self, key: impl FnMut(&T) -> N) {
        if let Some(items) = NonNull::new(self.items.get()) {
            let items = NonNull::slice_from_raw_parts(items, self.len.get());
            // SAFETY: the first `len` items are written (invariant 2), and no other reference to
            // them exists before this call ends, as `key` does not get the array.
            unsafe { &mut *items.as_ptr() }.sort_unstable_by_key(key);
        }
    }

    /// Removes all items and keeps the memory.
    pub(crate) fn clear(&self) {
        self.len.set(0);
    }

    /// Frees the memory and leaves an empty array.
    pub(crate) fn release<K: Allocator + ?Sized>(&self, books: &K) {
        self.len.set(0);
        let capacity = self.capacity.replace(0);
        if let Some(items) = NonNull::new(self.items.replace(ptr::null_mut())) {
            // SAFETY: invariant 1; nothing uses the items any more.
            unsafe { books.deallocate_sized(items.cast(), layout::<T>(capacity)) };
        }
    }

    /// Checks the invariants.
    ///
    /// # Errors
    ///
    /// The broken invariant, in words.
    pub(crate) fn validate(&self) -> Result<(), &'static str> {
        if self.items.get().is_null() != (self.capacity.get() == 0) {
            return Err("an array has memory without room, or room without memory");
        }
        if self.len() > self.capacity.get() {
            return Err("an array is longer than its memory");
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow<K: Allocator + ?Sized>(&self, count: usize, books: &K) -> Result<(), AllocError> {
        let capacity = count.max(2 * self.capacity.get()).max(ITEMS_MIN);
        let new = Layout::array::<T>(capacity).map_err(|_| AllocError)?;
        let memory = match NonNull::new(self.items.get()) {
            None => books.allocate(new)?,
            // SAFETY: invariant 1: the block is live and has this layout.
            Some(items) => unsafe {
                books.reallocate(items.cast(), layout::<T>(self.capacity.get()), new)?
            },
        };
        self.items.set(memory.cast().as_ptr());
        self.capacity.set(capacity);
        Ok(())
    }

    #[inline]
    fn place(&self, at: usize) -> *mut T {
        assert!(at < self.len.get(), "item {at} is within the array");
        // SAFETY: `at` is below the length, which is at most the capacity, so it is within the
        // block (invariants 1 and 2).
        unsafe { self.items.get().add(at) }
    }
}

/// Returns the layout of `capacity` items, which [`Array::grow`] has validated.
fn layout<T>(capacity: usize) -> Layout {
    Layout::array::<T>(capacity).expect("the array's size was checked before it was taken")
}
