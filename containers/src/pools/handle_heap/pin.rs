//! Blocks that must not move for a while.

use core::ptr::NonNull;

use loligo_allocators::Allocator;

use super::{BlockError, BlockId, HandleHeap};

impl<A: Allocator + ?Sized> HandleHeap<'_, A> {
    /// Keeps a block in place until it was unpinned as often as pinned, and returns how often it is
    /// pinned now.
    ///
    /// Compaction goes around a pinned block, and its part of the buffer cannot get shorter.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`BlockError`] if the id names no block, or it is pinned 65 535 times.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::HandleHeap;
    ///
    /// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
    /// let mut heap: HandleHeap = HandleHeap::new(&MEMORY);
    /// let other = heap.allocate(100, 16);
    /// let voice = heap.try_allocate_from(&[0_i16; 256])?;
    /// heap.pin(voice)?;
    /// let address = heap.pinned_address(voice);
    /// // The sound card reads from that address now.
    /// heap.free(other)?;
    /// assert_eq!(heap.compact(4096).held, 1);
    /// assert_eq!(heap.pinned_address(voice), address);
    ///
    /// heap.unpin(voice)?;
    /// assert_eq!(heap.compact(4096).moved_blocks, 1);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn pin(&mut self, id: BlockId) -> Result<u16, BlockError> {
        let at = self.slots.get(id).ok_or(BlockError::Stale { id })?;
        let before = self.space.header(at).pins();
        let pins = before.checked_add(1).ok_or(BlockError::Pinned { id, pins: before })?;
        self.pinned += u32::from(before == 0);
        self.space.set_pins(at, pins);
        Ok(pins)
    }

    /// Takes one pin back and returns how many are left.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`BlockError`] if the id names no block, or it is not pinned.
    pub fn unpin(&mut self, id: BlockId) -> Result<u16, BlockError> {
        let at = self.slots.get(id).ok_or(BlockError::Stale { id })?;
        let before = self.space.header(at).pins();
        let pins = before.checked_sub(1).ok_or(BlockError::NotPinned { id })?;
        self.space.set_pins(at, pins);
        if pins == 0 {
            self.pinned -= 1;
            self.space.hole_before_may_close(at);
        }
        Ok(pins)
    }

    /// Returns how often a block is pinned, or `None` if the id names none. O(1).
    #[must_use]
    pub fn pins(&self, id: BlockId) -> Option<u16> {
        self.slots.get(id).map(|at| self.space.header(at).pins())
    }

    /// Returns where a pinned block is; `None` if the id names no block, or one that is not pinned.
    ///
    /// The address is for users outside of the program, such as a device. Rust code that reads or
    /// writes there must have no borrow of the heap between taking the address and its use;
    /// [`bytes`](Self::bytes) is safer.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn pinned_address(&mut self, id: BlockId) -> Option<NonNull<u8>> {
        let at = self.slots.get(id)?;
        let is_pinned = self.space.header(at).pins() > 0;
        is_pinned.then(|| NonNull::from(self.space.bytes_mut(at)).cast())
    }
}
