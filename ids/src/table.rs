//! The lookup table: ids on one side, objects on the other.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011). Changes:
//!
//! - Both of its arrays, the one with holes and the packed one, are one type with one API, and
//!   differ in a type parameter.
//! - A dead slot holds an index that is not its own in the place where a live one has its own, so
//!   one comparison distinguishes live from dead and every slot can be used: the article's code
//!   cannot use index 65 535, reads beyond its array when it links the last slot, and does not
//!   notice an empty queue.
//! - The free slots are in an array of their own and know their position in it, so a given id can
//!   be taken out of its middle, and what is to be used next is known without reading the slot
//!   before.
//! - Memory comes from an allocator or from the caller, and running out of it is an error.

use core::marker::PhantomData;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::{Id, TableId, tag_of};
use crate::policy::{FreeList, GenerationEnd, Lifo, Retire};

mod batch;
mod by_slot;
mod check;
mod clone;
#[cfg(feature = "serde")]
mod deserialize;
mod drain;
mod free_list;
mod hole_walk;
mod holes;
mod image;
mod into_iter;
mod iter;
mod memory;
mod packed;
mod place;
mod restore;
mod save;
#[cfg(feature = "serde")]
mod serialize;
mod shape;
mod shrink;
mod slice;
mod stats;
#[cfg(test)]
mod tests;
mod traits;

#[cfg(feature = "serde")]
pub use deserialize::TableSeed;
pub use drain::Drain;
pub use holes::Holes;
pub use into_iter::TableIntoIter;
pub use iter::{Ids, Iter, IterMut, IterWithIds, IterWithIdsMut};
pub use packed::Packed;
pub use shape::Shape;
pub use stats::TableStats;

pub(crate) use holes::HoleParts;
pub(crate) use shape::{Measures, Parts, align, offsets, slots_for};

/// The array with holes: objects never move.
///
/// A lookup reads the slot's word and the object. They are in different places, but both addresses
/// follow from the id, so the processor fetches both at once. Iteration follows a bitmap and costs
/// what is alive, in order of the slots.
///
/// ```text
/// objects  | T  |              | T  |              | ..    a T a place
/// words    | id | dead: free 0 | id | dead: free 1 | ..    8 bytes a slot (4: u32), to a power of two
/// live     | 1 0 1 0 ..                                    1 bit a place
/// free     | .. | slot 3 | slot 1 |                        8 bytes a place (4), from the end
/// ```
///
/// See [`Table`] for what it can do, and [`PackedTable`] for the other arrangement.
///
/// # Complexity
///
/// O(1) for everything that names one object; amortised for insertion, which may grow the table
/// and copy it. Nothing but growing moves an object.
///
/// # When not to use it
///
/// Where all objects are visited often and seldom looked up, a [`PackedTable`] is quicker, as is a
/// slice.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{HoleTable, Id};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// struct Light {
///     watts: u32,
/// }
///
/// let mut lights: HoleTable<Light> = HoleTable::new(&MEMORY);
/// let lamp: Id<Light> = lights.insert(Light { watts: 60 })?;
/// assert_eq!(lights.get(lamp).map(|light| light.watts), Some(60));
///
/// lights.remove(lamp);
/// let other = lights.insert(Light { watts: 40 })?;
/// // The slot is used again, the id is not.
/// assert_eq!(lamp.index(), other.index());
/// assert!(lights.get(lamp).is_none());
/// # Ok::<(), loligo_ids::InsertError>(())
/// ```
pub type HoleTable<'a, T, I = Id<T>, F = Lifo, E = Retire, A = dyn Allocator + 'a> =
    Table<'a, Holes, T, I, F, E, A>;

/// The packed array: objects are stored without gaps, and the last one moves into the place of a
/// removed one.
///
/// A lookup reads the slot, which holds the id and the object's place in one cache line, then the
/// object. Iteration is a walk over a slice.
///
/// ```text
/// objects  | T              | T              | ..             a T a place
/// slots    | id, place 0 | dead: free 0 | id, place 1 | ..    16 bytes a slot (8: u32), to a power of two
/// ids      | id of object 0 | id of object 1 | .. | slot 1 |  8 bytes a place (4: u32); free slots from the end
/// free     | only with `Fifo`: slots                          8 bytes a place (4)
/// ```
///
/// See [`Table`] for what it can do, and [`HoleTable`] for the other arrangement.
///
/// # Complexity
///
/// O(1) for everything that names one object; amortised for insertion, which may grow the table
/// and copy it. A removal moves one object.
///
/// # When not to use it
///
/// Where objects must stay where they are, or are mostly looked up by id, take a [`HoleTable`].
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::PackedTable;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut heights: PackedTable<f32> = PackedTable::new(&MEMORY);
/// let hill = heights.insert(2.0)?;
/// let peak = heights.insert(8.0)?;
/// heights.remove(hill);
/// assert_eq!(heights.as_slice(), [8.0]);
/// assert_eq!(heights.get(peak), Some(&8.0));
/// # Ok::<(), loligo_ids::InsertError>(())
/// ```
pub type PackedTable<'a, T, I = Id<T>, F = Lifo, E = Retire, A = dyn Allocator + 'a> =
    Table<'a, Packed, T, I, F, E, A>;

/// A table that gives each object an id and finds the object by it.
///
/// `S` is the arrangement: name the table as [`HoleTable`] or [`PackedTable`], which differ in
/// nothing but what an operation costs. `I` is the [`Id`]'s type, `F` the free list ([`Lifo`] or
/// [`Fifo`](crate::Fifo)), `E` what happens at the end of a slot's generations ([`Retire`],
/// [`Wrap`](crate::Wrap) or [`Refuse`](crate::Refuse)), `A` where memory comes from.
///
/// A lookup with an id of an object that is gone, with an id of another table (unless both have the
/// same [tag](Self::tag)), or with an id made of arbitrary bits that names no object returns
/// `None`: it never panics.
///
/// The ids that a table gives out follow from the calls before and from its tag. A program that
/// wants the same ids in every run, for a replay or for an image that is to be the same, [sets the
/// tag](Self::with_tag) or takes an id without bits for one, as [`SmallId`](crate::SmallId).
///
/// # Complexity
///
/// O(1) for everything that names one object; amortised for insertion, which may grow the table and
/// copy it. [`HoleTable`] and [`PackedTable`] state what else differs.
///
/// # Memory
///
/// Nothing while empty. Then one block without pointers, drawn at [`HoleTable`] and
/// [`PackedTable`], which doubles when it is full, in place where the allocator can, or memory of
/// the caller that never grows. Its slots are rounded up to a power of two, its objects are not.
/// `size_of::<Table>()` is at most 15 words.
///
/// # Threads
///
/// `Send` where the objects are `Send` and the allocator is `Sync` (`A = dyn Allocator + Sync`, for
/// instance); `Sync` where the objects are `Sync`, too.
///
/// # Panics
///
/// No operation panics by itself. If a closure or a destructor that it calls does, the table is
/// whole: what was removed is removed, the rest stays, and nothing leaks that would not with `Vec`.
///
/// # Invariants
///
/// 1. `parts` lead to a block for `capacity` objects from `memory`, or from the caller where that
///    is `None`; or nowhere, with `capacity` and `mask` 0. Else `mask` is the number of slots less
///    one, and below 2^`INDEX_BITS`.
/// 2. Slots from `used` on are 0; `used <= capacity <= limit`.
/// 3. The word of a live slot is its id's bits: own index, generation of at least 1, the table's
///    tag.
/// 4. The word of any other slot below `used` has an index whose lowest bit is not that of the
///    slot's own index, and no tag. Its generation is the last one that lived where it is free,
///    that of the id where it is reserved, 0 where it is retired.
/// 5. The free list has `free` different slots: of a stack, at the positions below `free`; of a
///    ring, at as many from `head` on, continuing at 0 after `capacity - 1`. The index in the word
///    of the slot at position p is `slot ^ (p | 1)`.
/// 6. Of the slots below `used`, those that are not free, reserved or retired are live: there is no
///    counter of them to keep. The index in the word of a reserved or retired slot is `slot ^ 1`.
/// 7. Position p of the free list is p + 1 places before `free_end`, within the block for every p
///    below `capacity`. With a stack in a packed table these are the last of the objects' ids: as
///    those that are live and those that are free are together at most `capacity`, neither reaches
///    the other.
pub struct Table<
    'a,
    S: Shape,
    T,
    I: TableId = Id<T>,
    F: FreeList = Lifo,
    E: GenerationEnd = Retire,
    A: Allocator + ?Sized = dyn Allocator + 'a,
> {
    parts: S::Parts<T, I::Repr>,
    /// Takes the slot from an id's bits.
    mask: usize,
    /// Where the free list ends, which extends backwards from there.
    free_end: NonNull<I::Repr>,
    free: usize,
    /// Where the ring of free slots begins; 0 for a stack.
    head: usize,
    /// Slots that were in use at least once.
    used: usize,
    capacity: usize,
    limit: usize,
    reserved: usize,
    retired: usize,
    /// The table's tag, where it is in an id.
    tag: u64,
    memory: Option<&'a A>,
    owned: PhantomData<(T, I, F, E)>,
}

// SAFETY: the table owns its objects and its block, to which there are no other pointers; it
// reaches the allocator by a shared reference, so that must be `Sync`.
unsafe impl<S: Shape, T: Send, I: TableId, F: FreeList, E: GenerationEnd, A> Send
    for Table<'_, S, T, I, F, E, A>
where
    A: Allocator + Sync + ?Sized,
{
}

// SAFETY: through a shared reference the table gives out shared references to its objects and
// changes nothing.
unsafe impl<S: Shape, T: Sync, I: TableId, F: FreeList, E: GenerationEnd, A> Sync
    for Table<'_, S, T, I, F, E, A>
where
    A: Allocator + Sync + ?Sized,
{
}

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'a, S, T, I, F, E, A>
{
    /// Inserts an object and returns its id.
    ///
    /// # Complexity
    ///
    /// O(1) amortised; O(capacity) where the table grows, which moves every object. No id is
    /// invalidated.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if the table is full, memory is refused, or, with [`Refuse`](crate::Refuse),
    /// the slot has lived all its lives. The table is as it was and the object is dropped: to keep
    /// it, ask for an id by [`reserve_id`](Self::reserve_id) first.
    #[inline]
    #[expect(clippy::arithmetic_side_effects, reason = "the slot that was acquired counts as live")]
    pub fn insert(&mut self, value: T) -> Result<I, InsertError> {
        let (slot, bits) = self.acquire()?;
        // The slot counts as live from `acquire` on.
        self.parts.put(slot, bits, self.len() - 1, value);
        // SAFETY: `acquire` gives out bits with a generation.
        Ok(unsafe { I::unchecked(bits) })
    }

    /// Takes an object out and returns it; `None` if the id names none.
    ///
    /// # Complexity
    ///
    /// O(1). Moves one object in a [`PackedTable`].
    #[inline]
    pub fn remove(&mut self, id: I) -> Option<T> {
        let slot = self.find(id)?;
        Some(self.take_out(slot, id.bits()))
    }

    /// Returns `true` if the id names an object of this table.
    ///
    /// # Complexity
    ///
    /// O(1): one load and one comparison.
    #[inline]
    #[must_use]
    pub fn contains(&self, id: I) -> bool {
        self.find(id).is_some()
    }

    /// Returns the object that the id names.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        let slot = self.find(id)?;
        // SAFETY: the slot is live, so there is an object, and nothing changes it while `self` is
        // borrowed.
        Some(unsafe { self.parts.object_at(self.parts.place_of(slot)).as_ref() })
    }

    /// Returns the object that the id names, to be changed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        let slot = self.find(id)?;
        // SAFETY: the slot is live, so there is an object, and `self` is borrowed for this alone.
        Some(unsafe { self.parts.object_at(self.parts.place_of(slot)).as_mut() })
    }

    /// Returns several objects at once, to be changed; `None` if two ids are equal or any names
    /// nothing.
    ///
    /// # Complexity
    ///
    /// O(N^2) comparisons of ids, O(N) lookups.
    #[inline]
    #[must_use]
    pub fn get_many_mut<const N: usize>(&mut self, ids: [I; N]) -> Option<[&mut T; N]> {
        for (at, id) in ids.iter().enumerate() {
            if ids[..at].contains(id) || self.find(*id).is_none() {
                return None;
            }
        }
        Some(ids.map(|id| {
            let slot = id.bits() as usize & self.mask;
            // SAFETY: every id was found above, so there is an object; the ids differ, hence the
            // slots and the objects do, and `self` is borrowed for these alone.
            unsafe { self.parts.object_at(self.parts.place_of(slot)).as_mut() }
        }))
    }

    /// Returns the object's index among the table's objects, for an array that runs parallel to
    /// them; below [`capacity`](Self::capacity).
    ///
    /// In a [`HoleTable`] it is the id's own and stays. In a [`PackedTable`] it is the place in
    /// [`as_slice`](PackedTable::as_slice), which a removal may change; there `id.index()` is what
    /// stays.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn index_of(&self, id: I) -> Option<usize> {
        Some(self.parts.place_of(self.find(id)?))
    }

    /// Returns how many objects there are.
    #[inline]
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "invariants 4 to 6: these are some of those used"
    )]
    pub fn len(&self) -> usize {
        self.used - self.free - self.reserved - self.retired
    }

    /// Returns `true` if there are no objects.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many objects there is memory for.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns how many slots the table may have at most.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the table's tag, as [`Id::tag`] does; 0 where its ids have no bits for one.
    ///
    /// All tables of a process that is running count theirs together, from 1 to 2^`TAG_BITS` - 1
    /// and from 1 again. So no two of 255 tables with the default [`Id`] that are made in a row
    /// have one tag. Of tables made further apart, one pair in 255 has: those take each other's
    /// ids for their own, as do all tables with a [`SmallId`](crate::SmallId), if the ids are of
    /// one type.
    ///
    /// A clone has the tag of its original, and a table that was restored or read the tag that it
    /// was saved with, so that ids that were given out stay valid. [`with_tag`](Self::with_tag)
    /// sets another.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::HoleTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut ours: HoleTable<&str> = HoleTable::new(&MEMORY);
    /// let mut theirs: HoleTable<&str> = HoleTable::new(&MEMORY);
    /// let king = ours.insert("king")?;
    /// let queen = theirs.insert("queen")?;
    /// // The same slot and the same life, but of two tables.
    /// assert_eq!((king.index(), king.generation()), (queen.index(), queen.generation()));
    /// assert!(theirs.get(king).is_none());
    /// assert_eq!((king.tag(), queen.tag()), (ours.tag(), theirs.tag()));
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn tag(&self) -> u64 {
        tag_of::<I>(self.own_tag())
    }

    /// Returns the slot that a live id names.
    ///
    /// The slot is within the table whatever the id's bits are, and its lowest bit is that of their
    /// index, which the mask leaves however few slots there are. So a word that equals all bits is
    /// no dead slot's (invariants 1 to 4).
    #[inline]
    fn find(&self, id: I) -> Option<usize> {
        let bits = id.bits();
        let slot = bits as usize & self.mask;
        (self.parts.word(slot) == bits).then_some(slot)
    }

    /// Takes the object of a live slot out and frees the slot.
    #[inline]
    fn take_out(&mut self, slot: usize, bits: u64) -> T {
        let value = self.parts.take(slot, self.len(), self.mask);
        self.release(slot, bits);
        value
    }
}
