//! What only a packed table can do: show its objects as a slice.

use core::slice;

use loligo_allocators::Allocator;

use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::shape::Parts;
use crate::table::{Packed, Table};

impl<T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, Packed, T, I, F, E, A>
{
    /// Returns the objects, in no order that lasts.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: the first `len` places hold objects, and nothing changes them while `self` is
        // borrowed.
        unsafe { slice::from_raw_parts(self.parts.objects().as_ptr(), self.len()) }
    }

    /// Returns the objects, to be changed. Each keeps its id, also if two are swapped.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, and `self` is borrowed for this alone.
        unsafe { slice::from_raw_parts_mut(self.parts.objects().as_ptr(), self.len()) }
    }

    /// Returns the id of the object at a place of the slice.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn id_at(&self, place: usize) -> Option<I> {
        if place >= self.len() {
            return None;
        }
        I::checked(self.parts.bits_at(place))
    }
}
