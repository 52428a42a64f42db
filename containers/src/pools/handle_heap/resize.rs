//! Making a block longer or shorter under its id.

use loligo_allocators::Allocator;

use super::space::Header;
use super::{BlockError, BlockId, HandleHeap, HandleHeapError, granules, measure};
use crate::error::or_panic;

impl<A: Allocator + ?Sized> HandleHeap<'_, A> {
    /// Makes a block `bytes` long. Its contents are kept up to the lesser length; what is added
    /// holds what was there before. The id and the alignment stay.
    ///
    /// It stays where it is if it gets shorter, or if there is a long enough hole after it. A
    /// pinned block can be resized only so.
    ///
    /// # Complexity
    ///
    /// O(1) in place; else O(bytes), and O(buffer) where the buffer must grow.
    ///
    /// # Errors
    ///
    /// [`HandleHeapError`]; nothing has changed, but that the buffer may have grown.
    pub fn try_resize(&mut self, id: BlockId, bytes: usize) -> Result<(), HandleHeapError> {
        let stale = HandleHeapError::Block(BlockError::Stale { id });
        let at = self.slots.get(id).ok_or(stale)?;
        let block = self.space.header(at);
        let (size, _) = measure(bytes, 1)?;
        let to = self.refit(id, at, block, size)?;
        self.space.set_bytes(to, size);
        self.slots.set(block.slot(), to);
        self.live_bytes = self.live_bytes - u64::from(block.bytes()) + u64::from(size);
        Ok(())
    }

    /// Resizes a block as [`try_resize`](Self::try_resize) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, the id names no block, or the block is pinned and would have to move.
    pub fn resize(&mut self, id: BlockId, bytes: usize) {
        or_panic(self.try_resize(id, bytes));
    }

    /// Gives a block granules for `size` bytes, moving it if it must, and returns its new place.
    fn refit(
        &mut self,
        id: BlockId,
        at: u32,
        block: Header,
        size: u32,
    ) -> Result<u32, HandleHeapError> {
        let granules = granules(size);
        if granules <= block.granules() {
            self.space.cut(at, granules);
            return Ok(at);
        }
        if self.space.stretch(at, granules) {
            return Ok(at);
        }
        if block.pins() > 0 {
            let bytes = u64::from(size);
            return Err(HandleHeapError::Pinned { bytes, pinned: id, pinned_blocks: self.pinned });
        }
        let align = block.align();
        let to = match self.space.take(granules, align) {
            Some(to) => to,
            None => self.take_slowly(granules, align)?,
        };
        self.space.set_owner(to, block.slot(), size, align);
        self.space.copy(at, to, block.bytes());
        self.space.rest(at);
        Ok(to)
    }
}
