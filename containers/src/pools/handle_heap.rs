//! Blocks named by ids, which may move.
//!
//! After Niklas Frykholm, "Allocation Adventures 3: The Buddy Allocator" (2015), which names
//! relocatable blocks, reached by handles, as one of four ways against fragmentation and leaves it
//! at that. What we make of it:
//!
//! - The handle is an id with a generation: one that was freed is refused for ever.
//! - A block is borrowed through the heap, so nothing can move while it is borrowed; a caller that
//!   must hold an address for longer pins the block.
//! - Compaction is incremental: a call moves at most the given number of bytes.
//!
//! `docs/decisions/0008-handle-heap.md` says why it is built as it is.

use core::alloc::Layout;
use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_ids::Id;

use crate::error::{GrowError, or_panic};

mod bins;
mod check;
mod compact;
mod error;
mod pin;
mod resize;
mod resting;
mod slots;
mod space;
mod stats;
#[cfg(test)]
mod tests;

pub use compact::Compaction;
pub use error::{BlockError, HandleHeapDamage, HandleHeapError};
pub use stats::HandleHeapStats;

use slots::Slots;
use space::{GRANULE, Space};

/// The tag of a [`BlockId`]; nothing of it is ever made.
#[derive(Debug)]
pub enum HeapBlock {}

/// The name of a block of a [`HandleHeap`].
///
/// 64 bits, so that no program lives to see one come back: a slot has 2^31 lives.
pub type BlockId = Id<HeapBlock, u64, 32, 32>;

/// A heap whose blocks are named by ids and may move, so that the holes between them can be closed.
///
/// The bytes of a block are reached by its id, and a block moves only where the heap is borrowed to
/// be changed; so no slice ever dangles. A block that something outside of the program uses (a
/// device, a library in C) is [pinned](Self::pin) meanwhile, and compaction leaves it in place.
///
/// # Complexity
///
/// Allocating and freeing are O(1), but for growth, which zeroes what is new, and for the last of
/// the memory: before a request is refused all holes that may do are looked at. Access is one
/// lookup by id. A freed block of up to 1 KiB rests, and the next one of its length takes it as it
/// is; so a program that frees and allocates the same lengths moves no links of holes.
///
/// # Memory
///
/// ```text
/// part   | head | block    | head | hole | head | block  | head | hole to the end |    granules of 16 bytes
///           |                               |
/// table  | life, where | free | life, where | ..      8 bytes a block
///
/// head of a block | granules, granules before | slot, pins, alignment, bytes of the last granule |
/// head of a hole  | granules, granules before | next, last of its size class |
/// ```
///
/// Nothing while it is empty. Then a buffer, which doubles by parts that never move, and one table.
/// A block takes 24 bytes plus its own, which are rounded up to 16; it is shorter than 2 GiB. Holes
/// are kept by size: one class a size up to 31 granules, then eight classes for each power of two,
/// so a block takes a hole at most an eighth larger than needed while there is one. The object is
/// 1 400 bytes or fewer, most of them the heads of the size classes and of what rests.
///
/// Every block is aligned to 16 bytes, and to [`MAX_ALIGN`](Self::MAX_ALIGN) = 64 where it is asked
/// for.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`. Blocks are allocated, freed and moved through
/// `&mut`, and read by several threads at once.
///
/// # When not to use it
///
/// For blocks of a few bytes: their heads are longer than they are. For objects of one size: an id
/// table has no holes to close. Where nothing may be moved: a heap allocator has the same blocks
/// without ids.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::HandleHeap;
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let mut heap: HandleHeap = HandleHeap::new(&MEMORY);
/// let first = heap.try_allocate(100, 16)?;
/// let path = heap.try_allocate_from(&[1.0_f32, 4.0, 9.0])?;
/// heap.free(first)?;
///
/// // The hole that the first one left is closed; the path has another address and the same id.
/// let done = heap.compact(1 << 10);
/// assert_eq!((done.moved_blocks, heap.stats().holes), (1, 1));
/// assert_eq!(heap.slice_of::<f32>(path), Some(&[1.0, 4.0, 9.0][..]));
/// assert_eq!(heap.bytes(first), None, "freed, and refused from then on");
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. Those of `Space`: blocks, holes and what rests fill each part of the buffer without a gap, no
///    two holes are adjacent, and each hole is in the list of its size class.
/// 2. The header of every block has the slot of an entry of the table that leads back to it; there
///    is a header for every entry.
/// 3. `pinned` blocks have pins, and none of these has moved since it got its first.
pub struct HandleHeap<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    space: Space<'a, A>,
    slots: Slots<'a, A>,
    live_bytes: u64,
    pinned: u32,
}

impl<'a> HandleHeap<'a> {
    /// Returns an empty heap, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty heap with a buffer of `bytes` at least, heads included.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for it.
    pub fn try_with_capacity(
        bytes: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> HandleHeap<'a, A> {
    /// The greatest alignment that a block may have.
    pub const MAX_ALIGN: usize = space::LINE;

    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        Self {
            space: Space::new_in(memory),
            slots: Slots::new_in(memory),
            live_bytes: 0,
            pinned: 0,
        }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(bytes: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut heap = Self::new_in(memory);
        heap.space.reserve(bytes.div_ceil(GRANULE))?;
        Ok(heap)
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.space.memory()
    }

    /// Takes a block of `bytes` bytes, aligned to `align`. Its contents are what was there before.
    ///
    /// The buffer grows where no hole is large enough, by a part as long as all others; nothing
    /// moves. Holes are not closed for it; where the error says that they would do, call
    /// [`compact`](Self::compact).
    ///
    /// # Complexity
    ///
    /// O(1); O(buffer) where the buffer grows, as what is new is zeroed. Before it does, or is
    /// refused, O(holes) of the block's size class and of those above.
    ///
    /// # Errors
    ///
    /// [`HandleHeapError`]; nothing has changed, but that the buffer may have grown.
    #[inline]
    pub fn try_allocate(&mut self, bytes: usize, align: usize) -> Result<BlockId, HandleHeapError> {
        let (size, align) = measure(bytes, align)?;
        let at = match self.space.take(granules(size), align) {
            Some(at) => at,
            None => self.take_slowly(granules(size), align)?,
        };
        match self.slots.insert(at) {
            Ok(id) => {
                self.space.set_owner(at, id.index() as u32, size, align);
                self.live_bytes += u64::from(size);
                Ok(id)
            }
            Err(error) => {
                self.space.give(at);
                Err(HandleHeapError::Ids(error))
            }
        }
    }

    /// Takes a block as [`try_allocate`](Self::try_allocate) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or the alignment is none.
    #[must_use]
    pub fn allocate(&mut self, bytes: usize, align: usize) -> BlockId {
        or_panic(self.try_allocate(bytes, align))
    }

    /// Takes a block that holds copies of these elements, aligned for them.
    ///
    /// # Complexity
    ///
    /// As [`try_allocate`](Self::try_allocate), and O(elements).
    ///
    /// # Errors
    ///
    /// As [`try_allocate`](Self::try_allocate).
    pub fn try_allocate_from<T: NoUninit>(
        &mut self,
        elements: &[T],
    ) -> Result<BlockId, HandleHeapError> {
        let id = self.try_allocate(size_of_val(elements), align_of::<T>())?;
        if let Some(bytes) = self.bytes_mut(id) {
            bytes.copy_from_slice(bytemuck::cast_slice(elements));
        }
        Ok(id)
    }

    /// Takes a block that holds copies as [`try_allocate_from`](Self::try_allocate_from) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or the elements are aligned to more than
    /// [`MAX_ALIGN`](Self::MAX_ALIGN).
    #[must_use]
    pub fn allocate_from<T: NoUninit>(&mut self, elements: &[T]) -> BlockId {
        or_panic(self.try_allocate_from(elements))
    }

    /// Gives a block back. Its id is refused from then on.
    ///
    /// # Complexity
    ///
    /// O(1). Nothing moves.
    ///
    /// # Errors
    ///
    /// [`BlockError`] if the id names no block, or one that is pinned.
    #[inline]
    pub fn free(&mut self, id: BlockId) -> Result<(), BlockError> {
        let at = self.slots.get(id).ok_or(BlockError::Stale { id })?;
        let block = self.space.header(at);
        if block.pins() > 0 {
            return Err(BlockError::Pinned { id, pins: block.pins() });
        }
        self.slots.remove(id);
        self.space.rest(at);
        self.live_bytes -= u64::from(block.bytes());
        Ok(())
    }

    /// Returns `true` if the id names a block of this heap. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, id: BlockId) -> bool {
        self.slots.get(id).is_some()
    }

    /// Returns the bytes of a block, or `None` if the id names none. O(1).
    #[inline]
    #[must_use]
    pub fn bytes(&self, id: BlockId) -> Option<&[u8]> {
        let at = self.slots.get(id)?;
        Some(self.space.bytes(at))
    }

    /// Returns the bytes of a block, to be changed, or `None` if the id names none. O(1).
    #[inline]
    #[must_use]
    pub fn bytes_mut(&mut self, id: BlockId) -> Option<&mut [u8]> {
        let at = self.slots.get(id)?;
        Some(self.space.bytes_mut(at))
    }

    /// Returns a block as elements of a type. O(1).
    ///
    /// `None` if the id names no block, or the block is not a whole number of such elements, or not
    /// aligned for them.
    #[inline]
    #[must_use]
    pub fn slice_of<T: AnyBitPattern>(&self, id: BlockId) -> Option<&[T]> {
        bytemuck::try_cast_slice(self.bytes(id)?).ok()
    }

    /// Returns a block as elements of a type, to be changed, or `None` as
    /// [`slice_of`](Self::slice_of) does. O(1).
    #[inline]
    #[must_use]
    pub fn slice_of_mut<T: AnyBitPattern + NoUninit>(&mut self, id: BlockId) -> Option<&mut [T]> {
        bytemuck::try_cast_slice_mut(self.bytes_mut(id)?).ok()
    }

    /// Returns a block as one value of a type, or `None` if it is not exactly that. O(1).
    #[inline]
    #[must_use]
    pub fn value<T: AnyBitPattern>(&self, id: BlockId) -> Option<&T> {
        bytemuck::try_from_bytes(self.bytes(id)?).ok()
    }

    /// Returns a block as one value of a type, to be changed, or `None` if it is not exactly that.
    /// O(1).
    #[inline]
    #[must_use]
    pub fn value_mut<T: AnyBitPattern + NoUninit>(&mut self, id: BlockId) -> Option<&mut T> {
        bytemuck::try_from_bytes_mut(self.bytes_mut(id)?).ok()
    }

    /// Returns how many blocks there are. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() as usize
    }

    /// Returns `true` if there are no blocks. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.len() == 0
    }

    /// Takes granules where the quick search found none: from a hole that it passed over, or by
    /// growing.
    #[cold]
    #[inline(never)]
    fn take_slowly(&mut self, granules: u32, align: u32) -> Result<u32, HandleHeapError> {
        self.space.end_all_rest();
        if let Some(at) = self.space.take_thoroughly(granules, align) {
            return Ok(at);
        }
        self.make_room(granules, align)?;
        // There is a hole now that is as large as that.
        Ok(self.space.take_thoroughly(granules, align).unwrap_or_else(|| {
            unreachable!("room was made for {granules} granules aligned to {align}")
        }))
    }

    /// Adds a part with a hole for `granules` granules to the buffer.
    fn make_room(&mut self, granules: u32, align: u32) -> Result<(), HandleHeapError> {
        let bytes = u64::from(granules) * GRANULE as u64;
        let most = granules as usize + align as usize - 1;
        self.space.grow(most).map_err(|cause| {
            let stats = self.stats();
            HandleHeapError::Memory {
                bytes,
                hole_bytes: stats.hole_bytes,
                largest_hole_bytes: stats.largest_hole_bytes,
                cause,
            }
        })
    }
}

/// Returns the bytes as they are stored, and the alignment in granules.
#[inline]
fn measure(bytes: usize, align: usize) -> Result<(u32, u32), HandleHeapError> {
    let limit = space::LINE;
    if Layout::from_size_align(0, align).is_err() || align > limit {
        return Err(HandleHeapError::Align { align: align as u64, limit: limit as u64 });
    }
    // A header and the rounding are on top, in granules, which are few enough then.
    let size = u32::try_from(bytes)
        .map_err(|_| HandleHeapError::Length { bytes: bytes as u64, limit: u64::from(u32::MAX) })?;
    Ok((size, (align / GRANULE).max(1) as u32))
}

/// Returns how many granules a block of the given number of bytes takes, its header included.
#[inline]
const fn granules(bytes: u32) -> u32 {
    1 + bytes.div_ceil(GRANULE as u32)
}

impl<A: Allocator + ?Sized> fmt::Debug for HandleHeap<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandleHeap").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
