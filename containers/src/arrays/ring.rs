//! A double-ended queue in a ring buffer.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose collections take an
//! allocator; the foundation library that he published in 2012 has such a queue. Changes:
//!
//! - The room is a power of two, so a place is found by masking and both ends are counters that run
//!   freely: a push writes one of them, a pop the other.
//! - Growing moves the shorter of both pieces, and nothing where the elements are in one piece.
//! - Running out of memory is an error where the caller wants it to be.

use core::ptr;
use core::slice;

use loligo_allocators::Allocator;

use crate::arrays::buffer::Buffer;
use crate::error::{GrowError, or_panic};

mod bulk;
mod iter;
#[cfg(test)]
mod tests;
mod traits;

pub use iter::{RingIntoIter, RingIter};

/// A queue with two ends in one block of an allocator.
///
/// ```text
///         tail                head
///          |                    |
/// | 4 | 5 |   |   |   |   | 1 | 2 | 3 |      room for a power of two of elements
///  second slice            first slice
/// ```
///
/// # Complexity
///
/// Pushing and popping at either end is O(1) amortised, O(len) where the block must move. An
/// element is found by its place in O(1).
///
/// # Memory
///
/// Nothing before the first element. Then one block for a power of two of elements,
/// `size_of::<T>()` bytes each, which doubles when it is full: at most half of it is room, or three
/// quarters where an allocator grants nearly twice what was asked for. The object itself is 40
/// bytes, 48 with `dyn Allocator`.
///
/// # Threads
///
/// `Send` where the elements are `Send` and the allocator is `Sync`; `Sync` where the elements are
/// `Sync`, too. It does not pass anything between threads by itself.
///
/// # When not to use it
///
/// Where elements come and go at one end only, an [`Array`](crate::Array) is one slice, and walks
/// as one.
///
/// # Examples
///
/// The last positions of a player, for smoothing:
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::Ring;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut trail = Ring::try_with_capacity(4, &MEMORY)?;
/// for step in 0..10 {
///     // Nothing is allocated: the oldest makes way.
///     trail.push_over(step as f32);
/// }
/// assert_eq!(trail, [6.0, 7.0, 8.0, 9.0]);
/// assert_eq!(trail.iter().sum::<f32>() / 4.0, 7.5);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. `limit` is a power of two, at most the buffer's capacity; or it is 0, and so are `head` and
///    `tail`.
/// 2. `tail - head`, which wraps around, is the length, and at most `limit`.
/// 3. The elements at `n & (limit - 1)` for all n from `head` up to `tail` are alive, and no
///    others.
pub struct Ring<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    buffer: Buffer<'a, T, A>,
    head: u32,
    tail: u32,
    limit: u32,
}

impl<'a, T> Ring<'a, T> {
    /// Returns an empty ring, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty ring with room for `capacity` elements at least, rounded up to a power of
    /// two.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity(
        capacity: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(capacity, memory)
    }
}

impl<'a, T, A: Allocator + ?Sized> Ring<'a, T, A> {
    /// The most elements that a ring can hold.
    pub const MAX_LEN: usize = 1 << 31;

    /// How many elements the first block has room for, unless a capacity was asked for.
    const FIRST: u32 = match size_of::<T>() {
        0..=16 => 8,
        17..=1024 => 4,
        _ => 1,
    };

    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        let buffer = Buffer::new(memory);
        let limit = limit_of(buffer.capacity());
        Self { buffer, head: 0, tail: 0, limit }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut ring = Self::new_in(memory);
        if capacity > ring.capacity() {
            ring.grow(capacity, 1)?;
        }
        Ok(ring)
    }

    /// Returns how many elements there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count() as usize
    }

    /// Returns `true` if there are no elements.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// Returns how many elements there is room for.
    #[inline]
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.limit as usize
    }

    /// Returns the allocator that the memory is from.
    #[inline]
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.buffer.memory()
    }

    /// Makes room for `more` elements, and for growing after that one by one.
    ///
    /// # Complexity
    ///
    /// O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    #[inline]
    pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        if more > (self.limit - self.count()) as usize {
            return self.grow(more, Self::FIRST);
        }
        Ok(())
    }

    /// Makes room as [`try_reserve`](Self::try_reserve) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve(&mut self, more: usize) {
        or_panic(self.try_reserve(more));
    }

    /// Appends an element.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the element is dropped and nothing else has changed.
    #[inline]
    pub fn try_push_back(&mut self, element: T) -> Result<(), GrowError> {
        if self.count() == self.limit {
            self.grow(1, Self::FIRST)?;
        }
        let place = self.place(self.tail);
        // SAFETY: `tail` less `limit` is below `head`, as there is room, so no element lives there
        // (invariant 3); the place is within the block.
        unsafe { place.write(element) };
        self.tail = self.tail.wrapping_add(1);
        Ok(())
    }

    /// Appends an element as [`try_push_back`](Self::try_push_back) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push_back(&mut self, element: T) {
        or_panic(self.try_push_back(element));
    }

    /// Puts an element before the first.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the element is dropped and nothing else has changed.
    #[inline]
    pub fn try_push_front(&mut self, element: T) -> Result<(), GrowError> {
        if self.count() == self.limit {
            self.grow(1, Self::FIRST)?;
        }
        let head = self.head.wrapping_sub(1);
        // SAFETY: there is room, so no element lives before the first (invariant 3); the place is
        // within the block.
        unsafe { self.place(head).write(element) };
        self.head = head;
        Ok(())
    }

    /// Puts an element before the first as [`try_push_front`](Self::try_push_front) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push_front(&mut self, element: T) {
        or_panic(self.try_push_front(element));
    }

    /// Appends an element without ever allocating: if the ring is full, its first element is
    /// removed and returned; if it has no room at all, `element` itself is returned. O(1).
    #[inline]
    pub fn push_over(&mut self, element: T) -> Option<T> {
        if self.limit == 0 {
            return Some(element);
        }
        let first = if self.count() == self.limit { self.pop_front() } else { None };
        let place = self.place(self.tail);
        // SAFETY: there is room now, so no element lives there (invariant 3).
        unsafe { place.write(element) };
        self.tail = self.tail.wrapping_add(1);
        first
    }

    /// Takes the first element out, or returns `None` if there is none. O(1).
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let place = self.place(self.head);
        self.head = self.head.wrapping_add(1);
        // SAFETY: the element was alive (invariant 3) and is counted no more, so it is moved out
        // once.
        Some(unsafe { place.read() })
    }

    /// Takes the last element out, or returns `None` if there is none. O(1).
    #[inline]
    pub fn pop_back(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.tail = self.tail.wrapping_sub(1);
        // SAFETY: the element was alive (invariant 3) and is counted no more, so it is moved out
        // once.
        Some(unsafe { self.place(self.tail).read() })
    }

    /// Returns the element at a place counted from the first, or `None` if there is none. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index >= self.len() {
            return None;
        }
        let place = self.place(self.head.wrapping_add(index as u32));
        // SAFETY: the element is alive (invariant 3); the borrow of the ring keeps it.
        Some(unsafe { &*place })
    }

    /// Returns the element at a place counted from the first, to be changed, or `None` if there is
    /// none. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len() {
            return None;
        }
        let place = self.place(self.head.wrapping_add(index as u32));
        // SAFETY: the element is alive (invariant 3); the borrow is exclusive.
        Some(unsafe { &mut *place })
    }

    /// Returns the first element. O(1).
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// Returns the first element, to be changed. O(1).
    #[must_use]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }

    /// Returns the last element. O(1).
    #[must_use]
    pub fn back(&self) -> Option<&T> {
        self.get(self.len().wrapping_sub(1))
    }

    /// Returns the last element, to be changed. O(1).
    #[must_use]
    pub fn back_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().wrapping_sub(1))
    }

    /// Returns all elements as two slices, the first ones in the first. The second is empty where
    /// they are in one piece. O(1).
    #[inline]
    #[must_use]
    pub const fn as_slices(&self) -> (&[T], &[T]) {
        let (place, first, second) = self.pieces();
        let start = self.buffer.start().as_ptr();
        // SAFETY: that many elements are alive there (invariant 3); the borrow of the ring keeps
        // them.
        let first = unsafe { slice::from_raw_parts(place, first) };
        // SAFETY: as above: those that follow are at the beginning of the block.
        (first, unsafe { slice::from_raw_parts(start, second) })
    }

    /// Returns all elements as two slices, to be changed, as [`as_slices`](Self::as_slices) does.
    /// O(1).
    #[inline]
    #[must_use]
    pub const fn as_mut_slices(&mut self) -> (&mut [T], &mut [T]) {
        let (place, first, second) = self.pieces();
        let start = self.buffer.start().as_ptr();
        // SAFETY: that many elements are alive there (invariant 3); the borrow is exclusive.
        let first = unsafe { slice::from_raw_parts_mut(place, first) };
        // SAFETY: as above; the second piece ends before the first begins.
        (first, unsafe { slice::from_raw_parts_mut(start, second) })
    }

    /// Drops all elements beyond the first `len`. O(dropped).
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        let (first, second) = self.as_mut_slices();
        let kept = len.min(first.len());
        let rest = [ptr::from_mut(&mut first[kept..]), ptr::from_mut(&mut second[len - kept..])];
        self.tail = self.head.wrapping_add(len as u32);
        // SAFETY: these were alive (invariant 3), and are not counted any more.
        unsafe { drop_both(rest) };
    }

    /// Drops the first `count` elements, or all if there are fewer. O(dropped).
    pub fn truncate_front(&mut self, count: usize) {
        let count = count.min(self.len());
        let (first, second) = self.as_mut_slices();
        let whole = count.min(first.len());
        let gone =
            [ptr::from_mut(&mut first[..whole]), ptr::from_mut(&mut second[..count - whole])];
        self.head = self.head.wrapping_add(count as u32);
        // SAFETY: these were alive (invariant 3), and are not counted any more.
        unsafe { drop_both(gone) };
    }

    /// Drops all elements and keeps the block. O(len).
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Exchanges the elements at two places. O(1).
    ///
    /// # Panics
    ///
    /// If there is no element at one of them.
    #[inline]
    pub fn swap(&mut self, a: usize, b: usize) {
        let len = self.len();
        assert!(a < len && b < len, "the elements {a} and {b} of {len} were to be exchanged");
        let a = self.place(self.head.wrapping_add(a as u32));
        let b = self.place(self.head.wrapping_add(b as u32));
        // SAFETY: both elements are alive (invariant 3), and borrowed exclusively; they may be one.
        unsafe { a.swap(b) };
    }

    /// Takes the element at a place out, or returns `None` if there is none. O(min(index, len -
    /// index)).
    pub fn remove(&mut self, index: usize) -> Option<T> {
        let len = self.len();
        if index >= len {
            return None;
        }
        if index < len / 2 {
            for before in (0..index).rev() {
                self.swap(before, before + 1);
            }
            return self.pop_front();
        }
        for place in index..len - 1 {
            self.swap(place, place + 1);
        }
        self.pop_back()
    }

    /// Keeps the elements that `keep` says yes to, in their order, and drops the others when it has
    /// been asked about all. O(len).
    ///
    /// If `keep` panics, all elements stay, in another order.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut kept = 0;
        for index in 0..self.len() {
            if keep(&mut self[index]) {
                self.swap(kept, index);
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// Returns the slot of a number between `head` and `tail`. It is within the block where there
    /// is one, as a number's last bits are below `limit`.
    #[inline(always)]
    const fn place(&self, number: u32) -> *mut T {
        let slot = number & self.limit.wrapping_sub(1);
        // Callers make sure that there is a block; the address is not used otherwise.
        self.buffer.start().as_ptr().wrapping_add(slot as usize)
    }

    #[inline(always)]
    const fn count(&self) -> u32 {
        self.tail.wrapping_sub(self.head)
    }

    /// Returns where the first piece begins, how long it is, and how long the second is, which is
    /// at the beginning of the block.
    #[inline(always)]
    const fn pieces(&self) -> (*mut T, usize, usize) {
        let slot = self.head & self.limit.wrapping_sub(1);
        let (count, behind) = (self.count(), self.limit - slot);
        let first = if count < behind { count } else { behind };
        (self.place(self.head), first as usize, (count - first) as usize)
    }

    /// Makes room for `more` elements and at least `least`, and puts the pieces in order.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize, least: u32) -> Result<(), GrowError> {
        let wanted = (self.len() as u64).saturating_add(more as u64);
        let limit = Self::MAX_LEN as u64;
        if wanted > limit {
            return Err(GrowError::Length { wanted, limit });
        }
        let limit = (wanted as u32).next_power_of_two().max(least);
        let old = self.limit;
        self.buffer.grow_exact(0, limit as usize)?;
        self.limit = limit_of(self.buffer.capacity());
        self.spread(old);
        Ok(())
    }

    /// Puts the elements in order after the limit rose from `old` to twice that or more.
    fn spread(&mut self, old: u32) {
        let count = self.count();
        let slot = self.head & old.wrapping_sub(1);
        let first = count.min(old - slot);
        let second = count - first;
        self.head = slot;
        if second <= first {
            // The second piece goes after the first: at least as many slots are new as there were.
            // SAFETY: that many elements are alive at the beginning, and none beyond the old slots.
            unsafe { self.copy_slots(0, old, second) };
        } else {
            // The first piece goes to the end of the block.
            // SAFETY: that many elements are alive from `slot` on, and none beyond the old slots.
            unsafe { self.copy_slots(slot, self.limit - first, first) };
            self.head = self.limit - first;
        }
        self.tail = self.head.wrapping_add(count);
    }

    /// Copies elements from one run of slots to another.
    ///
    /// # Safety
    ///
    /// Both runs are within the block and apart; elements are alive in the first and none in the
    /// second.
    unsafe fn copy_slots(&mut self, from: u32, to: u32, count: u32) {
        let start = self.buffer.start().as_ptr();
        // SAFETY: within the block, as promised.
        let from = unsafe { start.add(from as usize) };
        // SAFETY: within the block, as promised.
        let to = unsafe { start.add(to as usize) };
        // SAFETY: as promised.
        unsafe { to.copy_from_nonoverlapping(from, count as usize) };
    }
}

impl<T, A: Allocator + ?Sized> Drop for Ring<'_, T, A> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns how many elements a ring may hold in a block for `capacity`: the greatest power of two.
const fn limit_of(capacity: u32) -> u32 {
    if capacity == 0 { 0 } else { 1 << capacity.ilog2() }
}

/// Drops the elements of both pieces, those of the second also when a destructor of the first
/// panics.
///
/// # Safety
///
/// The elements are alive, and nothing names them any more.
unsafe fn drop_both<T>([first, second]: [*mut [T]; 2]) {
    struct Second<T>(*mut [T]);
    impl<T> Drop for Second<T> {
        fn drop(&mut self) {
            // SAFETY: as `drop_both` was promised.
            unsafe { self.0.drop_in_place() };
        }
    }
    let _second = Second(second);
    // SAFETY: as promised.
    unsafe { first.drop_in_place() };
}
