//! Freeing a block of a pool, or reporting the misuse.

use core::hint::select_unpredictable;
use core::panic::Location;
use core::ptr::{self, NonNull};

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
        if group.is_taken(index) {
            self.free_at(group, index, block, site);
        } else {
            self.free_far(block, site);
        }
    }

    /// Frees a block whose bit is clear, unless it is the held one.
    #[inline(always)]
    fn free_at(
        &self,
        group: &Group,
        index: usize,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) {
        let held = self.held.get();
        if held.is_null() {
            // With the chunk's provenance, as the pointer passed in may have less than the block's.
            self.held.set(with_provenance_of(group.first, block));
        } else if held == block.as_ptr() {
            self.wrong(Misuse::DoubleFree, block, None, site);
        } else {
            self.mark_free(group, index);
        }
        mark::no_access(block, self.size.bytes);
    }

    /// Sets the bit of a block that is not held.
    // A separate function, as the fast path would otherwise compute the bit that it does not need.
    #[inline(never)]
    pub(super) fn mark_free(&self, group: &Group, index: usize) {
        let idle = group.idle.get();
        let unlisted = idle == group.fresh.get();
        // Without a branch: random frees fill and empty the groups at random.
        let top = self.free_groups.get();
        group.next.set(select_unpredictable(unlisted, top, group.next.get()));
        self.free_groups.set(select_unpredictable(unlisted, ptr::from_ref(group), top));
        let idle = idle | 1 << (index & 63);
        group.idle.set(idle);
        self.marked_total.set(self.marked_total.get() + 1);
        if idle == u64::MAX && self.frees_total() >= self.next_look.get() {
            self.look();
        }
    }

    /// Frees a block that the table did not lead to, or reports the misuse, which the fast path
    /// only detects.
    #[cold]
    #[inline(never)]
    fn free_far(&self, block: NonNull<u8>, site: &'static Location<'static>) {
        let (group, index) = match self.locate(block.addr().get()) {
            Ok(place) => place,
            Err(what) => self.wrong(what, block, None, site),
        };
        let free = group.free();
        if free >> (index & 63) & 1 != 0 {
            self.wrong(Misuse::DoubleFree, block, None, site);
        }
        self.free_at(group, index, block, site);
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
            if index < group.carved() {
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

/// Returns the address of `block` as a pointer with the provenance of `owner`.
///
/// `with_addr` computes it from both pointers, so a write to the next block waits for the
/// load of `owner`. Here the result is the register of `block`.
#[inline(always)]
#[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
#[expect(clippy::pointers_in_nomem_asm_block, reason = "neither pointer is followed")]
fn with_provenance_of(owner: *mut u8, block: NonNull<u8>) -> *mut u8 {
    let mut own = block.as_ptr();
    // SAFETY: there is no instruction. The result is what `owner.with_addr(block.addr())` returns,
    // which may have the provenance of `owner`, as this is one of the inputs.
    unsafe {
        core::arch::asm!(
            "/* {0} {1} */",
            inout(reg) own,
            in(reg) owner,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    own
}

/// As above.
#[inline(always)]
#[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn with_provenance_of(owner: *mut u8, block: NonNull<u8>) -> *mut u8 {
    owner.with_addr(block.addr().get())
}
