//! Taking a table apart.

use core::fmt;
use core::iter::FusedIterator;
use core::mem::{self, ManuallyDrop};

use loligo_allocators::Allocator;

use crate::id::{Id, TableId};
use crate::policy::{FreeList, GenerationEnd, Lifo, Retire};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

/// The places of a table that are left to visit.
type Places<S, T, I> =
    <<S as Shape>::Parts<T, <I as TableId>::Repr> as Parts<T, <I as TableId>::Repr>>::Walk;

/// The objects of a [`Table`] taken by value, in the order of [`Table::iter`]. It owns the block,
/// and deallocates it when dropped.
///
/// For the ids as well take [`Table::drain`].
///
/// # Invariants
///
/// 1. The places that are left hold objects, and nothing else leads to them.
/// 2. The table is not used as one any more, but for its block.
pub struct TableIntoIter<
    'a,
    S: Shape,
    T,
    I: TableId = Id<T>,
    F: FreeList = Lifo,
    E: GenerationEnd = Retire,
    A: Allocator + ?Sized = dyn Allocator + 'a,
> {
    places: Places<S, T, I>,
    table: ManuallyDrop<Table<'a, S, T, I, F, E, A>>,
}

// SAFETY: the iterator owns its objects and its block, as a table does.
unsafe impl<S: Shape, T: Send, I: TableId, F: FreeList, E: GenerationEnd, A> Send
    for TableIntoIter<'_, S, T, I, F, E, A>
where
    A: Allocator + Sync + ?Sized,
{
}

// SAFETY: through a shared reference the iterator gives out shared references to its objects, to
// print them, and changes nothing.
unsafe impl<S: Shape, T: Sync, I: TableId, F: FreeList, E: GenerationEnd, A> Sync
    for TableIntoIter<'_, S, T, I, F, E, A>
where
    A: Allocator + Sync + ?Sized,
{
}

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> IntoIterator
    for Table<'a, S, T, I, F, E, A>
{
    type Item = T;
    type IntoIter = TableIntoIter<'a, S, T, I, F, E, A>;

    #[inline]
    fn into_iter(self) -> TableIntoIter<'a, S, T, I, F, E, A> {
        let places = self.parts.walk(self.used, self.len());
        TableIntoIter { places, table: ManuallyDrop::new(self) }
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    TableIntoIter<'_, S, T, I, F, E, A>
{
    #[inline]
    fn take_at(&self, place: usize) -> T {
        // SAFETY: an object is at a place that was left (invariant 1), and the place is not visited
        // again.
        unsafe { self.table.parts.object_at(place).read() }
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Iterator
    for TableIntoIter<'_, S, T, I, F, E, A>
{
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let place = self.places.next()?;
        Some(self.take_at(place))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    DoubleEndedIterator for TableIntoIter<'_, S, T, I, F, E, A>
{
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let place = self.places.next_back()?;
        Some(self.take_at(place))
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    ExactSizeIterator for TableIntoIter<'_, S, T, I, F, E, A>
{
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> FusedIterator
    for TableIntoIter<'_, S, T, I, F, E, A>
{
}

impl<S: Shape, T: fmt::Debug, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    fmt::Debug for TableIntoIter<'_, S, T, I, F, E, A>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.table.parts;
        // SAFETY: an object is at a place that is left (invariant 1), and `self` is borrowed.
        let left = self.places.clone().map(|place| unsafe { parts.object_at(place).as_ref() });
        f.debug_list().entries(left).finish()
    }
}

/// Drops the objects that are left of an iterator, and deallocates the block even if a destructor
/// panics.
struct Rest<'t, 'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>(
    &'t mut TableIntoIter<'a, S, T, I, F, E, A>,
);

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for Rest<'_, '_, S, T, I, F, E, A>
{
    fn drop(&mut self) {
        // Objects are left only after a destructor panicked; a second panic aborts, as with `Vec`.
        if mem::needs_drop::<T>() {
            self.0.by_ref().for_each(drop);
        }
        self.0.table.give_back();
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for TableIntoIter<'_, S, T, I, F, E, A>
{
    fn drop(&mut self) {
        let rest = Rest(self);
        if mem::needs_drop::<T>() {
            rest.0.by_ref().for_each(drop);
        }
    }
}
