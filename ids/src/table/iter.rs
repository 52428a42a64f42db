//! Walks over the objects of a table, with and without their ids.

use core::fmt;
use core::hint::assert_unchecked;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::shape::{Parts, Shape};
use crate::table::{HoleParts, Holes, Table};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Visits the objects: in order of their slots in a [`HoleTable`](crate::HoleTable), in order
    /// of [`as_slice`](crate::PackedTable::as_slice) in a [`PackedTable`](crate::PackedTable).
    ///
    /// # Complexity
    ///
    /// O(1) an object; with holes also a step for every 64 slots.
    #[inline]
    pub fn iter(&self) -> Iter<'_, S, T, I> {
        Iter { walk: self.walk() }
    }

    /// Visits the objects, to be changed, in the order of [`iter`](Self::iter).
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, S, T, I> {
        IterMut { walk: self.walk(), lent: PhantomData }
    }

    /// Visits the ids, in the order of [`iter`](Self::iter).
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn ids(&self) -> Ids<'_, S, T, I> {
        Ids { walk: self.walk() }
    }

    /// Visits the objects with their ids, in the order of [`iter`](Self::iter).
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_with_ids(&self) -> IterWithIds<'_, S, T, I> {
        IterWithIds { walk: self.walk() }
    }

    /// Visits the objects with their ids, to be changed, in the order of [`iter`](Self::iter).
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::HoleTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut ages: HoleTable<u32> = HoleTable::new(&MEMORY);
    /// let first = ages.insert(30)?;
    /// ages.insert(40)?;
    /// for (id, age) in ages.iter_with_ids_mut() {
    ///     *age += u32::from(id == first);
    /// }
    /// assert!(ages.iter().eq(&[31, 40]));
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    #[inline]
    pub fn iter_with_ids_mut(&mut self) -> IterWithIdsMut<'_, S, T, I> {
        IterWithIdsMut { walk: self.walk(), lent: PhantomData }
    }

    #[inline]
    fn walk(&self) -> Walk<'_, S, T, I> {
        let places = self.parts.walk(self.used, self.len());
        Walk { parts: self.parts, places, table: PhantomData }
    }
}

/// The places that are left to visit in a table that is borrowed for `'t`.
struct Walk<'t, S: Shape, T, I: TableId> {
    parts: S::Parts<T, I::Repr>,
    places: <S::Parts<T, I::Repr> as Parts<T, I::Repr>>::Walk,
    table: PhantomData<(&'t T, I)>,
}

// SAFETY: a walk only leads to the objects of a table that is borrowed; the code that turns places
// into references has the bounds on `T`.
unsafe impl<S: Shape, T: Sync, I: TableId> Send for Walk<'_, S, T, I> {}

// SAFETY: as above; a shared walk cannot be advanced.
unsafe impl<S: Shape, T: Sync, I: TableId> Sync for Walk<'_, S, T, I> {}

impl<S: Shape, T, I: TableId> Walk<'_, S, T, I> {
    /// Returns the address of the object at a live place.
    #[inline]
    fn object_at(parts: S::Parts<T, I::Repr>, place: usize) -> NonNull<T> {
        let object = parts.object_at(place);
        // SAFETY: it is a `NonNull`; the compiler forgets that on the way, and would look at each
        // object's address for the end of the walk.
        unsafe { assert_unchecked(object.addr().get() != 0) };
        object
    }

    #[inline]
    fn id_at(parts: S::Parts<T, I::Repr>, place: usize) -> I {
        // SAFETY: the bits at a live place are those of an id, which are never 0.
        unsafe { I::unchecked(parts.bits_at(place)) }
    }

    /// Visits the ids and the objects that are left, to be printed.
    fn left(&self) -> impl Iterator<Item = (I, &T)> {
        let parts = self.parts;
        self.places.clone().map(move |place| {
            // SAFETY: an object is at a live place, and the table is borrowed. Where it is borrowed
            // mutably, the object was not given out: its place is left.
            (Self::id_at(parts, place), unsafe { Self::object_at(parts, place).as_ref() })
        })
    }
}

impl<S: Shape, T, I: TableId> Clone for Walk<'_, S, T, I> {
    fn clone(&self) -> Self {
        Self { parts: self.parts, places: self.places.clone(), table: PhantomData }
    }
}

macro_rules! walk {
    (
        $(#[$doc:meta])* $name:ident<$t:lifetime, $object:ident, $id:ident>,
        $item:ty, { $($field:ident)? },
        |$parts:ident, $place:ident| $give:expr
    ) => {
        $(#[$doc])*
        pub struct $name<$t, S: Shape, $object, $id: TableId> {
            walk: Walk<$t, S, $object, $id>,
            $(
                /// The objects are borrowed mutably.
                $field: PhantomData<&$t mut $object>,
            )?
        }

        impl<$t, S: Shape, $object, $id: TableId> Iterator for $name<$t, S, $object, $id> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let $place = self.walk.places.next()?;
                let $parts = self.walk.parts;
                Some($give)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.walk.places.size_hint()
            }

            #[inline]
            fn fold<B, G: FnMut(B, Self::Item) -> B>(self, init: B, mut f: G) -> B {
                let $parts = self.walk.parts;
                self.walk.places.fold(init, |folded, $place| f(folded, $give))
            }
        }

        impl<$t, S: Shape, $object, $id: TableId> DoubleEndedIterator
            for $name<$t, S, $object, $id>
        {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let $place = self.walk.places.next_back()?;
                let $parts = self.walk.parts;
                Some($give)
            }
        }

        impl<S: Shape, $object, $id: TableId> ExactSizeIterator for $name<'_, S, $object, $id> {}
        impl<S: Shape, $object, $id: TableId> FusedIterator for $name<'_, S, $object, $id> {}
    };
}

walk!(
    /// The objects of a [`Table`], returned by [`Table::iter`].
    Iter<'t, T, I>, &'t T, {},
    // SAFETY: an object is at a live place, and the table is borrowed for `'t`.
    |parts, place| unsafe { Walk::<S, T, I>::object_at(parts, place).as_ref() }
);
walk!(
    /// The objects of a [`Table`], returned by [`Table::iter_mut`].
    IterMut<'t, T, I>, &'t mut T, { lent },
    // SAFETY: an object is at a live place, the table is borrowed mutably for `'t`, and each place
    // is visited once.
    |parts, place| unsafe { Walk::<S, T, I>::object_at(parts, place).as_mut() }
);
walk!(
    /// The ids of a [`Table`], given by [`Table::ids`].
    Ids<'t, T, I>, I, {},
    |parts, place| Walk::<S, T, I>::id_at(parts, place)
);
walk!(
    /// The objects of a [`Table`] with their ids, returned by [`Table::iter_with_ids`].
    IterWithIds<'t, T, I>, (I, &'t T), {},
    // SAFETY: an object is at a live place, and the table is borrowed for `'t`.
    |parts, place| (Walk::<S, T, I>::id_at(parts, place), unsafe {
        Walk::<S, T, I>::object_at(parts, place).as_ref()
    })
);
walk!(
    /// The objects of a [`Table`] with their ids, returned by [`Table::iter_with_ids_mut`].
    IterWithIdsMut<'t, T, I>, (I, &'t mut T), { lent },
    // SAFETY: an object is at a live place, the table is borrowed mutably for `'t`, and each place
    // is visited once.
    |parts, place| (Walk::<S, T, I>::id_at(parts, place), unsafe {
        Walk::<S, T, I>::object_at(parts, place).as_mut()
    })
);

impl<'t, T, I: TableId> IterWithIds<'t, Holes, T, I> {
    /// Returns a walk over the live places of a map that is laid out as a table with holes.
    ///
    /// # Safety
    ///
    /// At each of the `len` places below `used` whose bit is set is an object, whose word is the
    /// bits of an id. Neither changes for `'t`.
    #[inline]
    pub(crate) unsafe fn over(parts: HoleParts<T, I::Repr>, used: usize, len: usize) -> Self {
        Self { walk: Walk { parts, places: parts.walk(used, len), table: PhantomData } }
    }
}

impl<'t, T, I: TableId> IterWithIdsMut<'t, Holes, T, I> {
    /// Returns a walk over the live places of a map that is laid out as a table with holes.
    ///
    /// # Safety
    ///
    /// As [`IterWithIds::over`], and nothing else leads to the objects for `'t`.
    #[inline]
    pub(crate) unsafe fn over(parts: HoleParts<T, I::Repr>, used: usize, len: usize) -> Self {
        let walk = Walk { parts, places: parts.walk(used, len), table: PhantomData };
        Self { walk, lent: PhantomData }
    }
}

/// A walk over shared references can be taken twice: from here on, as often as it is cloned.
macro_rules! clone {
    ($($name:ident)*) => {$(
        impl<S: Shape, T, I: TableId> Clone for $name<'_, S, T, I> {
            fn clone(&self) -> Self {
                Self { walk: self.walk.clone() }
            }
        }
    )*};
}

clone!(Iter Ids IterWithIds);

/// Prints what is left to visit, as `$debug` prints the ids and objects.
macro_rules! debug {
    ($($name:ident: $($bound:path)?, |$entries:ident, $f:ident| $debug:expr;)*) => {$(
        impl<S: Shape, T $(: $bound)?, I: TableId> fmt::Debug for $name<'_, S, T, I> {
            fn fmt(&self, $f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $entries = self.walk.left();
                $debug.finish()
            }
        }
    )*};
}

debug! {
    Iter: fmt::Debug, |entries, f| f.debug_list().entries(entries.map(|(_, object)| object));
    IterMut: fmt::Debug, |entries, f| f.debug_list().entries(entries.map(|(_, object)| object));
    Ids: , |entries, f| f.debug_list().entries(entries.map(|(id, _)| id));
    IterWithIds: fmt::Debug, |entries, f| f.debug_map().entries(entries);
    IterWithIdsMut: fmt::Debug, |entries, f| f.debug_map().entries(entries);
}

impl<'t, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> IntoIterator
    for &'t Table<'_, S, T, I, F, E, A>
{
    type Item = &'t T;
    type IntoIter = Iter<'t, S, T, I>;

    #[inline]
    fn into_iter(self) -> Iter<'t, S, T, I> {
        self.iter()
    }
}

impl<'t, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> IntoIterator
    for &'t mut Table<'_, S, T, I, F, E, A>
{
    type Item = &'t mut T;
    type IntoIter = IterMut<'t, S, T, I>;

    #[inline]
    fn into_iter(self) -> IterMut<'t, S, T, I> {
        self.iter_mut()
    }
}

/// A map from ids to objects, in the order of iteration.
impl<S: Shape, T: fmt::Debug, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    fmt::Debug for Table<'_, S, T, I, F, E, A>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter_with_ids()).finish()
    }
}
