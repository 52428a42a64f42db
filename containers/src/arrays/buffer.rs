//! Raw storage: a block of an allocator with room for a number of elements, some or none of them
//! alive.
//!
//! After Niklas Frykholm, "Allocation Adventures 2: Arrays of Arrays" (2015), which says why a
//! block grows to twice its length. Changes: the room is what the allocator granted, and where
//! twice as much is not to be had, what is needed is asked for.
//!
//! It does not know which elements are alive; its owner does. All containers with elements of one
//! type grow through it, so the rules of growing and shrinking are here alone.

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::GrowError;

#[cfg(test)]
mod tests;

/// A block with room for `capacity` elements, from an allocator, to which it goes back when this is
/// dropped. Elements are never dropped here.
///
/// # Memory
///
/// The block is as long as the allocator granted, so none of what was granted is wasted but what is
/// shorter than an element. It grows to twice its length at least.
///
/// # Invariants
///
/// 1. Where `capacity` is 0 or elements have no size, there is no block, and `start` is dangling
///    and aligned.
/// 2. Else `start` is a live block of `memory` that only this object frees. It was last requested,
///    or resized, with the alignment of `T` and at most `capacity` elements, and granted at least
///    that many.
/// 3. Where elements have no size, `capacity` is `u32::MAX`.
pub(crate) struct Buffer<'a, T, A: Allocator + ?Sized> {
    start: NonNull<T>,
    capacity: u32,
    /// The number of elements, kept here for the owner: it costs nothing where padding would be.
    /// Nothing in this module reads it.
    pub(crate) len: u32,
    memory: &'a A,
    owned: PhantomData<T>,
}

// SAFETY: the block is reached through this object alone (invariant 2); it goes back to the
// allocator from whichever thread drops it, and that one may be used from several.
unsafe impl<T: Send, A: Allocator + Sync + ?Sized> Send for Buffer<'_, T, A> {}
// SAFETY: a shared reference hands out the address, the capacity and the allocator, which may be
// shared.
unsafe impl<T: Sync, A: Allocator + Sync + ?Sized> Sync for Buffer<'_, T, A> {}

impl<'a, T, A: Allocator + ?Sized> Buffer<'a, T, A> {
    /// The capacity of a buffer without a block.
    const EMPTY: u32 = if size_of::<T>() == 0 { u32::MAX } else { 0 };

    /// Returns a buffer without a block.
    pub(crate) const fn new(memory: &'a A) -> Self {
        Self {
            start: NonNull::dangling(),
            capacity: Self::EMPTY,
            len: 0,
            memory,
            owned: PhantomData,
        }
    }

    /// Returns where the elements begin; dangling and aligned if there is no block.
    #[inline(always)]
    pub(crate) const fn start(&self) -> NonNull<T> {
        self.start
    }

    /// Returns how many elements there is room for.
    #[inline(always)]
    pub(crate) const fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Returns the allocator that the block is from.
    #[inline(always)]
    pub(crate) const fn memory(&self) -> &'a A {
        self.memory
    }

    /// Returns the bytes that the block has, as it will be given back.
    pub(crate) const fn bytes(&self) -> usize {
        self.capacity as usize * size_of::<T>()
    }

    /// Makes room for `more` elements beyond the first `used`, and for as many again as there is
    /// room for now, so that growing one by one costs each element a constant number of moves.
    ///
    /// All that is in the block is kept.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; the block is then as it was.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&mut self, used: u32, more: usize) -> Result<(), GrowError> {
        let needed = Self::sum(used, more)?;
        if needed <= self.capacity {
            return Ok(());
        }
        let doubled = self.capacity.saturating_mul(2);
        let wanted = needed.max(doubled).max(Self::FIRST);
        match self.resize(wanted) {
            // Where twice as much is not to be had, what is needed may be.
            Err(_) if wanted > needed => self.resize(needed),
            done => done,
        }
    }

    /// Makes room for `more` elements beyond the first `used` and no more than the allocator grants
    /// for that.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; the block is then as it was.
    pub(crate) fn grow_exact(&mut self, used: u32, more: usize) -> Result<(), GrowError> {
        let needed = Self::sum(used, more)?;
        if needed <= self.capacity { Ok(()) } else { self.resize(needed) }
    }

    /// Shrinks the block to `used` elements, as far as the allocator can shrink it.
    ///
    /// # Errors
    ///
    /// [`GrowError::Memory`] if it refuses; the block is then as it was.
    pub(crate) fn shrink(&mut self, used: u32) -> Result<(), GrowError> {
        if used >= self.capacity || size_of::<T>() == 0 {
            return Ok(());
        }
        if used == 0 {
            self.give_back();
            return Ok(());
        }
        self.resize(used)
    }

    /// How many elements the first block has room for.
    const FIRST: u32 = match size_of::<T>() {
        0 => 0,
        1 => 16,
        2..=16 => 8,
        17..=1024 => 4,
        _ => 1,
    };

    fn sum(used: u32, more: usize) -> Result<u32, GrowError> {
        // In 64 bits where `usize` has 32: a sum that stopped at `u32::MAX` would be a length like
        // any other.
        let wanted = u64::from(used).saturating_add(more as u64);
        let limit = u64::from(u32::MAX);
        u32::try_from(wanted).map_err(|_| GrowError::Length { wanted, limit })
    }

    /// Takes a block for `capacity` elements, which is not 0, in place of the one there is.
    fn resize(&mut self, capacity: u32) -> Result<(), GrowError> {
        let elements = u64::from(capacity);
        let refused =
            GrowError::Memory { elements, bytes: elements.saturating_mul(size_of::<T>() as u64) };
        let new = Layout::array::<T>(capacity as usize).map_err(|_| refused)?;
        let granted = match self.layout() {
            None => self.memory.allocate(new),
            // SAFETY: the block is live and fits this layout by invariant 2; its old address is not
            // used again.
            Some(old) => unsafe { self.memory.reallocate(self.start.cast(), old, new) },
        };
        let granted = granted.map_err(|_| refused)?;
        self.start = granted.cast();
        self.capacity = u32::try_from(granted.len() / size_of::<T>()).unwrap_or(u32::MAX);
        Ok(())
    }

    /// Returns the layout of the block, or `None` if there is none.
    fn layout(&self) -> Option<Layout> {
        if self.bytes() == 0 {
            return None;
        }
        Layout::array::<T>(self.capacity as usize).ok()
    }

    fn give_back(&mut self) {
        let Some(layout) = self.layout() else { return };
        let start = core::mem::replace(&mut self.start, NonNull::dangling());
        self.capacity = Self::EMPTY;
        // SAFETY: the block was live and fits this layout by invariant 2, and nothing names it now.
        unsafe { self.memory.deallocate_sized(start.cast(), layout) };
    }
}

impl<T, A: Allocator + ?Sized> Drop for Buffer<'_, T, A> {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl<T, A: Allocator + ?Sized> fmt::Debug for Buffer<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("start", &self.start)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}
