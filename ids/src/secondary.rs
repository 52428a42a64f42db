//! More data for the objects of a table, keyed by the same ids.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011): the index in
//! an id may lead into more arrays than one. Changes: such an array keeps its own generations, so
//! it detects a stale id, too, without asking the table.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "`len` counts words that are not 0, and slots are below the capacity"
)]

use core::marker::PhantomData;
use core::mem;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::TableId;
use crate::table::{HoleParts, Holes, IterWithIds, IterWithIdsMut, Parts};

mod entry;
mod memory;
mod placement;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(test)]
mod tests;
mod traits;

pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use placement::{Dense, Placement, Sparse};
#[cfg(feature = "serde")]
pub use serialize::SecondarySeed;

/// A map from the ids of a table to more data: a value for most of them.
///
/// The table does not know of it. When an object is removed from the table its value stays here,
/// reachable only with its stale id, until the slot's next id takes the place, or it is
/// [removed](Self::remove), or [`retain`](Self::retain) asks about it.
///
/// `P` is the placement: name the map as `Secondary`, which has a place for every index, or as
/// [`SparseSecondary`], which has places for the values alone. Both have the same calls.
///
/// # Complexity
///
/// O(1) for everything that names one value; amortised for insertion, which may grow the map and
/// move every value. A walk over the values costs what is alive and a bit a place.
///
/// # Memory
///
/// Nothing while empty, then one block: a word, a bit and a `T` for each slot up to the highest
/// index; so it is for data that most objects have.
///
/// # Threads
///
/// `Send` where the values are `Send` and the allocator is `Sync`; `Sync` where the values are
/// `Sync`, too.
///
/// # When not to use it
///
/// For data that few objects have, take a [`SparseSecondary`].
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{HoleTable, Id, Secondary};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut units: HoleTable<u32> = HoleTable::new(&MEMORY);
/// let mut names: Secondary<Id<u32>, &str> = Secondary::new(&MEMORY);
/// let scout = units.insert(1)?;
/// names.insert(scout, "scout")?;
///
/// units.remove(scout);
/// let knight = units.insert(2)?;
/// // The same slot, but another's name.
/// assert_eq!(names.get(knight), None);
/// names.insert(knight, "knight")?;
/// assert_eq!((names.get(knight), names.get(scout)), (Some(&"knight"), None));
/// # Ok::<(), loligo_ids::InsertError>(())
/// ```
///
/// # Invariants
///
/// 1. `parts` lead to a block for `capacity` values from `memory`, or nowhere, with `capacity` 0.
///    `mask` is the number of slots less one, or 0.
/// 2. A word is 0 where there is no value, else the bits of an id; `len` are not 0, and there the
///    bit is set and the cell holds a value. No two have the same index.
/// 3. A value is where [`Placement::place`] finds it: with [`Dense`] at its index, with [`Sparse`]
///    no gap is between it and the place that its hash names, and at least one place is free.
pub struct Secondary<
    'a,
    I: TableId,
    T,
    A: Allocator + ?Sized = dyn Allocator + 'a,
    P: Placement = Dense,
> {
    parts: HoleParts<T, I::Repr>,
    mask: usize,
    len: usize,
    capacity: usize,
    memory: &'a A,
    owned: PhantomData<(I, T, P)>,
}

/// A map from the ids of a table to more data: a value for few of them.
///
/// A hash table of the indices, so its memory follows the values that there are, not the table's
/// slots. Otherwise it is a [`Secondary`], which looks up twice as quickly.
///
/// # Complexity
///
/// O(1) expected for everything that names one value; amortised for insertion, which may grow the
/// map and move every value. A removal may move values, too. Walks are in no order of the ids; it
/// is the same for the same calls.
///
/// # Memory
///
/// Nothing while empty, then one block: a word, a bit and a `T` for each place, a power of two of
/// them, of which between 3 and 6 of 8 hold a value once it has grown.
///
/// # When not to use it
///
/// For data that more than a third of the objects have, take a [`Secondary`]. The hash does not
/// resist chosen indices: they come from a table, not from outside.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{HoleTable, Id, SparseSecondary};
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
/// let units: HoleTable<u32> = HoleTable::from_iter(0..1000, &MEMORY)?;
/// let mut burning: SparseSecondary<Id<u32>, f32> = SparseSecondary::new(&MEMORY);
/// for id in units.ids().step_by(300) {
///     *burning.entry(id)?.or_insert(2.0) += 0.5;
/// }
/// assert_eq!((burning.len(), burning.capacity()), (4, 8));
/// # Ok::<(), loligo_ids::InsertError>(())
/// ```
pub type SparseSecondary<'a, I, T, A = dyn Allocator + 'a> = Secondary<'a, I, T, A, Sparse>;

// SAFETY: the map owns its values and its block; it reaches the allocator by a shared reference.
unsafe impl<I: TableId, T: Send, A: Allocator + Sync + ?Sized, P: Placement> Send
    for Secondary<'_, I, T, A, P>
{
}

// SAFETY: through a shared reference the map gives out shared references and changes nothing.
unsafe impl<I: TableId, T: Sync, A: Allocator + Sync + ?Sized, P: Placement> Sync
    for Secondary<'_, I, T, A, P>
{
}

impl<'a, I: TableId, T, A: Allocator + ?Sized, P: Placement> Secondary<'a, I, T, A, P> {
    /// Sets the value of an id and returns the one it had. A value that another id of the slot left
    /// is dropped: the last id given is taken for the living one.
    ///
    /// A [`Secondary`] grows to the index of the id, so give it ids that a table gave out: of bits
    /// from outside ask the table first. The map has no tag; ids of two tables that name the same
    /// slot take each other's place, and neither finds the value of the other.
    ///
    /// # Complexity
    ///
    /// O(1) amortised; O(capacity) where the map grows, which moves every value.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if memory is refused. The map is as it was and the value is
    /// dropped.
    pub fn insert(&mut self, id: I, value: T) -> Result<Option<T>, InsertError> {
        if let Some(old) = self.get_mut(id) {
            return Ok(Some(mem::replace(old, value)));
        }
        let place = self.make_room(id)?;
        // Dropped last, so that a panic in its destructor finds the map whole.
        drop(self.put(place, id, value));
        Ok(None)
    }

    /// Returns the place of an id, taken or free, having made room for it.
    ///
    /// # Complexity
    ///
    /// As [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if memory is refused, which an id with a value does not need. The
    /// map is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::{HoleTable, Id, Secondary};
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut units: HoleTable<&str> = HoleTable::new(&MEMORY);
    /// let mut kills: Secondary<Id<&str>, u32> = Secondary::new(&MEMORY);
    /// let knight = units.insert("knight")?;
    /// for _ in 0..3 {
    ///     *kills.entry(knight)?.or_default() += 1;
    /// }
    /// assert_eq!(kills[knight], 3);
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    pub fn entry(&mut self, id: I) -> Result<Entry<'_, 'a, I, T, A, P>, InsertError> {
        if let Some(place) = self.find(id) {
            return Ok(Entry::Occupied(OccupiedEntry { map: self, id, place }));
        }
        let place = self.make_room(id)?;
        Ok(Entry::Vacant(VacantEntry { map: self, id, place }))
    }

    /// Takes the value of an id out.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    pub fn remove(&mut self, id: I) -> Option<T> {
        let slot = self.find(id)?;
        Some(self.take(slot))
    }

    /// Returns `true` if the id has a value.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, id: I) -> bool {
        self.find(id).is_some()
    }

    /// Returns the value of an id.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        Some(self.value_at(self.find(id)?))
    }

    /// Returns the value of an id, to be changed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        let place = self.find(id)?;
        Some(self.value_at_mut(place))
    }

    /// Returns several values at once, to be changed; `None` if two ids are equal or any has no
    /// value.
    ///
    /// # Complexity
    ///
    /// O(N^2) comparisons of ids, O(N) lookups.
    #[inline]
    #[must_use]
    pub fn get_many_mut<const N: usize>(&mut self, ids: [I; N]) -> Option<[&mut T; N]> {
        let mut places = [0; N];
        for (at, id) in ids.iter().enumerate() {
            if ids[..at].contains(id) {
                return None;
            }
            places[at] = self.find(*id)?;
        }
        // SAFETY: every id was found, so there is a value (invariant 2); the ids differ, hence the
        // places do, and `self` is borrowed for these alone.
        Some(places.map(|place| unsafe { self.parts.object_at(place).as_mut() }))
    }

    /// Visits the values with their ids, stale ones included: a [`Secondary`] in order of the
    /// slots, a [`SparseSecondary`] in no order of the ids.
    ///
    /// # Complexity
    ///
    /// O(1) a value and a step for every 64 places.
    #[inline]
    pub fn iter(&self) -> IterWithIds<'_, Holes, T, I> {
        // SAFETY: at the places whose bit is set are values and the bits of ids (invariant 2), and
        // the map is borrowed.
        unsafe { IterWithIds::over(self.parts, self.capacity, self.len) }
    }

    /// Visits the values with their ids, to be changed, in the order of [`iter`](Self::iter).
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self) -> IterWithIdsMut<'_, Holes, T, I> {
        // SAFETY: as above, and the map is borrowed for this alone.
        unsafe { IterWithIdsMut::over(self.parts, self.capacity, self.len) }
    }

    /// Keeps the values that `keep` says yes to and drops the others: with a table's `contains`,
    /// those of objects that are alive.
    ///
    /// If `keep` or a destructor panics, the values not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(values) calls and a step for every 64 slots.
    pub fn retain(&mut self, mut keep: impl FnMut(I, &mut T) -> bool) {
        // No value moves over the border when others are removed, so each is asked about once.
        let border = P::border::<T, I>(self.parts, self.capacity);
        for (mut from, end) in [(border, self.capacity), (0, border)] {
            while let Some(place) = self.parts.next_place(from, end, self.len) {
                if place >= end {
                    break;
                }
                // SAFETY: a word where there is a value is the bits of an id, which are not 0.
                let id = unsafe { I::unchecked(self.parts.word(place)) };
                if keep(id, self.value_at_mut(place)) {
                    from = place + 1;
                } else {
                    // Another value may move here and is asked about next.
                    from = place;
                    drop(self.take(place));
                }
            }
        }
    }

    /// Drops every value. The memory is kept.
    ///
    /// # Complexity
    ///
    /// As [`retain`](Self::retain).
    pub fn clear(&mut self) {
        self.retain(|_, _| false);
    }

    /// Returns how many values there are, stale ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns below which index values have memory.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    #[inline]
    fn find(&self, id: I) -> Option<usize> {
        P::find::<T, I>(self.parts, self.mask, id.bits())
    }

    /// Returns the value at a place that has one.
    #[inline]
    fn value_at(&self, place: usize) -> &T {
        // SAFETY: callers name a place whose word is an id's, so there is a value (invariant 2),
        // and `self` is borrowed.
        unsafe { self.parts.object_at(place).as_ref() }
    }

    /// Returns the value at a place that has one, to be changed.
    #[inline]
    fn value_at_mut(&mut self, place: usize) -> &mut T {
        // SAFETY: as in `value_at`, and `self` is borrowed for this alone.
        unsafe { self.parts.object_at(place).as_mut() }
    }

    /// Writes the value of an id to the place that it is to have, and returns the one that was
    /// there, which is another id's.
    #[inline]
    fn put(&mut self, place: usize, id: I, value: T) -> Option<T> {
        let stale = (self.parts.word(place) != 0).then(|| self.parts.take(place, 0, 0));
        self.parts.put(place, id.bits(), 0, value);
        self.len += usize::from(stale.is_none());
        stale
    }

    /// Takes the value at a place out.
    #[inline]
    fn take(&mut self, place: usize) -> T {
        self.len -= 1;
        self.parts.set_word(place, 0);
        let value = self.parts.take(place, 0, 0);
        P::close::<T, I>(self.parts, self.mask, place);
        value
    }
}
