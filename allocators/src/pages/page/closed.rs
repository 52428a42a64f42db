//! Blocks without access, of which another allocator opens parts: the basis of guard pages.
//!
//! Such a block is like any other in the table, the counters and the walk, and counts as committed
//! only where it is open.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::PageAllocator;
use super::entry::Entry;
use super::state::Request;
use super::system::{self, Access};
use crate::contract::allocator::AllocError;

impl PageAllocator {
    /// Maps a block without access.
    ///
    /// Parked ranges are not used for it, and huge pages are not requested.
    pub(crate) fn allocate_closed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let request = Request::new(layout, false)?;
        self.pages.state.with(|state| state.table.reserve_slot())?;
        let mapped = self.pages.map(request, Access::None);
        self.pages.state.with(|state| match mapped {
            Ok(address) => {
                let entry = Entry::block(address, layout);
                state.enter(entry);
                state.committed -= entry.mapped();
                Ok(entry.slice())
            }
            Err(error) => {
                state.table.cancel();
                Err(error)
            }
        })
    }

    /// Makes pages of a closed block readable and writable; they read as zero.
    ///
    /// # Safety
    ///
    /// The pages are in a block of [`allocate_closed`](Self::allocate_closed) and are closed.
    pub(crate) unsafe fn open(&self, address: NonNull<u8>, bytes: usize) -> Result<(), AllocError> {
        // SAFETY: the pages are the caller's, and opening them affects no other code.
        unsafe { system::protect(address, bytes, Access::ReadWrite) }?;
        self.pages.state.with(|state| state.committed += bytes);
        Ok(())
    }

    /// Removes access and memory from open pages.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the kernel refuses; they are then still open.
    ///
    /// # Safety
    ///
    /// The pages were opened by [`open`](Self::open), and they are no longer used.
    pub(crate) unsafe fn close(
        &self,
        address: NonNull<u8>,
        bytes: usize,
    ) -> Result<(), AllocError> {
        // SAFETY: as promised by the caller.
        unsafe { system::protect(address, bytes, Access::None) }?;
        // Pages that are locked in memory keep it until they are unmapped; they still have no
        // access.
        // SAFETY: as promised by the caller.
        let _ = unsafe { system::discard(address, bytes, Access::None) };
        self.pages.state.with(|state| state.committed -= bytes);
        Ok(())
    }

    /// Returns a closed block to the kernel, of which `open` bytes are open.
    ///
    /// # Safety
    ///
    /// The block came from [`allocate_closed`](Self::allocate_closed), is live, and is not used.
    #[track_caller]
    pub(crate) unsafe fn deallocate_closed(&self, block: NonNull<[u8]>, open: usize) {
        // The bytes counted as committed here are removed together with the block.
        self.pages.state.with(|state| state.committed += block.len() - open);
        self.pages.free(block.cast(), None);
    }
}
