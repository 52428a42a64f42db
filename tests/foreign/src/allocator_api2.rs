//! `allocator-api2`: its collections, over our memory. In its examples `System` is our heap through
//! the bridge, and `Global` reaches our global allocator, which their program has.

pub use allocator_api2_04::{SliceExt, boxed, collections, unsize_box, vec};

/// The peer's names, with another `System`.
pub mod alloc {
    use core::ptr::NonNull;

    pub use allocator_api2_04::alloc::{AllocError, Allocator, Global, Layout, LayoutError};
    pub use allocator_api2_04::alloc::{alloc, alloc_zeroed, dealloc, handle_alloc_error, realloc};
    use loligo_allocators::Bridge;

    use crate::fault;
    use crate::memory::{MEMORY, Memory};

    #[derive(Clone, Copy, Debug, Default)]
    pub struct System;

    impl System {
        fn bridge(self) -> Bridge<'static, Memory> {
            Bridge(&MEMORY)
        }
    }

    // SAFETY: every call is the bridge's, whose allocator is static: blocks stay valid, all copies
    // are the same allocator, and any block may be freed through any of them.
    unsafe impl Allocator for System {
        fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
            self.bridge().allocate(layout)
        }

        fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
            let block = self.bridge().allocate_zeroed(layout)?;
            if fault::is_planted() {
                // SAFETY: the block was just allocated and has that many bytes.
                unsafe { block.cast::<u8>().write_bytes(0xaa, block.len()) };
            }
            Ok(block)
        }

        unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.bridge().deallocate(block, layout) }
        }

        unsafe fn grow(
            &self,
            block: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<[u8]>, AllocError> {
            // SAFETY: as above.
            unsafe { self.bridge().grow(block, old, new) }
        }

        unsafe fn grow_zeroed(
            &self,
            block: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<[u8]>, AllocError> {
            // SAFETY: as above.
            unsafe { self.bridge().grow_zeroed(block, old, new) }
        }

        unsafe fn shrink(
            &self,
            block: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<[u8]>, AllocError> {
            // SAFETY: as above.
            unsafe { self.bridge().shrink(block, old, new) }
        }
    }
}
