//! The owner of one value in any allocator.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), `create` and `destroy`, and
//! `Box` of Rust's standard library. Change: an owner holds a reference to its allocator, destroys
//! the value when it is dropped, and cannot outlive the allocator.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator};

mod own_dyn;
mod slices;
mod texts;
mod traits;

#[cfg(test)]
mod tests;

/// A value in an allocator, dropped and freed with its owner: a `Box` with an allocator of your
/// choice.
///
/// An owner is made by [`new`](Self::new) over any allocator, or by [`new_in`](Self::new_in), which
/// keeps the allocator's type. Slices and texts have constructors of the same form. [`own_dyn!`]
/// makes an `Own<dyn Trait>`.
///
/// [`own_dyn!`]: crate::own_dyn
///
/// # Complexity
///
/// As the allocator. Dropping a value frees its block by its size, also if the destructor panics.
///
/// # Memory
///
/// One block with the size of the value; one byte for a value of no size. The owner itself is the
/// value's address and the allocator's: three words with the default type, two over an allocator of
/// a known type. `Option<Own<T>>` is no larger.
///
/// # Threads
///
/// `Send` and `Sync` if the value is, and the allocator can be shared by threads: over a
/// [`SharedRef`](crate::SharedRef), say `Own<'m, T, dyn Allocator + Sync + 'm>`.
///
/// # When not to use it
///
/// For values that die together and need no dropping: an [`Arena`](crate::Arena) gives plain
/// references. For many values that grow and shrink: a container. `allocator_api2`'s `Box` over a
/// `Bridge` is the better choice where another crate asks for it, or for a boxed `FnOnce`.
///
/// # Examples
///
/// ```
/// #![forbid(unsafe_code)]
/// use loligo_allocators::{AllocError, Allocator, HeapAllocator, Own, PageAllocator};
///
/// struct Node<'m> {
///     name: Own<'m, str>,
///     next: Option<Own<'m, Node<'m>>>,
/// }
///
/// fn push<'m>(
///     list: Option<Own<'m, Node<'m>>>,
///     name: &str,
///     memory: &'m dyn Allocator,
/// ) -> Result<Own<'m, Node<'m>>, AllocError> {
///     Own::new(Node { name: Own::new_str(name, memory)?, next: list }, memory)
/// }
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("heap", &pages);
/// let mut list = push(None, "last", &heap)?;
/// list = push(Some(list), "first", &heap)?;
/// assert_eq!(heap.stats().live, 4, "two nodes and two names");
/// assert_eq!(list.next.as_ref().map(|node| &*node.name), Some("last"));
/// drop(list);
/// assert_eq!(heap.stats().live, 0);
/// # Ok::<(), AllocError>(())
/// ```
///
/// An owner cannot outlive its allocator:
///
/// ```compile_fail,E0597
/// # use loligo_allocators::{HeapAllocator, Own, PageAllocator};
/// # let pages = PageAllocator::new("pages");
/// let number;
/// {
///     let heap = HeapAllocator::new("heap", &pages);
///     number = Own::new(7, &heap);
/// }
/// drop(number);
/// ```
///
/// nor live across the reset of a frame, even if it is not used afterwards, as it frees its block
/// when it is dropped:
///
/// ```compile_fail,E0502
/// # use core::mem::MaybeUninit;
/// # use loligo_allocators::{FrameAllocator, Own};
/// # let mut memory = [MaybeUninit::uninit(); 256];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let number = Own::new(7, &frame);
/// frame.reset();
/// ```
///
/// The value can be used only as long as its owner exists:
///
/// ```compile_fail,E0505
/// # use loligo_allocators::{HeapAllocator, Own, PageAllocator};
/// # let pages = PageAllocator::new("pages");
/// # let heap = HeapAllocator::new("heap", &pages);
/// let text = Own::new_str("seven", &heap).unwrap();
/// let part = &text[1..];
/// drop(text);
/// assert_eq!(part, "even");
/// ```
///
/// An owner over an allocator of one thread cannot be sent:
///
/// ```compile_fail,E0277
/// # use loligo_allocators::{HeapAllocator, Own, PageAllocator};
/// # let pages = PageAllocator::new("pages");
/// # let heap = HeapAllocator::new("heap", &pages);
/// let number = Own::new_in(7, &heap).unwrap();
/// std::thread::scope(|scope| scope.spawn(move || *number).join());
/// ```
///
/// # Invariants
///
/// 1. `value` points to an initialised value in a live block of `memory` with the layout of the
///    value. Only this owner uses both.
pub struct Own<'a, T: ?Sized, A: Allocator + ?Sized = dyn Allocator + 'a> {
    value: NonNull<T>,
    memory: &'a A,
    owned: PhantomData<T>,
}

// SAFETY: an owner is the only path to its value (invariant 1), so sending it sends the value,
// hence `T: Send`. The block is then freed by another thread, while the thread that allocated it
// may use the allocator through its own reference, hence `A: Sync`.
unsafe impl<T: Send + ?Sized, A: Allocator + Sync + ?Sized> Send for Own<'_, T, A> {}

// SAFETY: a shared owner leads to a shared value, hence `T: Sync`, and to its allocator by
// `Own::allocator`, hence `A: Sync`. Freeing needs the owner itself.
unsafe impl<T: Sync + ?Sized, A: Allocator + Sync + ?Sized> Sync for Own<'_, T, A> {}

/// The value does not move with its owner.
impl<T: ?Sized, A: Allocator + ?Sized> Unpin for Own<'_, T, A> {}

impl<'a, T> Own<'a, T> {
    /// Moves `value` into a new block of `memory`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; `value` is then dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{AllocError, Allocator, Own, PoolAllocator, PageAllocator};
    /// use core::alloc::Layout;
    ///
    /// struct Voices<'m> {
    ///     loudest: Own<'m, [f32; 2]>,
    /// }
    ///
    /// let pages = PageAllocator::new("pages");
    /// let pool = PoolAllocator::new("voices", Layout::new::<[f32; 2]>(), &pages);
    /// let mut voices = Voices { loudest: Own::new([440.0, 0.5], &pool)? };
    /// voices.loudest[1] = 0.75;
    /// assert_eq!(pool.stats().live, 1);
    /// # Ok::<(), AllocError>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn new(value: T, memory: &'a (dyn Allocator + 'a)) -> Result<Self, AllocError> {
        Self::new_in(value, memory)
    }
}

impl<'a, T, A: Allocator + ?Sized> Own<'a, T, A> {
    /// As [`new`](Own::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Own::new).
    #[inline]
    #[track_caller]
    pub fn new_in(value: T, memory: &'a A) -> Result<Self, AllocError> {
        let block = memory.allocate(Layout::new::<T>())?.cast::<T>();
        // SAFETY: the block is fresh, large enough and aligned for a `T`.
        unsafe { block.write(value) };
        // SAFETY: the value was just written to a block that no other code uses.
        Ok(unsafe { Self::from_raw_in(block, memory) })
    }

    /// Returns the value and frees its block.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::{AllocError, Allocator, Own, PageAllocator};
    /// let pages = PageAllocator::new("pages");
    /// let name = Own::new(String::from("heap"), &pages)?;
    /// let name: String = Own::into_inner(name);
    /// assert_eq!((name.as_str(), pages.stats().live), ("heap", 0));
    /// # Ok::<(), AllocError>(())
    /// ```
    #[inline]
    #[track_caller]
    #[must_use]
    pub fn into_inner(own: Self) -> T {
        let own = ManuallyDrop::new(own);
        // SAFETY: the value is initialised (invariant 1), and is not used in its block again.
        let value = unsafe { own.value.read() };
        // SAFETY: the block is live with this layout (invariant 1), and is not used again.
        unsafe { own.memory.deallocate_sized(own.value.cast(), Layout::new::<T>()) };
        value
    }
}

impl<'a, T: ?Sized> Own<'a, T> {
    /// Makes an owner of a value in a block of `memory`.
    ///
    /// # Safety
    ///
    /// As [`from_raw_in`](Own::from_raw_in).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{AllocError, Allocator, Make, Own, PageAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let number = pages.create(7_u64)?;
    /// // SAFETY: the number was just created and is used by no other code.
    /// let number = unsafe { Own::from_raw(number, &pages) };
    /// assert_eq!(*number, 7);
    /// let number = Own::into_raw(number);
    /// // SAFETY: the number was created in `pages`, and is not used again.
    /// unsafe { pages.destroy(number) };
    /// # Ok::<(), AllocError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const unsafe fn from_raw(value: NonNull<T>, memory: &'a (dyn Allocator + 'a)) -> Self {
        // SAFETY: the caller's promise, passed on.
        unsafe { Self::from_raw_in(value, memory) }
    }
}

impl<'a, T: ?Sized, A: Allocator + ?Sized> Own<'a, T, A> {
    /// As [`from_raw`](Own::from_raw), and keeps the type of the allocator.
    ///
    /// # Safety
    ///
    /// `value` came from [`into_raw`](Self::into_raw) of an owner over this allocator or from
    /// [`Make::create`](crate::Make::create), or is an initialised value in a live block of this
    /// allocator that was last requested with its layout. No other code uses the value or its block.
    #[inline]
    #[must_use]
    pub const unsafe fn from_raw_in(value: NonNull<T>, memory: &'a A) -> Self {
        Self { value, memory, owned: PhantomData }
    }

    /// Returns the address of the value, which is then neither dropped nor freed by this owner.
    /// [`from_raw`](Own::from_raw) and [`Make::destroy`](crate::Make::destroy) take it.
    #[inline]
    #[must_use]
    pub fn into_raw(own: Self) -> NonNull<T> {
        ManuallyDrop::new(own).value
    }

    /// Returns a reference to the value for as long as the allocator is borrowed. The value is
    /// never dropped, and its block is freed with the allocator: a frame does that silently, a heap
    /// reports a leak.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// # use loligo_allocators::{AllocError, Own, FrameAllocator};
    /// # let mut memory = [MaybeUninit::uninit(); 256];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let words = Own::new_slice_copy(&["a", "few", "words"], &frame)?;
    /// let words: &mut [&str] = Own::leak(words);
    /// assert_eq!(words.len(), 3);
    /// # Ok::<(), AllocError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn leak(own: Self) -> &'a mut T {
        let mut value = Self::into_raw(own);
        // SAFETY: the value is initialised and used by no other code (invariant 1). Its block stays
        // live while the allocator is borrowed: by the contract of `Allocator`, only unsafe code or
        // a mutable borrow ends it.
        unsafe { value.as_mut() }
    }

    /// Returns the allocator of the value.
    #[inline]
    #[must_use]
    pub const fn allocator(own: &Self) -> &'a A {
        own.memory
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> Own<'static, T, A> {
    /// Pins the value.
    ///
    /// Only over a static allocator. A pinned value must be dropped before its memory is used
    /// otherwise; if its owner is forgotten, the end of a shorter-lived allocator would break that.
    #[inline]
    #[must_use]
    pub const fn into_pin(own: Self) -> Pin<Self> {
        // SAFETY: the value does not move with its owner, which gives out no way to move it without
        // `T: Unpin`. A static allocator is never dropped, moved or borrowed mutably, so the block
        // is freed by the drop of the owner alone, after the value is dropped.
        unsafe { Pin::new_unchecked(own) }
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> Drop for Own<'_, T, A> {
    #[inline]
    fn drop(&mut self) {
        /// Frees the block also if the destructor panics.
        struct Block<'b, A: Allocator + ?Sized>(&'b A, NonNull<u8>, Layout);

        impl<A: Allocator + ?Sized> Drop for Block<'_, A> {
            fn drop(&mut self) {
                // SAFETY: the block is live in this allocator with this layout (invariant 1 of the
                // owner), and is not used again.
                unsafe { self.0.deallocate_sized(self.1, self.2) };
            }
        }

        // SAFETY: the value is initialised (invariant 1).
        let layout = Layout::for_value::<T>(unsafe { self.value.as_ref() });
        let _block = Block(self.memory, self.value.cast(), layout);
        // SAFETY: the value is initialised (invariant 1), and is not used again.
        unsafe { self.value.drop_in_place() };
    }
}
