//! Growing without initialising what will be overwritten anyway.

use core::mem::MaybeUninit;
use core::ptr;
use core::slice;

use bytemuck::Zeroable;
use loligo_allocators::Allocator;

use super::Array;
use crate::error::{GrowError, or_panic};

impl<T, A: Allocator + ?Sized> Array<'_, T, A> {
    /// Returns the room after the last element, to be written to. What is written counts as
    /// elements from [`set_len`](Self::set_len) on. O(1).
    #[inline]
    #[must_use]
    pub const fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        let room = self.buffer.capacity() - self.buffer.len;
        // SAFETY: `len` is at most the capacity, so this is within the block or at its end.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        let place = place.as_ptr().cast::<MaybeUninit<T>>();
        // SAFETY: there is room for that many elements after `len`; it may be uninitialised and
        // belongs to the array, which is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(place, room as usize) }
    }

    /// Says how many elements there are. None is dropped. O(1).
    ///
    /// # Safety
    ///
    /// `len` is at most the capacity, and the first `len` elements are initialised. Those beyond
    /// are leaked: they are not dropped.
    #[inline]
    pub const unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.capacity(), "the length is beyond the capacity");
        self.buffer.len = len as u32;
    }

    /// Makes room for `more` elements after the last and returns it, uninitialised: those that are
    /// written count as elements from [`set_len`](Self::set_len) on.
    /// [`try_extend_uninit`](Self::try_extend_uninit) is the safe form.
    ///
    /// # Complexity
    ///
    /// O(1), and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    #[inline]
    pub fn try_grow_uninit(&mut self, more: usize) -> Result<&mut [MaybeUninit<T>], GrowError> {
        self.try_reserve(more)?;
        Ok(&mut self.spare_capacity_mut()[..more])
    }

    /// Appends what `fill` initialises of a room for `more` elements. `fill` returns the part of
    /// the room that it has initialised, which begins where the room does: as `write_copy_of_slice`
    /// of std returns it, or
    /// [`assume_init_mut`](https://doc.rust-lang.org/std/primitive.slice.html#method.assume_init_mut).
    ///
    /// If `fill` panics, the array is as it was.
    ///
    /// # Complexity
    ///
    /// O(1) and what `fill` takes, and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    ///
    /// # Panics
    ///
    /// If `fill` returns elements that do not begin where the room does. The array is then as it
    /// was.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::StaticHeap;
    /// # static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut packets = loligo_containers::Array::new(&MEMORY);
    /// let arrived = [[7_u8, 1], [7, 2], [8, 1]];
    /// // As much room as may be needed, of which no byte is written twice, and not all is used.
    /// packets.try_extend_uninit(6, |room| {
    ///     let ours = arrived.iter().filter(|packet| packet[0] == 7).count();
    ///     room[..2 * ours].write_copy_of_slice(arrived[..ours].as_flattened())
    /// })?;
    /// assert_eq!(packets, [7, 1, 7, 2]);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    #[inline]
    pub fn try_extend_uninit(
        &mut self,
        more: usize,
        fill: impl for<'r> FnOnce(&'r mut [MaybeUninit<T>]) -> &'r mut [T],
    ) -> Result<(), GrowError>
    where
        T: Copy,
    {
        let room = self.try_grow_uninit(more)?;
        let start = room.as_ptr().cast::<T>();
        let filled = fill(room);
        let count = filled.len();
        let begins = ptr::eq(filled.as_ptr(), start);
        assert!(count == 0 || begins, "{count} elements were returned that are not of the room");
        assert!(count <= more, "{count} elements were returned of a room for {more}");
        // An exclusive slice at this address can only be derived from the room, which was borrowed
        // exclusively; so these elements are initialised. Elements without a size could have any
        // owner, but they are `Copy`, so nothing is owned twice.
        self.buffer.len += count as u32;
        Ok(())
    }

    /// Appends what `fill` initialises as [`try_extend_uninit`](Self::try_extend_uninit) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or `fill` returns elements that do not begin where the room does.
    #[inline]
    pub fn extend_uninit(
        &mut self,
        more: usize,
        fill: impl for<'r> FnOnce(&'r mut [MaybeUninit<T>]) -> &'r mut [T],
    ) where
        T: Copy,
    {
        or_panic(self.try_extend_uninit(more, fill));
    }

    /// Appends `more` elements, each what `make` returns for its place among them. They are written
    /// where they stay, once.
    ///
    /// If `make` panics, what it returned before stays.
    ///
    /// # Complexity
    ///
    /// O(more) calls, and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed and nothing was made.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::StaticHeap;
    /// # static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let (left, right) = ([1_i16, 3, 5], [2_i16, 4, 6]);
    /// let mut samples = loligo_containers::Array::new(&MEMORY);
    /// samples.try_extend_with(6, |n| if n % 2 == 0 { left[n / 2] } else { right[n / 2] })?;
    /// assert_eq!(samples, [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    #[inline]
    pub fn try_extend_with(
        &mut self,
        more: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<(), GrowError> {
        self.try_reserve(more)?;
        for index in 0..more {
            let element = make(index);
            // SAFETY: room for all of them was made.
            unsafe { self.push_unchecked(element) };
        }
        Ok(())
    }

    /// Appends elements as [`try_extend_with`](Self::try_extend_with) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn extend_with(&mut self, more: usize, make: impl FnMut(usize) -> T) {
        or_panic(self.try_extend_with(more, make));
    }

    /// Appends `more` elements whose bytes are all zero and returns them.
    ///
    /// # Complexity
    ///
    /// O(more), in one write of memory, and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_extend_zeroed(&mut self, more: usize) -> Result<&mut [T], GrowError>
    where
        T: Zeroable,
    {
        let room = self.try_grow_uninit(more)?;
        // SAFETY: the room is this long and may hold anything.
        unsafe { room.as_mut_ptr().write_bytes(0, more) };
        let before = self.buffer.len as usize;
        self.buffer.len += more as u32;
        Ok(&mut self.as_mut_slice()[before..])
    }

    /// Appends zeroed elements as [`try_extend_zeroed`](Self::try_extend_zeroed) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn extend_zeroed(&mut self, more: usize) -> &mut [T]
    where
        T: Zeroable,
    {
        or_panic(self.try_extend_zeroed(more))
    }
}
