//! The buffer that the rows are in, and which of it is free.
//!
//! ```text
//! buffer    | block 2u | free 1u, next | block 4u | block 1u | free 2u, next | untouched ..
//!                                                                             ^ frontier
//! stacks    1u: 2 -> ..    2u: 8 -> ..    4u: empty                     u: a unit
//! ```

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::arrays::buffer::Buffer;
use crate::error::GrowError;
use crate::pools::array_of_arrays::word::{CLASSES, Word, units_of};

#[cfg(test)]
mod tests;

/// Blocks of a power of two of units, in one buffer.
///
/// # Invariants
///
/// 1. `frontier` is at most the units of the buffer; nothing after it is in use.
/// 2. Before it are blocks that were handed out, and free ones, without overlap and without a gap.
/// 3. `stacks[c]` leads to the free blocks of class c: an offset plus 1, or 0 at the end. A free
///    block's first 4 bytes are the link to the next. Bit c of `filled` is set where the stack has
///    a block.
/// 4. `free` is the sum of the free blocks' units.
pub(super) struct Space<'a, T, A: Allocator + ?Sized> {
    buffer: Buffer<'a, T, A>,
    frontier: u32,
    free: u32,
    filled: u32,
    stacks: [u32; CLASSES],
}

impl<'a, T: Copy, A: Allocator + ?Sized> Space<'a, T, A> {
    /// The elements of a unit: as many as 16 bytes hold, to a power of two, and one at least. A
    /// unit of less could not hold a link, and two blocks would share what the processor fetches at
    /// once.
    pub(super) const UNIT: u32 = match size_of::<T>() {
        0 => panic!("elements without a size need no memory and no rows"),
        1..16 => 1 << (16 / size_of::<T>() as u32).ilog2(),
        _ => 1,
    };

    pub(super) const fn new(memory: &'a A) -> Self {
        let _ = Self::UNIT;
        Self { buffer: Buffer::new(memory), frontier: 0, free: 0, filled: 0, stacks: [0; CLASSES] }
    }

    /// Returns an empty space with room for `units` units.
    pub(super) fn with_units(units: u32, memory: &'a A) -> Result<Self, GrowError> {
        let mut space = Self::new(memory);
        space.buffer.grow_exact(0, Self::room_of(units))?;
        Ok(space)
    }

    /// Returns an empty space with room for `elements` elements in blocks that are full.
    pub(super) fn with_elements(elements: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut space = Self::new(memory);
        let whole = elements.checked_next_multiple_of(Self::UNIT as usize).unwrap_or(usize::MAX);
        space.buffer.grow_exact(0, whole)?;
        Ok(space)
    }

    pub(super) const fn memory(&self) -> &'a A {
        self.buffer.memory()
    }

    pub(super) const fn frontier(&self) -> u32 {
        self.frontier
    }

    pub(super) const fn free(&self) -> u32 {
        self.free
    }

    /// Returns how many units there is room for.
    #[inline(always)]
    pub(super) const fn units(&self) -> u32 {
        self.buffer.capacity() / Self::UNIT
    }

    pub(super) const fn bytes(&self) -> usize {
        self.buffer.bytes()
    }

    /// Returns where a block begins; where there is no buffer, what dangles, aligned.
    ///
    /// # Safety
    ///
    /// `offset` is at most the frontier.
    #[inline(always)]
    pub(super) unsafe fn at(&self, offset: u32) -> NonNull<T> {
        debug_assert!(offset <= self.frontier, "{offset} is behind {}", self.frontier);
        let elements = offset as usize * Self::UNIT as usize;
        // SAFETY: what is before the frontier is within the buffer (invariant 1), the frontier at
        // its end.
        unsafe { self.buffer.start().add(elements) }
    }

    /// Returns the place of an element, which may yet be unwritten.
    ///
    /// # Safety
    ///
    /// The index, in elements, is within a block that was handed out, or at its end.
    #[inline(always)]
    pub(super) unsafe fn element(&self, index: u32) -> NonNull<T> {
        debug_assert!(index.div_ceil(Self::UNIT) <= self.frontier, "{index} is in no block");
        // SAFETY: what was handed out is before the frontier (invariant 2), so within the buffer.
        unsafe { self.buffer.start().add(index as usize) }
    }

    /// Returns the elements of a row.
    ///
    /// # Safety
    ///
    /// The row is alive, its block is of this space, its elements begin the block, and while the
    /// slice is in use nothing changes them.
    #[inline(always)]
    pub(super) unsafe fn elements<'s>(&self, row: Word) -> &'s [T] {
        // SAFETY: a row's block was handed out, and where there is none this is 0, at the end of
        // nothing.
        let start = unsafe { self.element(row.start()) };
        // SAFETY: that many elements are there, as promised.
        unsafe { core::slice::from_raw_parts(start.as_ptr(), row.len() as usize) }
    }

    /// Returns the elements of a row, to be changed.
    ///
    /// # Safety
    ///
    /// The row is alive, its block is of this space, its elements begin the block, and while the
    /// slice is in use nothing else accesses them.
    #[inline(always)]
    pub(super) unsafe fn elements_mut<'s>(&self, row: Word) -> &'s mut [T] {
        // SAFETY: as in `elements`.
        let start = unsafe { self.element(row.start()) };
        // SAFETY: that many elements are there, for this caller alone, as promised.
        unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), row.len() as usize) }
    }

    /// Returns the same as memory that may not be initialised yet.
    ///
    /// # Safety
    ///
    /// As [`elements_mut`](Self::elements_mut), but that the elements need not be there.
    #[inline(always)]
    pub(super) unsafe fn uninit_mut<'s>(&self, row: Word) -> &'s mut [MaybeUninit<T>] {
        // SAFETY: as in `elements`.
        let start = unsafe { self.element(row.start()) }.cast::<MaybeUninit<T>>();
        // SAFETY: the block has room for that many, for this caller alone, as promised.
        unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), row.len() as usize) }
    }

    /// Takes a block of a class, which is not 0, if there is one or if there is room after the
    /// frontier.
    #[inline]
    pub(super) fn allocate(&mut self, class: u32) -> Option<u32> {
        if self.filled & 1 << class != 0 {
            return Some(self.pop(class));
        }
        let units = units_of(class);
        if self.units() - self.frontier >= units {
            let offset = self.frontier;
            self.frontier += units;
            return Some(offset);
        }
        self.split(class)
    }

    /// Takes a block out of a larger one that is free, whose other parts stay free.
    #[cold]
    fn split(&mut self, class: u32) -> Option<u32> {
        let larger = self.filled >> class;
        if larger == 0 {
            return None;
        }
        let mut found = class + larger.trailing_zeros();
        let offset = self.pop(found);
        while found > class {
            found -= 1;
            // SAFETY: the upper half of a block that was free and is not handed out.
            unsafe { self.push(offset + units_of(found), found) };
        }
        Some(offset)
    }

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// The block was handed out with this class, and is not used afterwards.
    #[inline]
    pub(super) unsafe fn release(&mut self, offset: u32, class: u32) {
        if offset + units_of(class) == self.frontier {
            self.frontier = offset;
        } else {
            // SAFETY: the block is before the frontier (invariant 2) and is unused from here on.
            unsafe { self.push(offset, class) };
        }
    }

    /// Doubles a block of the given number of units, which ends at `end`, in place, if there is
    /// nothing but room after it.
    #[inline]
    pub(super) fn double_in_place(&mut self, end: u32, units: u32) -> bool {
        if end != self.frontier || self.units() - self.frontier < units {
            return false;
        }
        self.frontier += units;
        true
    }

    /// Forgets all blocks and keeps the buffer.
    pub(super) fn clear(&mut self) {
        (self.frontier, self.free, self.filled) = (0, 0, 0);
        self.stacks = [0; CLASSES];
    }

    /// Makes the buffer `units` units long, if it is shorter; blocks keep their offsets.
    pub(super) fn grow(&mut self, units: u32) -> Result<(), GrowError> {
        self.buffer.grow_exact(0, Self::room_of(units))
    }

    /// Returns the number of elements in `units` units; `usize::MAX`, which no block has, where it
    /// overflows.
    fn room_of(units: u32) -> usize {
        (units as usize).saturating_mul(Self::UNIT as usize)
    }

    /// Copies `units` units from elsewhere into a block.
    ///
    /// # Safety
    ///
    /// A block that was handed out begins at `to`; it and the memory at `from` have `units` units
    /// and do not overlap.
    #[inline]
    pub(super) unsafe fn copy_block(&mut self, to: u32, from: NonNull<T>, units: u32) {
        let unit = Self::UNIT as usize;
        // SAFETY: what was handed out is before the frontier (invariant 2).
        let mut to = unsafe { self.at(to) }.cast::<MaybeUninit<T>>();
        let mut from = from.cast::<MaybeUninit<T>>();
        // Unit by unit: most blocks have one or two, and a call for a length that is not known
        // costs more.
        for _ in 0..units {
            // SAFETY: both are so long, and apart, as promised; elements may be uninitialised in
            // both.
            unsafe { to.copy_from_nonoverlapping(from, unit) };
            // SAFETY: within the block or at its end.
            to = unsafe { to.add(unit) };
            // SAFETY: as above.
            from = unsafe { from.add(unit) };
        }
    }

    /// Makes this space equal to another byte for byte.
    ///
    /// # Safety
    ///
    /// There is room up to the other's frontier, and afterwards blocks of this space are used only
    /// as those of the other.
    pub(super) unsafe fn copy_all(&mut self, other: &Space<'_, T, impl Allocator + ?Sized>) {
        let elements = other.frontier as usize * Self::UNIT as usize;
        let from = other.buffer.start().cast::<MaybeUninit<T>>();
        let to = self.buffer.start().cast::<MaybeUninit<T>>();
        // SAFETY: the other buffer is as long as its frontier says (invariant 1), this one, too, as
        // promised, and they are two; elements may be uninitialised in both.
        unsafe { to.copy_from_nonoverlapping(from, elements) };
        (self.frontier, self.free, self.filled) = (other.frontier, other.free, other.filled);
        self.stacks = other.stacks;
    }

    /// Visits the free blocks with their classes.
    pub(super) fn each_free(&self, mut visit: impl FnMut(u32, u32)) {
        for class in 1..CLASSES as u32 {
            let mut next = self.stacks[class as usize];
            while let Some(offset) = next.checked_sub(1) {
                visit(offset, class);
                next = self.link(offset);
            }
        }
    }

    /// Returns `true` if a stack has blocks exactly where its bit says so.
    pub(super) fn stacks_are_marked(&self) -> bool {
        let marked = |class: usize| self.filled >> class & 1 == 1;
        self.stacks.iter().enumerate().all(|(class, head)| marked(class) == (*head != 0))
    }

    #[inline]
    fn pop(&mut self, class: u32) -> u32 {
        let offset = self.stacks[class as usize] - 1;
        let next = self.link(offset);
        self.stacks[class as usize] = next;
        self.filled ^= u32::from(next == 0) << class;
        self.free -= units_of(class);
        offset
    }

    /// # Safety
    ///
    /// A block of this class begins at `offset`, before the frontier, and is not in use.
    #[inline]
    unsafe fn push(&mut self, offset: u32, class: u32) {
        let head = core::mem::replace(&mut self.stacks[class as usize], offset + 1);
        // SAFETY: it is before the frontier, as promised.
        let block = unsafe { self.at(offset) };
        // SAFETY: a block is at least 8 bytes long, and this one is not in use.
        unsafe { block.cast::<u32>().write_unaligned(head) };
        self.filled |= 1 << class;
        self.free += units_of(class);
    }

    /// Returns the link of a free block.
    #[inline]
    fn link(&self, offset: u32) -> u32 {
        // SAFETY: free blocks are before the frontier (invariant 2).
        let block = unsafe { self.at(offset) };
        // SAFETY: the first bytes of a free block are a link (invariant 3).
        unsafe { block.cast::<u32>().read_unaligned() }
    }
}
