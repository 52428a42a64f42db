//! What a table is to others: something to index by ids, to clone and to extend.

use core::any::type_name;
use core::ops::{Index, IndexMut};

use loligo_allocators::Allocator;

use crate::error::{InsertError, or_panic};
use crate::id::{TableId, tag_of};
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::Shape;

/// `table[id]`: the object that the id names. Panics if there is none; [`get`](Table::get) returns
/// `None` instead.
impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Index<I>
    for Table<'_, S, T, I, F, E, A>
{
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        match self.get(id) {
            Some(object) => object,
            None => absent::<T, I>(id, self.len(), self.tag()),
        }
    }
}

/// `table[id]`, to be changed. Panics if there is no such object; [`get_mut`](Table::get_mut)
/// returns `None` instead.
impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> IndexMut<I>
    for Table<'_, S, T, I, F, E, A>
{
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        let (len, tag) = (self.len(), self.tag());
        match self.get_mut(id) {
            Some(object) => object,
            None => absent::<T, I>(id, len, tag),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn absent<T, I: TableId>(id: I, len: usize, own: u64) -> ! {
    let objects = type_name::<T>();
    if tag_of::<I>(id.bits()) != own {
        panic!("{id:?} is not of this table of {len} `{objects}`, whose ids have the tag {own}")
    }
    panic!("{id:?} names nothing in this table of {len} `{objects}`: its object was removed")
}

/// Clones into memory of the same allocator, as [`try_clone`](Table::try_clone) does. Panics if
/// there is no memory, and for a table in memory of the caller.
impl<S: Shape, T: Clone, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Clone
    for Table<'_, S, T, I, F, E, A>
{
    #[track_caller]
    fn clone(&self) -> Self {
        or_panic(match self.memory {
            Some(memory) => self.try_clone_in(memory),
            None => Err::<Self, InsertError>(Self::refused(self.capacity)),
        })
    }
}

/// Inserts; panics if there is no memory or the table is full. [`try_extend`](Table::try_extend)
/// returns an error instead.
impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Extend<T>
    for Table<'_, S, T, I, F, E, A>
{
    #[track_caller]
    fn extend<V: IntoIterator<Item = T>>(&mut self, values: V) {
        or_panic(self.try_extend(values));
    }
}
