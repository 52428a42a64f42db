//! The items after an event's struct.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use bytemuck::AnyBitPattern;

/// The tail of an event: plain items, read one by one from whatever address they are at.
///
/// # Memory
///
/// 16 bytes; the items stay where they are.
pub struct EventTail<'s, T> {
    /// A whole number of items.
    bytes: &'s [u8],
    items: PhantomData<&'s [T]>,
}

impl<'s, T: AnyBitPattern> EventTail<'s, T> {
    /// Takes bytes that must be a whole number of items.
    pub(super) fn new(bytes: &'s [u8]) -> Option<Self> {
        const { assert!(size_of::<T>() > 0, "items of no size cannot be counted") };
        let whole = bytes.len().is_multiple_of(size_of::<T>());
        whole.then_some(Self { bytes, items: PhantomData })
    }

    /// Returns the item with this number, counted from those that are not taken yet.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T> {
        let from = index.checked_mul(size_of::<T>())?;
        self.bytes.get(from..)?.get(..size_of::<T>()).map(bytemuck::pod_read_unaligned)
    }

    /// Returns the items in place, if they are aligned there.
    #[must_use]
    pub fn as_slice(&self) -> Option<&'s [T]> {
        bytemuck::try_cast_slice(self.bytes).ok()
    }

    /// Returns the items as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &'s [u8] {
        self.bytes
    }
}

impl<T> Clone for EventTail<'_, T> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes, items: PhantomData }
    }
}

impl<T: AnyBitPattern> Iterator for EventTail<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let (item, rest) = self.bytes.split_at_checked(size_of::<T>())?;
        self.bytes = rest;
        Some(bytemuck::pod_read_unaligned(item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let items = self.bytes.len() / size_of::<T>();
        (items, Some(items))
    }
}

impl<T: AnyBitPattern> ExactSizeIterator for EventTail<'_, T> {}

impl<T: AnyBitPattern> FusedIterator for EventTail<'_, T> {}

impl<T: AnyBitPattern + fmt::Debug> fmt::Debug for EventTail<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
