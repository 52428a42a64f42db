//! Many elements at once, and the block as a whole.

use core::mem::MaybeUninit;
use core::slice;

use loligo_allocators::Allocator;

use super::{Ring, limit_of};
use crate::error::{GrowError, or_panic};

impl<T: Copy, A: Allocator + ?Sized> Ring<'_, T, A> {
    /// Appends copies of all elements of a slice.
    ///
    /// # Complexity
    ///
    /// O(elements), in at most two copies of memory, and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    ///
    /// # Examples
    ///
    /// A mixer writes as it gets samples, and the device reads as it needs them:
    ///
    /// ```
    /// # use loligo_allocators::StaticHeap;
    /// # static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// # let mut samples = loligo_containers::Ring::new(&MEMORY);
    /// samples.try_push_back_slice(&[1_i16, 2, 3, 4, 5])?;
    /// let mut period = [0; 4];
    /// assert_eq!(samples.pop_front_slice(&mut period), 4);
    /// assert_eq!((period, samples.len()), ([1, 2, 3, 4], 1));
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    #[inline]
    pub fn try_push_back_slice(&mut self, elements: &[T]) -> Result<(), GrowError> {
        self.try_reserve(elements.len())?;
        let slot = (self.tail & self.limit.wrapping_sub(1)) as usize;
        let until_end = self.limit as usize - slot;
        // A copy of nothing is still a call, so it is left out where all fit before the end.
        let split = elements.len().min(until_end);
        let place = self.place(self.tail);
        // SAFETY: that many slots are there, and no element is alive in them, as room for all was
        // made; the slice cannot be in the block, which is borrowed exclusively.
        unsafe { place.copy_from_nonoverlapping(elements.as_ptr(), split) };
        if split < elements.len() {
            let rest = &elements[split..];
            let start = self.buffer.start().as_ptr();
            // SAFETY: as above: the rest of the room is at the beginning of the block.
            unsafe { start.copy_from_nonoverlapping(rest.as_ptr(), rest.len()) };
        }
        self.tail = self.tail.wrapping_add(elements.len() as u32);
        Ok(())
    }

    /// Appends copies as [`try_push_back_slice`](Self::try_push_back_slice) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push_back_slice(&mut self, elements: &[T]) {
        or_panic(self.try_push_back_slice(elements));
    }

    /// Copies elements from the place `from` on, counted from the first, to `out`, and returns how
    /// many they were: less than `out` is long where the ring ends before. They stay where they
    /// are.
    ///
    /// # Complexity
    ///
    /// O(elements), in at most two copies of memory.
    #[inline]
    pub fn copy_to_slice(&self, from: usize, out: &mut [T]) -> usize {
        let count = out.len().min(self.len().saturating_sub(from));
        self.copy_out(self.head.wrapping_add(from as u32), &mut out[..count]);
        count
    }

    /// Takes as many of the first elements out as `out` can hold, or as there are, and returns how
    /// many they were.
    ///
    /// # Complexity
    ///
    /// O(elements), in at most two copies of memory.
    #[inline]
    pub fn pop_front_slice(&mut self, out: &mut [T]) -> usize {
        let count = out.len().min(self.len());
        self.copy_out(self.head, &mut out[..count]);
        self.head = self.head.wrapping_add(count as u32);
        count
    }

    /// Fills `out` with the elements from the number `first` on, of which there are enough.
    #[inline(always)]
    fn copy_out(&self, first: u32, out: &mut [T]) {
        if out.is_empty() {
            return;
        }
        let slot = (first & self.limit.wrapping_sub(1)) as usize;
        let split = out.len().min(self.limit as usize - slot);
        let start = self.buffer.start().as_ptr();
        // SAFETY: the elements from the number `first` on are alive (invariant 3), that many of
        // them before the end of the block; `out` cannot be in the block, which is borrowed.
        unsafe { out.as_mut_ptr().copy_from_nonoverlapping(self.place(first), split) };
        if split < out.len() {
            let rest = &mut out[split..];
            // SAFETY: as above: those that follow are at the beginning of the block.
            unsafe { rest.as_mut_ptr().copy_from_nonoverlapping(start, rest.len()) };
        }
    }
}

impl<T, A: Allocator + ?Sized> Ring<'_, T, A> {
    /// Returns the room after the last element as two slices, to be written to in this order. What
    /// is written counts as elements from [`count_more`](Self::count_more) on. O(1).
    #[inline]
    #[must_use]
    pub const fn spare_slices_mut(&mut self) -> (&mut [MaybeUninit<T>], &mut [MaybeUninit<T>]) {
        let (_, first, second) = self.pieces();
        let room = self.limit as usize - first - second;
        let place = self.place(self.tail).cast::<MaybeUninit<T>>();
        let slot = (self.tail & self.limit.wrapping_sub(1)) as usize;
        let behind = self.limit as usize - slot;
        let until_end = if room < behind { room } else { behind };
        let start = self.buffer.start().as_ptr().cast::<MaybeUninit<T>>();
        // SAFETY: from the tail's slot up to the head's or the end of the block no element is alive
        // (invariant 3); the borrow is exclusive, and those slots may be uninitialised.
        let end = unsafe { slice::from_raw_parts_mut(place, until_end) };
        // SAFETY: the rest of the room is at the beginning of the block, before the head's slot.
        (end, unsafe { slice::from_raw_parts_mut(start, room - until_end) })
    }

    /// Counts `count` more elements after the last. O(1).
    ///
    /// # Safety
    ///
    /// The first `count` of the room that [`spare_slices_mut`](Self::spare_slices_mut) returns are
    /// initialised.
    #[inline]
    pub const unsafe fn count_more(&mut self, count: usize) {
        debug_assert!(count <= self.capacity() - self.len(), "more than there is room for");
        self.tail = self.tail.wrapping_add(count as u32);
    }

    /// Appends everything that an iterator yields.
    ///
    /// # Complexity
    ///
    /// O(elements); the block moves at most once where the iterator says how many they are.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for one of them: that one and those put before it are
    /// dropped, and the ring is as it was. What the iterator holds is not asked for.
    pub fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<(), GrowError> {
        let before = self.len();
        let elements = elements.into_iter();
        self.try_reserve(elements.size_hint().0)?;
        for element in elements {
            if let Err(refused) = self.try_push_back(element) {
                self.truncate(before);
                return Err(refused);
            }
        }
        Ok(())
    }

    /// Returns a ring with clones of all elements, in memory of any allocator.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them; nothing was cloned.
    pub fn try_clone<'b>(&self, memory: &'b (dyn Allocator + 'b)) -> Result<Ring<'b, T>, GrowError>
    where
        T: Clone,
    {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<Ring<'b, T, B>, GrowError>
    where
        T: Clone,
    {
        let mut ring = Ring::try_with_capacity_in(self.len(), memory)?;
        ring.try_extend(self.iter().cloned())?;
        Ok(ring)
    }

    /// Moves the elements so that they are in one piece, and returns that.
    ///
    /// # Complexity
    ///
    /// O(1) where they do already, else O(capacity).
    pub fn make_contiguous(&mut self) -> &mut [T] {
        let (_, _, second) = self.pieces();
        if second > 0 {
            self.bring_to_start();
        }
        let (first, _) = self.as_mut_slices();
        first
    }

    /// Gives back what is more than the next power of two, as far as the allocator takes it.
    ///
    /// # Complexity
    ///
    /// O(capacity).
    ///
    /// # Errors
    ///
    /// [`GrowError::Memory`] if the allocator cannot; the elements and the capacity are as they
    /// were.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), GrowError> {
        let count = self.count();
        let limit = if count == 0 { 0 } else { count.next_power_of_two() };
        if limit >= self.limit {
            return Ok(());
        }
        self.bring_to_start();
        self.buffer.shrink(limit)?;
        self.limit = limit_of(self.buffer.capacity());
        Ok(())
    }

    /// Shrinks as [`try_shrink_to_fit`](Self::try_shrink_to_fit) does, or keeps the block where the
    /// allocator cannot shrink it, which does no harm.
    pub fn shrink_to_fit(&mut self) {
        let _ = self.try_shrink_to_fit();
    }

    /// Moves the elements to the beginning of the block.
    fn bring_to_start(&mut self) {
        let start = self.buffer.start().as_ptr().cast::<MaybeUninit<T>>();
        // SAFETY: the block has `limit` slots (invariant 1) and is borrowed exclusively; what is in
        // them may be uninitialised.
        let slots = unsafe { slice::from_raw_parts_mut(start, self.limit as usize) };
        let count = self.count();
        slots.rotate_left((self.head & self.limit.wrapping_sub(1)) as usize);
        self.head = 0;
        self.tail = count;
    }
}
