//! Freeing a block of a pool, or reporting the misuse.

use core::panic::Location;
use core::ptr::NonNull;

use super::PoolAllocator;
use super::group::Group;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::{SiteBook, wrong_free_beside};
use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;

impl<B: Allocator + ?Sized, S: SiteBook> PoolAllocator<'_, B, S> {
    /// Frees a block, or reports the misuse.
    #[inline(always)]
    pub(super) fn free(&self, block: NonNull<u8>, site: &'static Location<'static>) {
        let address = block.addr().get();
        let group = self.index.guess(address >> self.window_shift);
        let index = self.size.index_of(address.wrapping_sub(group.first.addr()));
        if index < group.carved.get() {
            self.free_at(group, index, block, site);
        } else {
            self.free_far(block, site);
        }
    }

    #[inline(always)]
    fn free_at(
        &self,
        group: &Group,
        index: usize,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) {
        let free = group.free.get();
        if free >> (index & 63) & 1 != 0 {
            self.wrong(Misuse::DoubleFree, block, None, site);
        }
        let held = self.held.get();
        if held.is_null() {
            // With the chunk's provenance, as the pointer passed in may have less than the block's.
            let own = group.first.with_addr(block.addr().get());
            self.held.set(own);
        } else if held == block.as_ptr() {
            self.wrong(Misuse::DoubleFree, block, None, site);
        } else {
            self.mark_free(group, index);
        }
        self.frees_total.set(self.frees_total.get() + 1);
        mark::no_access(block, self.size.bytes);
    }

    /// Sets the bit of a block that is not held.
    // A separate function, as the fast path would otherwise compute the bit that it does not need.
    #[inline(never)]
    pub(super) fn mark_free(&self, group: &Group, index: usize) {
        let free = group.free.get();
        if free == 0 {
            group.next.set(self.free_groups.get());
            self.free_groups.set(group);
        }
        let free = free | 1 << (index & 63);
        group.free.set(free);
        // A group that contains a block has 1 to 64 carved blocks, so the shift is less than 64.
        let all = u64::MAX >> ((64 - group.carved.get()) & 63);
        if free == all && self.frees_total.get() >= self.next_look.get() {
            self.look();
        }
    }

    /// Frees a block that the table did not lead to, or reports the misuse.
    #[cold]
    #[inline(never)]
    fn free_far(&self, block: NonNull<u8>, site: &'static Location<'static>) {
        match self.locate(block.addr().get()) {
            Ok((group, index)) => self.free_at(group, index, block, site),
            Err(what) => self.wrong(what, block, None, site),
        }
    }

    /// Returns the group and index of the block at `address`, live or free, and updates the table
    /// for it; or the misuse that the address shows.
    ///
    /// # Complexity
    ///
    /// O(log chunks).
    pub(super) fn locate(&self, address: usize) -> Result<(&Group, usize), Misuse> {
        let chunk = self.index.chunk_of(address, self.shape());
        let chunk = chunk.ok_or(Misuse::ForeignFree)?;
        let window = address >> self.window_shift;
        // The last block may reach into a window in which none starts.
        if let Some(group) = chunk.groups().get(window - chunk.first_window) {
            let index = self.size.index_of(address.wrapping_sub(group.first.addr()));
            if index < group.carved.get() {
                self.index.aim(window, group);
                return Ok((group, index));
            }
        }
        if (address - chunk.first.addr()).is_multiple_of(self.size.bytes) {
            Err(Misuse::ForeignFree)
        } else {
            Err(Misuse::InteriorFree)
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn wrong(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        wrong_free_beside(&self.sites, what, self.name, block, bytes, site)
    }
}
