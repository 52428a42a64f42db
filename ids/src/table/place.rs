//! Ids that are known before their object: passed to what makes it, given by a server or an undo,
//! or reserved to be filled later.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "`used` is below the limit and counts are of slots in the state that the branch \
              before found"
)]

use core::mem::ManuallyDrop;

use loligo_allocators::Allocator;

use crate::error::{InsertAtError, InsertError, NotReserved};
use crate::id::{TableId, tag_of};
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Inserts the object that `make` returns for its id: an object that knows its own id.
    ///
    /// If `make` panics, the id is used up and names nothing. An object whose construction can fail
    /// gets its id by [`reserve_id`](Self::reserve_id).
    ///
    /// # Complexity
    ///
    /// O(1) amortised, as [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert); `make` is not called then.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::{HoleTable, Id};
    ///
    /// struct Node {
    ///     id: Id<Node>,
    /// }
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut nodes: HoleTable<Node> = HoleTable::new(&MEMORY);
    /// let root = nodes.insert_with(|id| Node { id })?;
    /// assert_eq!(nodes[root].id, root);
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    #[inline]
    pub fn insert_with(&mut self, make: impl FnOnce(I) -> T) -> Result<I, InsertError> {
        let (slot, bits) = self.acquire()?;
        // SAFETY: `acquire` gives out bits with a generation.
        let id = unsafe { I::unchecked(bits) };
        let acquired = Acquired { table: self, slot, bits };
        let value = make(id);
        let table = acquired.keep();
        // The slot counts as live from `acquire` on.
        table.parts.put(slot, bits, table.len() - 1, value);
        Ok(id)
    }

    /// Inserts an object that is to have the given id: one that was removed and comes back (undo),
    /// or one whose id another machine has given out.
    ///
    /// The slot may be free, retired or not yet used. It takes over the id's generation and
    /// continues from there, so the caller must ensure that no ids of this slot later than `id` are
    /// in use. If it is taken out of the middle of the free list, the slot that was next there
    /// takes its turn.
    ///
    /// The table grows to the slot that the id names. An id from outside may name any that the
    /// index can: [`with_limit`](Self::with_limit) says how many the table may have.
    ///
    /// # Complexity
    ///
    /// O(1), wherever on the free list the slot is. The first time that a slot is used, O(slots
    /// below it that were never used), which go on the free list; O(capacity) where the table
    /// grows.
    ///
    /// # Errors
    ///
    /// [`InsertAtError`]. The table is as it was (it may have grown) and the object is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::HoleTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut walls: HoleTable<&str> = HoleTable::new(&MEMORY);
    /// let wall = walls.insert("north")?;
    /// let removed = walls.remove(wall).unwrap();
    /// // Undo: code that kept the id finds the wall again.
    /// walls.insert_at(wall, removed)?;
    /// assert_eq!(walls.get(wall), Some(&"north"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_at(&mut self, id: I, value: T) -> Result<(), InsertAtError> {
        let bits = id.bits();
        let index = bits & I::INDEX_MASK;
        if !self.is_own(bits) {
            return Err(InsertAtError::Foreign { tag: tag_of::<I>(bits), own: self.tag() });
        }
        if index >= self.limit as u64 {
            return Err(InsertAtError::Beyond { index, limit: self.limit as u64 });
        }
        let slot = index as usize;
        if slot >= self.used {
            self.use_up_to(slot)?;
        } else if let Some(position) = self.position_of(slot) {
            self.unlink(position);
        } else if self.is_dead(slot) && self.parts.word(slot) & I::GENERATION_MASK == 0 {
            self.retired -= 1;
        } else {
            return Err(InsertAtError::Taken { index });
        }
        // The slot counts as live already.
        self.parts.put(slot, bits, self.len() - 1, value);
        Ok(())
    }

    /// Returns an id for an object that comes later, through [`fill`](Self::fill).
    ///
    /// Until then the id names nothing: [`contains`](Self::contains), [`get`](Self::get) and
    /// iteration do not know it. A caller that does not need it any more [gives it
    /// up](Self::give_up).
    ///
    /// # Complexity
    ///
    /// O(1) amortised, as [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::{HoleTable, Id};
    ///
    /// struct Door {
    ///     other_side: Id<Door>,
    /// }
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut doors: HoleTable<Door> = HoleTable::new(&MEMORY);
    /// // Two objects that name each other.
    /// let inside = doors.reserve_id()?;
    /// let outside = doors.insert(Door { other_side: inside })?;
    /// assert!(!doors.contains(inside));
    /// doors.fill(inside, Door { other_side: outside })?;
    /// assert!(doors.contains(inside));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reserve_id(&mut self) -> Result<I, InsertError> {
        let (slot, bits) = self.acquire()?;
        self.set_aside(slot, bits & I::GENERATION_MASK);
        self.reserved += 1;
        // SAFETY: `acquire` gives out bits with a generation.
        Ok(unsafe { I::unchecked(bits) })
    }

    /// Returns `true` if the id is reserved and not yet filled.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn is_reserved(&self, id: I) -> bool {
        let bits = id.bits();
        let index = bits & I::INDEX_MASK;
        if index >= self.used as u64 || !self.is_own(bits) {
            return false;
        }
        let slot = index as usize;
        let word = (bits & I::GENERATION_MASK) | (slot ^ 1) as u64;
        self.parts.word(slot) == word && !self.is_free(slot)
    }

    /// Gives a reserved id its object.
    ///
    /// # Complexity
    ///
    /// O(1). Needs no memory.
    ///
    /// # Errors
    ///
    /// [`NotReserved`] if the id is not reserved in this table. The table is as it was and the
    /// object is dropped.
    pub fn fill(&mut self, id: I, value: T) -> Result<(), NotReserved> {
        if !self.is_reserved(id) {
            return Err(NotReserved);
        }
        let bits = id.bits();
        self.parts.put((bits & I::INDEX_MASK) as usize, bits, self.len(), value);
        self.reserved -= 1;
        Ok(())
    }

    /// Gives a reserved id up, which then never names anything. Returns whether it was reserved.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn give_up(&mut self, id: I) -> bool {
        if !self.is_reserved(id) {
            return false;
        }
        let bits = id.bits();
        self.reserved -= 1;
        self.release((bits & I::INDEX_MASK) as usize, bits);
        true
    }

    /// Returns `true` if bits have a generation and this table's tag.
    pub(super) fn is_own(&self, bits: u64) -> bool {
        let above = bits & !(I::INDEX_MASK | I::GENERATION_MASK);
        above == self.own_tag() && bits & I::GENERATION_MASK != 0
    }

    /// Puts `slot`, which was never used, into use, and those before it on the free list.
    fn use_up_to(&mut self, slot: usize) -> Result<(), InsertAtError> {
        self.grow_to(slot + 1).map_err(|error| match error {
            InsertError::Memory { slots, bytes } => InsertAtError::Memory { slots, bytes },
            _ => InsertAtError::Beyond { index: slot as u64, limit: self.capacity as u64 },
        })?;
        let (first, between) = (self.used, slot - self.used);
        self.used = slot + 1;
        for step in 0..between {
            // The lowest is to be used first.
            self.push(if F::LIFO { slot - 1 - step } else { first + step }, 0);
        }
        Ok(())
    }
}

/// A slot that counts as live and is not yet written. It is freed where that does not come about.
struct Acquired<
    't,
    'a,
    S: Shape,
    T,
    I: TableId,
    F: FreeList,
    E: GenerationEnd,
    A: Allocator + ?Sized,
> {
    table: &'t mut Table<'a, S, T, I, F, E, A>,
    slot: usize,
    bits: u64,
}

impl<'t, 'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Acquired<'t, 'a, S, T, I, F, E, A>
{
    /// Returns the table, in which the slot stays acquired.
    #[inline]
    fn keep(self) -> &'t mut Table<'a, S, T, I, F, E, A> {
        let acquired = ManuallyDrop::new(self);
        // SAFETY: the guard is neither dropped nor used again, so the reference is moved out once.
        unsafe { (&raw const acquired.table).read() }
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for Acquired<'_, '_, S, T, I, F, E, A>
{
    fn drop(&mut self) {
        self.table.release(self.slot, self.bits);
    }
}
