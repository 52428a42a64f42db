//! A growable array of plain data from an allocator: what the builder and the search for seeds use.
#![expect(unsafe_code, reason = "raw memory becomes slices here, and only here")]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "`len` is at most `capacity`, whose bytes fit an `isize`; what may exceed that \
              is checked"
)]

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::slice;

use loligo_allocators::{AllocError, Allocator};

#[cfg(test)]
mod tests;

/// Bytes of the first block.
const BYTES_MIN: usize = 256;

/// A growable array of values that need no destructor.
///
/// # Complexity
///
/// `reserve` O(len) where it moves, amortised O(1) a value; all else O(1) or O(what is passed). It
/// takes one block, at most doubled in one step, and allocates nothing while empty.
///
/// # Invariants
///
/// 1. `capacity` is 0 and `memory` dangles, or `memory` leads to a block of the allocator, taken
///    with `layout(capacity)` and owned by this object alone.
/// 2. The first `len` values are written, and `len <= capacity`.
pub(super) struct Buffer<'a, T: Copy, A: Allocator + ?Sized> {
    memory: NonNull<T>,
    capacity: usize,
    len: usize,
    allocator: &'a A,
    owned: PhantomData<T>,
}

// SAFETY: the block belongs to this object alone and is reached through it alone; besides it there
// is only a reference to the allocator, which may cross threads where the allocator is `Sync`.
unsafe impl<T: Copy + Send, A: Allocator + Sync + ?Sized> Send for Buffer<'_, T, A> {}

// SAFETY: a shared reference gives slices of the values and nothing that changes the block.
unsafe impl<T: Copy + Sync, A: Allocator + Sync + ?Sized> Sync for Buffer<'_, T, A> {}

impl<'a, T: Copy, A: Allocator + ?Sized> Buffer<'a, T, A> {
    pub(super) const fn new(allocator: &'a A) -> Self {
        const { assert!(size_of::<T>() > 0, "values of no size need no memory") };
        Self { memory: NonNull::dangling(), capacity: 0, len: 0, allocator, owned: PhantomData }
    }

    pub(super) const fn allocator(&self) -> &'a A {
        self.allocator
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[T] {
        // SAFETY: the first `len` values are written (invariant 2); with none, a dangling address
        // that is aligned is a valid empty slice.
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), self.len) }
    }

    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as above, and this object is borrowed for as long as the slice lives.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.len) }
    }

    /// Makes room for `more` values, so that appending them cannot fail.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the allocator refuses or the size is too large; the buffer is as it was.
    #[inline]
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), AllocError> {
        if more <= self.capacity - self.len { Ok(()) } else { self.grow(more) }
    }

    /// Appends values for which there is room.
    ///
    /// # Panics
    ///
    /// If there is no room: a `reserve` was forgotten.
    #[inline]
    pub(super) fn append(&mut self, values: &[T]) {
        assert!(
            values.len() <= self.capacity - self.len,
            "{} values are appended where {} have room",
            values.len(),
            self.capacity - self.len
        );
        // SAFETY: `len <= capacity` (invariant 2), so the address is in the block or at its end.
        let end = unsafe { self.memory.add(self.len) };
        let from = NonNull::from(values).cast::<T>();
        // SAFETY: checked above: there is room for the values, which are in a slice of somebody
        // else, since this object is borrowed exclusively.
        unsafe { end.copy_from_nonoverlapping(from, values.len()) };
        self.len += values.len();
    }

    /// Makes it `len` values, all of them `value`.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve).
    pub(super) fn refill(&mut self, len: usize, value: T) -> Result<(), AllocError> {
        self.reserve(len.saturating_sub(self.len))?;
        for at in 0..len {
            // SAFETY: `at` is below the capacity, which is at least `len` by now.
            let place = unsafe { self.memory.add(at) };
            // SAFETY: it is in the block, which this object alone owns.
            unsafe { place.write(value) };
        }
        self.len = len;
        Ok(())
    }

    /// Checks what can be checked of the invariants. O(1).
    #[cfg(test)]
    fn validate(&self) {
        assert!(self.len <= self.capacity, "{} of {} are written", self.len, self.capacity);
        if self.capacity > 0 {
            assert!(self.allocator.owns(self.memory.as_ptr().cast()), "the block is a stranger");
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> Result<(), AllocError> {
        let needed = self.len.checked_add(more).ok_or(AllocError)?;
        let least = BYTES_MIN / size_of::<T>();
        let capacity = needed.max(self.capacity.saturating_mul(2)).max(least);
        let block = match self.moved(capacity) {
            Ok(block) => Ok((block, capacity)),
            // Where doubling is too much, what is needed may still be there.
            Err(AllocError) if needed < capacity => Ok((self.moved(needed)?, needed)),
            Err(error) => Err(error),
        };
        let (memory, capacity) = block?;
        self.memory = memory;
        self.capacity = capacity;
        Ok(())
    }

    /// Moves the values into a block for `capacity` of them, at least as many as now. The old block
    /// is given back; the caller writes the new one down.
    fn moved(&self, capacity: usize) -> Result<NonNull<T>, AllocError> {
        let new = layout::<T>(capacity)?;
        let block = if self.capacity == 0 {
            self.allocator.allocate(new)?
        } else {
            let old = layout::<T>(self.capacity)?;
            // SAFETY: the block was taken with the old layout (invariant 1); on success the caller
            // replaces it by the new one.
            unsafe { self.allocator.reallocate(self.memory.cast(), old, new) }?
        };
        Ok(block.cast())
    }
}

impl<T: Copy, A: Allocator + ?Sized> Drop for Buffer<'_, T, A> {
    fn drop(&mut self) {
        if let Ok(layout) = layout::<T>(self.capacity)
            && self.capacity > 0
        {
            // SAFETY: the block was taken with this layout (invariant 1) and is not used again.
            unsafe { self.allocator.deallocate_sized(self.memory.cast(), layout) };
        }
    }
}

impl<T: Copy, A: Allocator + ?Sized> fmt::Debug for Buffer<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("len", &self.len)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

fn layout<T>(capacity: usize) -> Result<Layout, AllocError> {
    Layout::array::<T>(capacity).map_err(|_| AllocError)
}
