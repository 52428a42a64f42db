//! More data for the objects of a table, keyed by the same ids.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011): the index in
//! an id may lead into more arrays than one. Changes: such an array keeps its own generations, so
//! it detects a stale id, too, without asking the table.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "`len` counts words that are not 0, and slots are below the capacity"
)]

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::mem;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::TableId;
use crate::table::{HoleParts, Measures, Parts, align, offsets, slots_for};

#[cfg(test)]
mod tests;

/// Objects that the first block has room for.
const FIRST: usize = 8;

/// An array that belongs to a table: a value for some or all of its ids.
///
/// The table does not know of it. When an object is removed from the table its value stays here,
/// reachable only with its stale id, until the slot's next id takes the place, or it is
/// [removed](Self::remove), or [`retain`](Self::retain) asks about it.
///
/// # Complexity
///
/// O(1) for everything that names one value; amortised for insertion, which may grow the array and
/// move every value. A walk over the values costs what is alive and a bit a slot.
///
/// # Memory
///
/// Nothing while empty, then one block as that of a [`HoleTable`](crate::HoleTable): a word, a bit
/// and a `T` for each slot up to the highest index; so it is for data that most objects have.
///
/// # Threads
///
/// `Send` where the values are `Send` and the allocator is `Sync`; `Sync` where the values are
/// `Sync`, too.
///
/// # When not to use it
///
/// For data that few objects have, take a [`PackedTable`](crate::PackedTable) of their own, and
/// keep its ids here or in the objects.
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
/// 2. A word is 0 where there is no value, else the bits of an id with this very index; `len` are
///    not 0, and there the bit is set and the cell holds a value.
pub struct Secondary<'a, I: TableId, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    parts: HoleParts<T, I::Repr>,
    mask: usize,
    len: usize,
    capacity: usize,
    memory: &'a A,
    owned: PhantomData<(I, T)>,
}

// SAFETY: the array owns its values and its block; it reaches the allocator by a shared reference.
unsafe impl<I: TableId, T: Send, A: Allocator + Sync + ?Sized> Send for Secondary<'_, I, T, A> {}

// SAFETY: through a shared reference the array gives out shared references and changes nothing.
unsafe impl<I: TableId, T: Sync, A: Allocator + Sync + ?Sized> Sync for Secondary<'_, I, T, A> {}

impl<'a, I: TableId, T> Secondary<'a, I, T> {
    /// Returns an empty array that takes its memory from `memory` when it needs some.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, I: TableId, T, A: Allocator + ?Sized> Secondary<'a, I, T, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        let parts = HoleParts::nowhere();
        Self { parts, mask: 0, len: 0, capacity: 0, memory, owned: PhantomData }
    }

    /// Sets the value of an id and returns the one it had. A value that another id of the slot left
    /// is dropped: the last id given is taken for the living one.
    ///
    /// # Complexity
    ///
    /// O(1) amortised; O(capacity) where the array grows, which moves every value.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if memory is refused. The array is as it was and the value is
    /// dropped.
    pub fn insert(&mut self, id: I, value: T) -> Result<Option<T>, InsertError> {
        if let Some(old) = self.get_mut(id) {
            return Ok(Some(mem::replace(old, value)));
        }
        let bits = id.bits();
        let slot = usize::try_from(bits & I::INDEX_MASK).map_err(|_| Self::refused(usize::MAX))?;
        if slot >= self.capacity {
            self.grow(slot)?;
        }
        let stale = if self.parts.word(slot) == 0 { None } else { Some(self.take(slot)) };
        self.parts.put(slot, bits, 0, value);
        self.len += 1;
        // Last, so that a panic in its destructor finds the array whole.
        drop(stale);
        Ok(None)
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
        let slot = self.find(id)?;
        // SAFETY: the word is an id's, so there is a value (invariant 2), and `self` is borrowed.
        Some(unsafe { self.parts.object_at(slot).as_ref() })
    }

    /// Returns the value of an id, to be changed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        let slot = self.find(id)?;
        // SAFETY: the word is an id's, so there is a value (invariant 2), and `self` is borrowed
        // for this.
        Some(unsafe { self.parts.object_at(slot).as_mut() })
    }

    /// Visits the values with their ids, in order of their slots, stale ones included.
    ///
    /// # Complexity
    ///
    /// O(1) a value and a step for every 64 slots.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &T)> {
        let parts = self.parts;
        parts.walk(self.capacity, self.len).map(move |slot| {
            // SAFETY: a word where there is a value is the bits of an id, which are not 0.
            let id = unsafe { I::unchecked(parts.word(slot)) };
            // SAFETY: there is a value where the bit is set (invariant 2), and `self` is borrowed.
            (id, unsafe { parts.object_at(slot).as_ref() })
        })
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
        let mut from = 0;
        while let Some(slot) = self.parts.next_place(from, self.capacity, self.len) {
            from = slot + 1;
            // SAFETY: a word where there is a value is the bits of an id, which are not 0.
            let id = unsafe { I::unchecked(self.parts.word(slot)) };
            // SAFETY: there is a value where the bit is set (invariant 2), and `self` is borrowed
            // for this.
            if !keep(id, unsafe { self.parts.object_at(slot).as_mut() }) {
                drop(self.take(slot));
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
        let bits = id.bits();
        let slot = bits as usize & self.mask;
        (self.parts.word(slot) == bits).then_some(slot)
    }

    #[inline]
    fn take(&mut self, slot: usize) -> T {
        self.len -= 1;
        self.parts.set_word(slot, 0);
        self.parts.take(slot, 0, 0)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, slot: usize) -> Result<(), InsertError> {
        let most = usize::try_from(I::SLOTS).unwrap_or(usize::MAX);
        let needed = slot.checked_add(1).ok_or(Self::refused(slot))?;
        let capacity = self.capacity.saturating_mul(2).max(FIRST).max(needed).min(most);
        let layout = Self::layout(capacity).ok_or(Self::refused(capacity))?;
        let block = self.memory.allocate(layout).map_err(|_| Self::refused(capacity))?;
        // SAFETY: the block was requested with the layout of that many values.
        let parts = unsafe { HoleParts::within(block.cast(), Self::MEASURES, capacity) };
        if self.capacity > 0 {
            // SAFETY: the new block is larger than the old one, which is left for good.
            unsafe { self.parts.move_to(parts, self.capacity, 0) };
            self.give_back();
        }
        // SAFETY: these are the parts of that block.
        unsafe { parts.format(self.capacity, capacity) };
        self.parts = parts;
        self.capacity = capacity;
        self.mask = slots_for(capacity).unwrap_or(1) - 1;
        Ok(())
    }

    fn give_back(&mut self) {
        let Some(layout) = Self::layout(self.capacity) else {
            unreachable!("the block was taken with a layout");
        };
        // SAFETY: the block came from this allocator with this layout, and is not used any more.
        unsafe { self.memory.deallocate_sized(self.block(), layout) };
    }

    fn block(&self) -> NonNull<u8> {
        self.parts.block()
    }

    fn layout(capacity: usize) -> Option<Layout> {
        let bytes = offsets(Self::MEASURES, capacity)?.bytes;
        Layout::from_size_align(bytes, align(Self::MEASURES)).ok()
    }

    const MEASURES: Measures = HoleParts::<T, I::Repr>::MEASURES;

    #[cold]
    fn refused(slots: usize) -> InsertError {
        let bytes = offsets(Self::MEASURES, slots).map_or(u64::MAX, |all| all.bytes as u64);
        InsertError::Memory { slots: slots as u64, bytes }
    }
}

impl<I: TableId, T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for Secondary<'_, I, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Drops what is left of the values, and gives the memory back even if a destructor panics.
struct Rest<'s, 'a, I: TableId, T, A: Allocator + ?Sized>(&'s mut Secondary<'a, I, T, A>);

impl<I: TableId, T, A: Allocator + ?Sized> Drop for Rest<'_, '_, I, T, A> {
    fn drop(&mut self) {
        // Only a panic leaves values here; a second one aborts, as it does with `Vec`.
        if mem::needs_drop::<T>() {
            self.0.clear();
        }
        if self.0.capacity > 0 {
            self.0.give_back();
        }
    }
}

impl<I: TableId, T, A: Allocator + ?Sized> Drop for Secondary<'_, I, T, A> {
    fn drop(&mut self) {
        let rest = Rest(self);
        if mem::needs_drop::<T>() {
            rest.0.clear();
        }
    }
}
