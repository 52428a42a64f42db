//! Dropping some elements and closing the gaps.

use loligo_allocators::Allocator;

use super::Array;

impl<T, A: Allocator + ?Sized> Array<'_, T, A> {
    /// Keeps the elements that `keep` says yes to, in their order, and drops the others.
    ///
    /// If `keep` or a destructor panics, the elements not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(len) calls; each element that stays is moved once at most.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::StaticHeap;
    /// # static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// # let mut fuses = loligo_containers::Array::new(&MEMORY);
    /// fuses.extend_from_slice(&[3, 1, 2, 1]);
    /// fuses.retain(|left| {
    ///     *left -= 1;
    ///     *left > 0
    /// });
    /// assert_eq!(fuses, [2, 1]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut sieve = Sieve::new(self);
        while let Some(element) = sieve.next() {
            if keep(element) {
                sieve.keep();
            } else {
                sieve.discard();
            }
        }
    }

    /// Drops each element that `same` calls the same as the last one kept before it; it is given
    /// the element, then that one.
    ///
    /// If `same` or a destructor panics, the elements not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(len) calls; each element that stays is moved once at most.
    pub fn dedup_by(&mut self, mut same: impl FnMut(&mut T, &mut T) -> bool) {
        let mut sieve = Sieve::new(self);
        if sieve.next().is_some() {
            sieve.keep();
        }
        while let Some((element, last)) = sieve.next_and_last() {
            if same(element, last) {
                sieve.discard();
            } else {
                sieve.keep();
            }
        }
    }

    /// Drops each element with the same key as the last one kept before it, as
    /// [`dedup_by`](Self::dedup_by) does.
    pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&mut T) -> K) {
        self.dedup_by(|element, last| key(element) == key(last));
    }

    /// Drops each element that equals the last one kept before it, as [`dedup_by`](Self::dedup_by)
    /// does: of a sorted array, all duplicates.
    pub fn dedup(&mut self)
    where
        T: PartialEq,
    {
        self.dedup_by(|element, last| element == last);
    }
}

/// An array while its elements are looked at one by one.
///
/// ```text
/// | kept | gap | not yet looked at |
/// 0      kept  next               end
/// ```
///
/// # Invariants
///
/// 1. The elements below `kept` and those from `next` to `end` are alive, and no others; the array
///    counts none of them. `kept <= next <= end`, and all were alive in the array before.
struct Sieve<'s, 'a, T, A: Allocator + ?Sized> {
    array: &'s mut Array<'a, T, A>,
    kept: usize,
    next: usize,
    end: usize,
}

impl<'s, 'a, T, A: Allocator + ?Sized> Sieve<'s, 'a, T, A> {
    fn new(array: &'s mut Array<'a, T, A>) -> Self {
        let end = core::mem::take(&mut array.buffer.len) as usize;
        Self { array, kept: 0, next: 0, end }
    }

    /// Returns the element to decide on.
    #[inline(always)]
    fn next(&mut self) -> Option<&mut T> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: `next` is below `end`, which was the length.
        let mut place = unsafe { self.array.buffer.start().add(self.next) };
        // SAFETY: the element is alive (invariant 1), and the array is borrowed exclusively.
        Some(unsafe { place.as_mut() })
    }

    /// Returns the element to decide on and the last one kept, of which there is one.
    #[inline(always)]
    fn next_and_last(&mut self) -> Option<(&mut T, &mut T)> {
        if self.next == self.end || self.kept == 0 {
            return None;
        }
        // SAFETY: `next` is below `end`, which was the length.
        let mut place = unsafe { self.array.buffer.start().add(self.next) };
        // SAFETY: `kept` is not 0 and at most `next`.
        let mut last = unsafe { self.array.buffer.start().add(self.kept - 1) };
        // SAFETY: the element is alive (invariant 1), and the array is borrowed exclusively.
        let element = unsafe { place.as_mut() };
        // SAFETY: as above, and it is another, as `kept - 1` is below `next`.
        Some((element, unsafe { last.as_mut() }))
    }

    /// Keeps the element that was to be decided on.
    #[inline(always)]
    fn keep(&mut self) {
        if self.kept != self.next {
            // SAFETY: both are below `end`, which was the length.
            let from = unsafe { self.array.buffer.start().add(self.next) };
            // SAFETY: as above.
            let place = unsafe { self.array.buffer.start().add(self.kept) };
            // SAFETY: the element is alive, and its new place, another, is in the gap (invariant
            // 1).
            unsafe { place.copy_from_nonoverlapping(from, 1) };
        }
        self.kept += 1;
        self.next += 1;
    }

    /// Drops the element that was to be decided on.
    #[inline(always)]
    fn discard(&mut self) {
        // SAFETY: `next` is below `end`, which was the length.
        let place = unsafe { self.array.buffer.start().add(self.next) };
        // It belongs to the gap before its destructor runs, which may panic.
        self.next += 1;
        // SAFETY: the element was alive, and nothing names it now.
        unsafe { place.drop_in_place() };
    }
}

impl<T, A: Allocator + ?Sized> Drop for Sieve<'_, '_, T, A> {
    fn drop(&mut self) {
        let rest = self.end - self.next;
        if rest > 0 && self.kept != self.next {
            // SAFETY: `next` is below `end`, which was the length.
            let from = unsafe { self.array.buffer.start().add(self.next) };
            // SAFETY: `kept` is at most `next`.
            let place = unsafe { self.array.buffer.start().add(self.kept) };
            // SAFETY: that many elements are alive from `next` on (invariant 1); below them is the
            // gap.
            unsafe { place.copy_from(from, rest) };
        }
        self.array.buffer.len = (self.kept + rest) as u32;
    }
}
