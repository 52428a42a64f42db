//! The options of a pool: how large its chunks are, and when it frees empty ones.

use core::cell::Cell;

use super::PoolAllocator;
use super::chunk::{Chunk, window_shift};
use super::group::Group;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::Allocator;

impl<B: Allocator + ?Sized, S: SiteBook> PoolAllocator<'_, B, S> {
    /// Fixes the number of blocks in each chunk, from 1 on; 0 stands for the default, growing
    /// chunks. Chunks that stand already, as that of a region, stay as they are.
    #[must_use]
    pub const fn with_blocks_per_chunk(mut self, blocks: usize) -> Self {
        self.blocks_per_chunk = blocks;
        // The groups of chunks that stand were made for the windows that they have.
        if self.blocks.get() == 0 {
            self.window_shift = window_shift(self.size.bytes, blocks);
        }
        self
    }

    /// Makes each chunk as large as `bytes` allow, what the pool keeps behind its blocks included,
    /// but of one block at least. Where the backing keeps words of its own beside a block, leave
    /// them out of `bytes`: chunks of 8 176 bytes are in a heap one behind the other, chunks of 8
    /// 192 do not, as they are aligned.
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
        // The window follows from the blocks and the groups from the window: twice is enough, as
        // the first count is too high by at most the groups of one chunk.
        let shift = window_shift(per_block, bytes / per_block);
        let groups = (bytes >> shift) + 2;
        let kept = size_of::<Chunk>() + groups * size_of::<Group>() + align_of::<Chunk>();
        let blocks = bytes.saturating_sub(kept) / per_block;
        self.with_blocks_per_chunk(if blocks == 0 { 1 } else { blocks })
    }

    /// Lets the pool give chunks back by itself, for programs that shift from one size of block to
    /// another: after as many frees as `percent` hundredths of its blocks it looks for empty
    /// chunks. Their blocks are then given out only when no other is free, and a chunk of which
    /// none was until the next look goes back. 0 stands for the default, which gives back in
    /// [`shrink`](Self::shrink) alone.
    ///
    /// Best with small chunks, [`with_chunk_bytes`](Self::with_chunk_bytes): one live block keeps
    /// its chunk. Freeing then costs O(1) amortised, and O(blocks / 64) and what the backing takes
    /// at worst.
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
