//! What a map is to others: something to index by ids, to walk, to clone, to extend and to print.

use core::any::type_name;
use core::fmt;
use core::ops::{Index, IndexMut};

use loligo_allocators::Allocator;

use super::{Placement, Secondary};
use crate::error::{InsertError, or_panic};
use crate::id::TableId;
use crate::table::{Holes, IterWithIds, IterWithIdsMut, Parts};

/// `map[id]`: the value of the id. Panics if there is none; [`get`](Secondary::get) returns `None`
/// instead.
impl<I: TableId, T, A: Allocator + ?Sized, P: Placement> Index<I> for Secondary<'_, I, T, A, P> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        match self.get(id) {
            Some(value) => value,
            None => absent::<T, I>(id, self.len),
        }
    }
}

/// `map[id]`, to be changed. Panics if there is no value; [`get_mut`](Secondary::get_mut) returns
/// `None` instead.
impl<I: TableId, T, A: Allocator + ?Sized, P: Placement> IndexMut<I> for Secondary<'_, I, T, A, P> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        let len = self.len;
        match self.get_mut(id) {
            Some(value) => value,
            None => absent::<T, I>(id, len),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn absent<T, I: TableId>(id: I, len: usize) -> ! {
    panic!("{id:?} has no value in a map of {len} `{}`", type_name::<T>())
}

impl<I: TableId, T: Clone, A: Allocator + ?Sized, P: Placement> Secondary<'_, I, T, A, P> {
    /// Returns a map with clones of all values, in memory of any allocator.
    ///
    /// # Complexity
    ///
    /// O(capacity). Takes one block.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if memory is refused; nothing was cloned.
    pub fn try_clone<'b>(
        &self,
        memory: &'b (dyn Allocator + 'b),
    ) -> Result<Secondary<'b, I, T, dyn Allocator + 'b, P>, InsertError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<Secondary<'b, I, T, B, P>, InsertError> {
        let mut copy = Secondary::new_in(memory);
        if self.capacity == 0 {
            return Ok(copy);
        }
        (copy.parts, copy.mask) = Secondary::<I, T, B, P>::block_for(memory, self.capacity)?;
        copy.capacity = self.capacity;
        for place in self.parts.walk(self.capacity, self.len) {
            // SAFETY: the word where there is a value is the bits of an id, which are not 0.
            let id = unsafe { I::unchecked(self.parts.word(place)) };
            let stale = copy.put(place, id, self.value_at(place).clone());
            debug_assert!(stale.is_none(), "every value has a place");
        }
        Ok(copy)
    }

    /// Sets the values of many ids. Where an id is named twice, the last value stays.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if memory is refused; the values before are in the map.
    pub fn try_extend(
        &mut self,
        values: impl IntoIterator<Item = (I, T)>,
    ) -> Result<(), InsertError> {
        values.into_iter().try_for_each(|(id, value)| self.insert(id, value).map(drop))
    }
}

/// Clones into memory of the same allocator; panics if there is none.
/// [`try_clone`](Secondary::try_clone) returns an error instead.
impl<I: TableId, T: Clone, A: Allocator + ?Sized, P: Placement> Clone
    for Secondary<'_, I, T, A, P>
{
    #[track_caller]
    fn clone(&self) -> Self {
        or_panic(self.try_clone_in(self.memory))
    }
}

/// Sets values; panics if there is no memory. [`insert`](Secondary::insert) returns an error
/// instead.
impl<I: TableId, T, A: Allocator + ?Sized, P: Placement> Extend<(I, T)>
    for Secondary<'_, I, T, A, P>
{
    #[track_caller]
    fn extend<V: IntoIterator<Item = (I, T)>>(&mut self, values: V) {
        for (id, value) in values {
            drop(or_panic(self.insert(id, value)));
        }
    }
}

impl<'m, I: TableId, T, A: Allocator + ?Sized, P: Placement> IntoIterator
    for &'m Secondary<'_, I, T, A, P>
{
    type Item = (I, &'m T);
    type IntoIter = IterWithIds<'m, Holes, T, I>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'m, I: TableId, T, A: Allocator + ?Sized, P: Placement> IntoIterator
    for &'m mut Secondary<'_, I, T, A, P>
{
    type Item = (I, &'m mut T);
    type IntoIter = IterWithIdsMut<'m, Holes, T, I>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<I: TableId, T: fmt::Debug, A: Allocator + ?Sized, P: Placement> fmt::Debug
    for Secondary<'_, I, T, A, P>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
