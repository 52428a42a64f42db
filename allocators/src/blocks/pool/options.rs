//! The options of a pool: how large its chunks are, and when it frees empty ones.

use core::cell::Cell;

use super::PoolAllocator;
use super::chunk::{Chunk, window_shift};
use super::group::Group;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::Allocator;

impl<B: Allocator + ?Sized, S: SiteBook> PoolAllocator<'_, B, S> {
    /// Fixes the number of blocks in each chunk, from 1 on; 0 means the default, growing chunks.
    /// Existing chunks, such as that of a region, are unchanged.
    #[must_use]
    pub const fn with_blocks_per_chunk(mut self, blocks: usize) -> Self {
        self.blocks_per_chunk = blocks;
        // The groups of existing chunks were created for their current windows.
        if self.blocks.get() == 0 {
            self.window_shift = window_shift(self.size.bytes, blocks);
        }
        self
    }

    /// Limits each chunk to `bytes`, including the metadata after its blocks, but with at least one
    /// block. If the backing stores words next to a block, subtract them from `bytes`: chunks of 8
    /// 176 bytes are adjacent in a heap, chunks of 8 192 are not, because of their alignment.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use loligo_allocators::{AllocError, Allocator, PageAllocator, PoolAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let node = Layout::new::<[u64; 6]>();
    /// let nodes = PoolAllocator::new("nodes", node, &pages).with_chunk_bytes(16 << 10);
    /// let block = nodes.allocate(node)?.cast::<u8>();
    /// assert!(nodes.stats().reserved <= 20 << 10, "a chunk and a page of table");
    /// # // SAFETY: the block is live and not used again.
    /// # unsafe { nodes.deallocate_sized(block, node) };
    /// # Ok::<(), AllocError>(())
    /// ```
    #[must_use]
    pub const fn with_chunk_bytes(self, bytes: usize) -> Self {
        let per_block = self.size.bytes;
        // The window follows from the blocks and the groups from the window: two rounds are enough,
        // as the first count is too high by at most the groups of one chunk.
        let shift = window_shift(per_block, bytes / per_block);
        let groups = (bytes >> shift) + 2;
        let kept = size_of::<Chunk>() + groups * size_of::<Group>() + align_of::<Chunk>();
        let blocks = bytes.saturating_sub(kept) / per_block;
        self.with_blocks_per_chunk(if blocks == 0 { 1 } else { blocks })
    }

    /// Lets the pool return chunks by itself, for programs that shift from one block size to
    /// another: after as many frees as `percent` per cent of its blocks it searches for empty
    /// chunks. Their blocks are then used only when no other is free, and a chunk that is still
    /// unused at the next search is returned. 0 means the default, which returns chunks only in
    /// [`shrink`](Self::shrink).
    ///
    /// Best with small chunks, [`with_chunk_bytes`](Self::with_chunk_bytes): one live block keeps
    /// its chunk. Freeing then costs O(1) amortised, and in the worst case O(blocks / 64) plus
    /// frees in the backing.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use loligo_allocators::{AllocError, Allocator, PageAllocator, PoolAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let node = Layout::new::<[u64; 8]>();
    /// let nodes = PoolAllocator::new("nodes", node, &pages)
    ///     .with_chunk_bytes(16 << 10)
    ///     .with_give_back(25);
    /// let level: Vec<_> = (0..10_000).map(|_| nodes.allocate(node)).collect::<Result<_, _>>()?;
    /// let full = nodes.stats().reserved;
    /// for block in level {
    ///     // SAFETY: the block is live and not used again.
    ///     unsafe { nodes.deallocate_sized(block.cast(), node) };
    /// }
    /// assert!(nodes.stats().reserved < full / 2);
    /// # Ok::<(), AllocError>(())
    /// ```
    #[must_use]
    pub const fn with_give_back(mut self, percent: u32) -> Self {
        self.look_percent = percent;
        self.next_look = Cell::new(if percent == 0 { u64::MAX } else { 0 });
        self
    }
}
