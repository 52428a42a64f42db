//! The memory of a table: its constructors, its growth and its deallocation.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "`used` is at most the limit, and there are at least two slots"
)]

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Measures, Offsets, Parts, Shape, align, fixed_len, offsets, slots_for};
use crate::tag;

/// The capacity, in objects, of a growing table's first block.
const FIRST: usize = 8;

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd> Table<'a, S, T, I, F, E> {
    /// Returns an empty table without a block; it allocates from `memory` as it grows.
    ///
    /// It can grow to as many slots as the index of its ids can name.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty table that never has more than `limit` slots.
    ///
    /// With [`Fifo`](crate::Fifo) `MIN_FREE` slots stay free: it is full at `limit - MIN_FREE`
    /// objects.
    #[must_use]
    pub fn with_limit(limit: usize, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::with_limit_in(limit, memory)
    }
}

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'a, S, T, I, F, E, A>
{
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        Self::with_limit_in(usize::MAX, memory)
    }

    /// As [`with_limit`](Self::with_limit), and keeps the type of the allocator, so that its calls
    /// are direct.
    #[must_use]
    pub fn with_limit_in(limit: usize, memory: &'a A) -> Self {
        Self::empty(limit, Some(memory), tag::next::<I>())
    }

    /// Returns an empty table of fixed capacity in the caller's memory.
    ///
    /// It has `slots` slots and never allocates. Dropping it leaves the memory with the caller.
    /// [`fixed_len`](Self::fixed_len) returns the length that `memory` must have.
    ///
    /// # Complexity
    ///
    /// O(slots): it initialises every slot as dead.
    ///
    /// # Errors
    ///
    /// [`InsertError::Memory`] if the memory is too short, [`InsertError::Full`] if the index of an
    /// id has too few bits to name `slots` slots.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use loligo_ids::{HoleTable, InsertError};
    ///
    /// type Doors<'a> = HoleTable<'a, u16>;
    /// let mut memory = [MaybeUninit::uninit(); Doors::fixed_len(2)];
    /// let mut doors = Doors::fixed(&mut memory, 2)?;
    /// doors.insert(1)?;
    /// doors.insert(2)?;
    /// let full = doors.insert(3).unwrap_err();
    /// assert!(matches!(full, InsertError::Full { limit: 2, live: 2, .. }));
    /// # Ok::<(), InsertError>(())
    /// ```
    pub fn fixed(memory: &'a mut [MaybeUninit<u64>], slots: usize) -> Result<Self, InsertError> {
        Self::fixed_tagged(memory, slots, tag::next::<I>())
    }

    /// As [`fixed`](Self::fixed), with a tag where an id has it.
    pub(super) fn fixed_tagged(
        memory: &'a mut [MaybeUninit<u64>],
        slots: usize,
        tag: u64,
    ) -> Result<Self, InsertError> {
        let mut table = Self::empty(slots, None, tag);
        if table.limit < slots {
            return Err(table.full());
        }
        if slots > 0 {
            let needed = fixed_len(Self::MEASURES, slots);
            if needed.is_none_or(|needed| needed > memory.len()) {
                return Err(Self::refused(slots));
            }
            let block = NonNull::from(memory).cast::<u8>();
            let skip = block.align_offset(align(Self::MEASURES));
            // SAFETY: the length checked above includes the bytes skipped to align the table.
            let block = unsafe { block.add(skip) };
            // SAFETY: after the skipped bytes the block is aligned and long enough for a table of
            // `slots` slots.
            unsafe { table.spread(block, slots) };
        }
        Ok(table)
    }

    /// Returns the length, in `u64`s, of the memory that [`fixed`](Self::fixed) needs for `slots`
    /// slots, whatever the address of that memory.
    ///
    /// # Panics
    ///
    /// If no memory can be that large. In a constant this is a compile error.
    #[must_use]
    pub const fn fixed_len(slots: usize) -> usize {
        match fixed_len(Self::MEASURES, slots) {
            Some(len) => len,
            None => panic!("no memory is as large as a table of so many slots"),
        }
    }

    /// Sets the tag of the table, in place of the one that it took by itself.
    ///
    /// For ids that are to be the same in every run of a program, on another machine or in a saved
    /// image: by itself a table takes the next tag of the process, which depends on how many
    /// tables were made before. And for tables that are many, or live long, where
    /// [`tag`](Self::tag) says that tags coincide.
    ///
    /// # Panics
    ///
    /// If the tag does not fit into the bits that index and generation leave in an id, or if the
    /// table has already issued ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::{HoleTable, Id};
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// // 14 bits of index, 12 of generation: 6 are left for the tag.
    /// type TileId = Id<u8, u32, 14, 12>;
    /// type Tiles<'a> = HoleTable<'a, u8, TileId>;
    /// let mut ground = Tiles::new_in(&MEMORY).with_tag(1);
    /// let mut water = Tiles::new_in(&MEMORY).with_tag(2);
    /// let grass = ground.insert(0)?;
    /// let wave = water.insert(0)?;
    /// assert_eq!(wave.tag(), 2);
    /// assert!(water.get(grass).is_none());
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    #[must_use]
    pub fn with_tag(mut self, tag: u64) -> Self {
        assert!(self.used == 0, "the table gave out ids before it got tag {tag}");
        self.tag = tag::given::<I>(tag);
        self
    }

    /// Reserves space for `more` objects in addition to the live ones, so that inserting them
    /// allocates nothing.
    ///
    /// # Complexity
    ///
    /// O(capacity) where the table grows.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if the table cannot have `more` additional objects, or if there is no memory
    /// for them. The table does not change then.
    pub fn reserve(&mut self, more: usize) -> Result<(), InsertError> {
        let usable = self.free.saturating_sub(F::MIN_FREE);
        let fresh = more.saturating_sub(usable);
        match self.used.checked_add(fresh) {
            Some(needed) if needed <= self.limit => self.grow_to(needed),
            _ => Err(self.full()),
        }
    }

    /// Returns a table without memory. The tag is where an id has it.
    pub(super) fn empty(limit: usize, memory: Option<&'a A>, tag: u64) -> Self {
        Self {
            parts: S::Parts::nowhere(),
            free_end: NonNull::dangling(),
            mask: 0,
            free: 0,
            head: 0,
            used: 0,
            capacity: 0,
            limit: Self::limit_for(limit),
            reserved: 0,
            retired: 0,
            tag,
            memory,
            owned: PhantomData,
        }
    }

    /// Returns the limit that a table has for the one that was asked for: no more slots than an
    /// index can name and a machine can count.
    pub(super) fn limit_for(limit: usize) -> usize {
        limit.min(usize::try_from(I::SLOTS).unwrap_or(usize::MAX))
    }

    /// Makes room for one more slot.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self) -> Result<(), InsertError> {
        if self.used == self.limit {
            return Err(self.full());
        }
        self.grow_to(self.used + 1)
    }

    /// Grows the table to at least `needed` slots. `needed` is at most the limit.
    pub(super) fn grow_to(&mut self, needed: usize) -> Result<(), InsertError> {
        if needed <= self.capacity {
            return Ok(());
        }
        let Some(memory) = self.memory else {
            return Err(self.full());
        };
        let capacity = self.capacity.saturating_mul(2).max(FIRST).max(needed).min(self.limit);
        let layout = Self::layout(capacity).ok_or(Self::refused(capacity))?;
        let old = self.capacity;
        let block = match Self::layout(old) {
            Some(before) if old > 0 => {
                // SAFETY: the block came from this allocator with this layout, and nothing else
                // uses it.
                unsafe { memory.reallocate(self.parts.block(), before, layout) }
            }
            _ => memory.allocate(layout),
        };
        let block = block.map_err(|_| Self::refused(capacity))?.cast();
        // SAFETY: the block was allocated with the layout of a table for `capacity` objects.
        unsafe { self.spread(block, capacity) };
        Ok(())
    }

    /// Sets up the block for `capacity` objects: moves the arrays from their offsets for
    /// `self.capacity` objects to the new ones, and makes the new slots dead.
    ///
    /// # Safety
    ///
    /// The block has at least the size and alignment that `capacity` objects need, and begins with
    /// the contents of the old block.
    unsafe fn spread(&mut self, block: NonNull<u8>, capacity: usize) {
        let before = self.capacity;
        let (used, len) = (self.used, self.len());
        // SAFETY: the block is longer than the old block.
        let (old, old_end) = unsafe { Self::parts_within(block, before) };
        // SAFETY: the caller's promise.
        let (parts, end) = unsafe { Self::parts_within(block, capacity) };
        (self.parts, self.free_end) = (parts, end);
        self.capacity = capacity;
        self.mask = slots_for(capacity).unwrap_or(1) - 1;
        if before > 0 {
            // The free list is the last array, so it is moved first: the arrays before it then
            // have room to move.
            // SAFETY: both pointers are ends of free lists in this block, each list with space for
            // at least `before` slots.
            unsafe { self.move_list(old_end, before) };
            // SAFETY: the new parts are in the same block and have more room than the old ones.
            unsafe { old.move_to(parts, used, len) };
            self.unroll_list(before);
        }
        // SAFETY: `parts` are the parts of this block, which is for `capacity` objects.
        unsafe { parts.format(used, capacity) };
    }

    /// Returns the parts of a table in a block, and where its free list ends.
    ///
    /// # Safety
    ///
    /// The block has at least the size and alignment that `capacity` objects need.
    pub(super) unsafe fn parts_within(
        block: NonNull<u8>,
        capacity: usize,
    ) -> (S::Parts<T, I::Repr>, NonNull<I::Repr>) {
        let Some(Offsets { bytes, .. }) = offsets(Self::MEASURES, capacity) else {
            unreachable!("the block has a size, so its offsets exist");
        };
        // SAFETY: the caller's promise.
        let parts = unsafe { S::Parts::within(block, Self::MEASURES, capacity) };
        // SAFETY: the caller's block is that large.
        let end = unsafe { block.add(bytes) };
        (parts, end.cast())
    }

    /// Returns the layout of the block for `capacity` objects.
    pub(super) fn layout(capacity: usize) -> Option<Layout> {
        let bytes = offsets(Self::MEASURES, capacity)?.bytes;
        Layout::from_size_align(bytes, align(Self::MEASURES)).ok()
    }

    /// Deallocates the block, if there is one and it is not the caller's. The table is not to use
    /// it any more.
    pub(super) fn give_back(&mut self) {
        let (Some(memory), true) = (self.memory, self.capacity > 0) else { return };
        let Some(layout) = Self::layout(self.capacity) else {
            unreachable!("the block was taken with a layout");
        };
        // SAFETY: the block begins at the first array of the parts. It came from this allocator
        // with this layout, and nothing uses it any more.
        unsafe { memory.deallocate_sized(self.parts.block(), layout) };
    }

    /// The sizes that determine the layout of the table's block.
    pub(super) const MEASURES: Measures = {
        let apart = !F::LIFO || <S::Parts<T, I::Repr> as Parts<T, I::Repr>>::STACK_APART;
        Measures {
            free: if apart { size_of::<I::Repr>() } else { 0 },
            ..<S::Parts<T, I::Repr> as Parts<T, I::Repr>>::MEASURES
        }
    };

    #[cold]
    pub(super) fn full(&self) -> InsertError {
        InsertError::Full {
            limit: self.limit as u64,
            live: self.len() as u64,
            reserved: self.reserved as u64,
            retired: self.retired as u64,
            held_back: self.free.min(F::MIN_FREE) as u64,
        }
    }

    #[cold]
    pub(super) fn refused(slots: usize) -> InsertError {
        let bytes = offsets(Self::MEASURES, slots).map_or(u64::MAX, |all| all.bytes as u64);
        InsertError::Memory { slots: slots as u64, bytes }
    }
}

/// On drop, drops the remaining objects of a table and deallocates its memory. This runs even if a
/// destructor of an object panics.
struct Rest<'t, 'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>(
    &'t mut Table<'a, S, T, I, F, E, A>,
);

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for Rest<'_, '_, S, T, I, F, E, A>
{
    fn drop(&mut self) {
        // Objects are left only after a destructor panicked; a second panic aborts, as with `Vec`.
        if core::mem::needs_drop::<T>() {
            self.0.clear();
        }
        self.0.give_back();
    }
}

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for Table<'_, S, T, I, F, E, A>
{
    fn drop(&mut self) {
        let rest = Rest(self);
        if core::mem::needs_drop::<T>() {
            rest.0.clear();
        }
    }
}
