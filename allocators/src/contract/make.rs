//! Objects created and destroyed in an allocator.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), `create` and `destroy`.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator};

/// Creates objects in an allocator and destroys them, running their destructors.
///
/// These are raw pointers, and their use is unsafe. An [`Own`](crate::Own) is the same as an owner,
/// an [`Arena`](crate::Arena) gives references.
pub trait Make: Allocator {
    /// Moves `value` into a new block and returns its address.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; `value` is then dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{FrameAllocator, Make};
    /// use core::mem::MaybeUninit;
    ///
    /// let mut memory = [MaybeUninit::uninit(); 256];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let number = frame.create(7_u64)?;
    /// // SAFETY: `number` was just created, is used by no other code, and is destroyed once.
    /// unsafe {
    ///     assert_eq!(*number.as_ref(), 7);
    ///     frame.destroy(number);
    /// }
    /// # Ok::<(), loligo_allocators::AllocError>(())
    /// ```
    #[track_caller]
    fn create<T>(&self, value: T) -> Result<NonNull<T>, AllocError> {
        const { assert!(align_of::<T>().is_power_of_two(), "alignments are powers of two") };
        let object = self.allocate(Layout::new::<T>())?.cast::<T>();
        // SAFETY: the block is fresh, large enough and aligned for a `T`.
        unsafe { object.write(value) };
        Ok(object)
    }

    /// Drops the object and frees its block.
    ///
    /// # Safety
    ///
    /// `object` came from [`create`](Self::create) of this allocator, was not destroyed before, and
    /// is not used afterwards.
    #[track_caller]
    unsafe fn destroy<T: ?Sized>(&self, object: NonNull<T>) {
        // SAFETY: the object is live by the caller's promise.
        let layout = Layout::for_value::<T>(unsafe { object.as_ref() });
        // SAFETY: it is live and no other code uses it, so it can be dropped in place.
        unsafe { object.drop_in_place() };
        // SAFETY: the block came from this allocator with this layout and is not used again.
        unsafe { self.deallocate_sized(object.cast(), layout) };
    }
}

impl<A: Allocator + ?Sized> Make for A {}
