//! A heap over offsets: blocks of any length in memory that it must not or cannot touch.
//!
//! After Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time
//! systems" (2004), for the purpose of Niklas Frykholm, "Allocation Adventures 3: The Buddy
//! Allocator" (2015). Changes: what describes a block is in a table of nodes and not in the memory,
//! a block keeps its exact length, a few blocks of the request's own bin are tried before a longer
//! one is cut, and a block has a name in which a second free is found.
//!
//! ```text
//! nodes: | offset, length, neighbours, links, life |  40 bytes for each block, free or live
//! range: start .. end, never touched
//! ```

mod bins;
mod calls;
mod check;
mod nodes;
mod offset_block;
#[cfg(test)]
mod tests;

use core::cell::Cell;
use core::ops::Range;

use self::bins::Bins;
use self::nodes::{NIL, Nodes};
pub use self::offset_block::OffsetBlock;
use crate::blocks::offset_leak::{self, OffsetBlocks};
use crate::contract::allocator::{AllocError, Allocator, Damage};
use crate::contract::stats::Stats;

/// Divides a range of offsets into blocks of any length, in whatever unit the program counts:
/// bytes, vertices, rows.
///
/// A block has exactly the requested length. It begins at a multiple of any number, so that it can
/// be an index into an array of elements of that length. The memory that they are offsets into is
/// never touched.
///
/// # Complexity
///
/// O(1) for each call, besides moves of the table when it grows: at most four bins and ten nodes are
/// looked at. [`walk`](Self::walk) and [`verify`](Self::verify): O(blocks).
///
/// # Memory
///
/// 40 bytes for each block and each gap between blocks, in one table from the backing that doubles
/// as it fills; it does not depend on the length of the range, which may be up to 2^64 - 1. A free
/// block serves a longer request of the same bin (a 16th of a doubling) only if it is the first of
/// it, or among the first four where no block of a longer bin is free or the request is aligned. The
/// object itself is 4.2 KiB.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`. As it returns offsets it is not an
/// [`Allocator`]; to share it, guard it with a lock.
///
/// # When not to use it
///
/// For memory that the processor can access: a [`HeapAllocator`](crate::HeapAllocator) keeps what
/// it knows next to the blocks. If blocks are found by their offset alone, or merge with equal
/// halves only: [`BuddyOffsets`](crate::BuddyOffsets) frees by offset, and its table depends on the
/// range and not on the blocks.
///
/// # Examples
///
/// ```
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{HeapAllocator, HeapOffsets};
///
/// let mut memory = vec![MaybeUninit::uninit(); 64 * 1024];
/// let tables = HeapAllocator::from_region("tables", &mut memory);
/// // 256 MiB of another device, from 4 KiB on.
/// let buffer = HeapOffsets::new("vertices", 4096..256 << 20, &tables)?;
/// let mesh = buffer.allocate(1000 * 36, 36)?;
/// assert_eq!(mesh.offset() % 36, 0);
/// assert_eq!(buffer.len_of(mesh), 36_000);
/// buffer.free(mesh);
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. Node 0 has the block at the start of the range, and node `last` the one at its end. By
///    `after` they are in the order of their offsets, without a gap, and no two neighbours are
///    free.
/// 2. A free block is in the list of the bin of its length, and no other node is in a list of one.
/// 3. The life of a node is odd while its block is live.
#[derive(Debug)]
pub struct HeapOffsets<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    name: &'a str,
    nodes: Nodes<'a, B>,
    bins: Bins,
    start: u64,
    end: Cell<u64>,
    last: Cell<u32>,
    live: Cell<usize>,
    granted: Cell<u64>,
    peak_granted: Cell<u64>,
    allocations_total: Cell<u64>,
    granted_total: Cell<u64>,
}

// SAFETY: the nodes are reached only through this object, so they move together; the backing is one
// that threads may share.
unsafe impl<B: Allocator + Sync + ?Sized> Send for HeapOffsets<'_, B> {}

impl<'a> HeapOffsets<'a> {
    /// Creates an allocator of the offsets of `range`, all free, whose table comes from `backing`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the backing has no memory for the first nodes.
    pub fn new(
        name: &'a str,
        range: Range<u64>,
        backing: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError> {
        Self::new_in(name, range, 0, backing)
    }
}

impl<'a, B: Allocator + ?Sized> HeapOffsets<'a, B> {
    /// As [`new`](Self::new), with room for `blocks` blocks from the start, and keeps the type of
    /// the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_in(
        name: &'a str,
        range: Range<u64>,
        blocks: u32,
        backing: &'a B,
    ) -> Result<Self, AllocError> {
        // Each block may have a gap after it.
        let nodes = Nodes::new(blocks.saturating_mul(2).saturating_add(8), backing)?;
        let offsets = Self {
            name,
            nodes,
            bins: Bins::new(),
            start: range.start,
            end: Cell::new(range.start),
            last: Cell::new(NIL),
            live: Cell::new(0),
            granted: Cell::new(0),
            peak_granted: Cell::new(0),
            allocations_total: Cell::new(0),
            granted_total: Cell::new(0),
        };
        if range.end > range.start {
            offsets.extend(range.end)?;
        }
        Ok(offsets)
    }

    /// Returns a block of `len`, which begins at a multiple of `align`, any number. A length of
    /// zero is served as one.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if no free block is long enough, or the table would have to grow and the
    /// backing has no memory. Nothing has changed.
    ///
    /// # Panics
    ///
    /// If `align` is zero.
    #[inline]
    #[track_caller]
    pub fn allocate(&self, len: u64, align: u64) -> Result<OffsetBlock, AllocError> {
        assert!(align != 0, "no offset is a multiple of zero; pass 1 for any place");
        self.take(len.max(1), align)
    }

    /// Frees a block. One that is free already, or is not of this allocator, is a misuse.
    #[inline]
    #[track_caller]
    pub fn free(&self, block: OffsetBlock) {
        if self.is_live(block) {
            self.give(block.node);
        } else {
            self.wrong(block);
        }
    }

    /// Changes the length of a block in place: frees its end, or takes from a free block after it.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if what follows is not free or too short, or the table would have to grow and
    /// the backing has no memory. The block is unchanged.
    #[track_caller]
    pub fn resize_in_place(&self, block: OffsetBlock, len: u64) -> Result<(), AllocError> {
        if !self.is_live(block) {
            self.wrong(block);
            return Err(AllocError);
        }
        self.resize(block.node, len.max(1))
    }

    /// Adds the offsets from the end of the range to `end`, as when the buffer that they are
    /// offsets into was replaced by a longer one.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `end` is not after the end of the range, or the table would have to grow
    /// and the backing has no memory. Nothing has changed.
    pub fn extend(&self, end: u64) -> Result<(), AllocError> {
        let more = end.checked_sub(self.end.get()).filter(|&more| more > 0).ok_or(AllocError)?;
        self.extend_by(more)
    }

    /// Returns the length of a live block; 0, after a report, of any other.
    #[must_use]
    #[track_caller]
    pub fn len_of(&self, block: OffsetBlock) -> u64 {
        if self.is_live(block) {
            return self.nodes.at(block.node).len.get();
        }
        self.wrong(block);
        0
    }

    /// Returns whether a block is live: its name stays false once it was freed, until the node has
    /// been used again 2^31 times.
    #[inline]
    #[must_use]
    pub fn is_live(&self, block: OffsetBlock) -> bool {
        let node = self.nodes.all().get(block.node as usize);
        node.is_some_and(|node| {
            node.life.get() == block.life && node.is_live() && node.offset.get() == block.offset
        })
    }

    /// Returns the length that one request can surely have, without alignment: that of a free block
    /// of the last bin.
    #[must_use]
    pub fn longest_free(&self) -> u64 {
        let bin = self.bins.last();
        bin.map_or(0, |bin| self.nodes.at(self.bins.head(bin)).len.get())
    }

    /// Returns the current counters; bytes are the unit of the range.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let narrow = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (granted, peak) = (narrow(self.granted.get()), narrow(self.peak_granted.get()));
        let reserved = narrow(self.end.get() - self.start);
        Stats {
            live: self.live.get(),
            requested: granted,
            granted,
            reserved,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: reserved,
            allocations_total: self.allocations_total.get(),
            requested_total: self.granted_total.get(),
            granted_total: self.granted_total.get(),
            exact: true,
        }
    }

    /// Returns the name that reports show.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Returns the allocator that the table comes from.
    #[must_use]
    pub fn backing(&self) -> &B {
        self.nodes.backing
    }

    /// Returns the offsets that are divided.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.start..self.end.get()
    }

    /// Returns the size of the table in bytes.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        self.nodes.bytes()
    }

    /// Visits every live block and its length in the order of offsets. `visit` must not call the
    /// allocator.
    pub fn walk(&self, visit: &mut dyn FnMut(OffsetBlock, u64)) {
        let mut at = if self.last.get() == NIL { NIL } else { 0 };
        while at != NIL {
            let node = self.nodes.at(at);
            if node.is_live() {
                let (offset, life) = (node.offset.get(), node.life.get());
                visit(OffsetBlock { offset, node: at, life }, node.len.get());
            }
            at = node.after.get();
        }
    }

    /// Checks the allocator's own structure. O(blocks). The address of a [`Damage`] is the offset.
    ///
    /// # Errors
    ///
    /// [`Damage`] describes the first fault found.
    pub fn verify(&self) -> Result<(), Damage> {
        self.check()
    }
}

impl<B: Allocator + ?Sized> OffsetBlocks for HeapOffsets<'_, B> {
    fn name(&self) -> &str {
        self.name
    }

    fn live(&self) -> (usize, usize) {
        let stats = self.stats();
        (stats.live, stats.granted)
    }

    fn unit(&self) -> &'static str {
        "units"
    }

    fn each_live(&self, visit: &mut dyn FnMut(u64, u64)) {
        self.walk(&mut |block, len| visit(block.offset, len));
    }
}

impl<B: Allocator + ?Sized> Drop for HeapOffsets<'_, B> {
    fn drop(&mut self) {
        offset_leak::assert_none(self);
    }
}
