//! Values that live until their allocator is reset, as plain references.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose frame allocator frees all
//! blocks at once, so nothing is destroyed singly. Changes: a value is a reference that borrows the
//! allocator, so the compiler refuses a use after the reset; types that need dropping are refused
//! at compile time. The methods have the names of the crate bumpalo.

use core::alloc::Layout;
use core::fmt;
use core::mem::needs_drop;
use core::ptr::NonNull;

use super::slice_builder::SliceBuilder;
use super::text_builder::{TextBuilder, as_text};
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator};
use crate::linear::frame::FrameAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::linear::shared_frame::SharedFrame;
use crate::linear::temp::TempAllocator;

use values::Values;

#[cfg(all(test, not(loom)))]
mod tests;

/// An allocator whose blocks are freed together, and so can be used without unsafe code.
///
/// Each method moves or copies something into a new block and returns a reference to it. The
/// reference borrows the allocator, and the memory is freed when the allocator is reset or dropped,
/// or at the end of the [`FrameScope`](crate::FrameScope) through which it was allocated: the
/// compiler refuses all of these while the reference is used.
///
/// Values are never dropped. A type that needs dropping, such as an array or an owner of a file, is
/// refused at compile time; put it into an [`Own`](crate::Own), which can be in the same memory.
///
/// Each method has a twin that starts with `try_` and returns an error where the other panics.
/// Closures and iterators may allocate from the same allocator. If they panic, the block is freed.
///
/// # Memory
///
/// A block has the size of its value, and what the allocator adds. Values of no size and empty
/// slices take no block. A text or a slice whose length is not known before grows in place; if
/// others are allocated meanwhile, it is moved, and its block can be up to twice as large as
/// needed.
///
/// In a [`FrameAllocator`] without [`Sites`](crate::Sites), values of [`alloc`](Self::alloc), texts
/// of [`alloc_str`](Self::alloc_str) and slices of [`alloc_slice_copy`](Self::alloc_slice_copy)
/// that follow one another are one block, of their sizes rounded up to 8, and need no records.
///
/// # Threads
///
/// A [`SharedFrame`] can be used by several threads at once: each reference belongs to the thread
/// that allocated it, until it is sent to another.
///
/// # Examples
///
/// ```
/// #![forbid(unsafe_code)]
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{Arena, FrameAllocator};
///
/// struct Node<'f> {
///     name: &'f str,
///     children: &'f [Node<'f>],
/// }
///
/// let mut memory = [MaybeUninit::uninit(); 4096];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// for turn in 0..1000 {
///     let children = frame.alloc_slice_fill_with(3, |number| Node {
///         name: frame.format(format_args!("child {number} of turn {turn}")),
///         children: &[],
///     });
///     let root = frame.alloc(Node { name: frame.alloc_str("root"), children });
///     assert_eq!(root.children[2].name, format!("child 2 of turn {turn}"));
///     frame.reset();
/// }
/// ```
///
/// A reference cannot be used after a reset:
///
/// ```compile_fail,E0502
/// # use core::mem::MaybeUninit;
/// # use loligo_allocators::{Arena, FrameAllocator};
/// # let mut memory = [MaybeUninit::uninit(); 256];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let number = frame.alloc(7);
/// frame.reset();
/// *number += 1;
/// ```
///
/// It cannot outlive the allocator:
///
/// ```compile_fail,E0505
/// # use core::mem::MaybeUninit;
/// # use loligo_allocators::{Arena, FrameAllocator};
/// # let mut memory = [MaybeUninit::uninit(); 256];
/// let frame = FrameAllocator::from_region("frame", &mut memory);
/// let number = frame.alloc(7);
/// drop(frame);
/// *number += 1;
/// ```
///
/// ```compile_fail,E0515
/// # use loligo_allocators::{Allocator, Arena, TempAllocator};
/// fn name(memory: &dyn Allocator) -> &str {
///     let temp = TempAllocator::<64>::new("temp", memory);
///     temp.alloc_str("the temporary allocator is dropped here")
/// }
/// ```
///
/// It cannot leave a scope:
///
/// ```compile_fail,E0597
/// # use core::mem::MaybeUninit;
/// # use loligo_allocators::{Arena, FrameAllocator};
/// # let mut memory = [MaybeUninit::uninit(); 256];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let number;
/// {
///     let scope = frame.scope();
///     number = scope.alloc(7);
/// }
/// *number += 1;
/// ```
///
/// Nor can it be used while a scope of the same frame is open, since `scope` borrows the frame
/// mutably:
///
/// ```compile_fail,E0502
/// # use core::mem::MaybeUninit;
/// # use loligo_allocators::{Arena, FrameAllocator};
/// # let mut memory = [MaybeUninit::uninit(); 256];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let number = frame.alloc(7);
/// let scope = frame.scope();
/// *number += 1;
/// drop(scope);
/// ```
///
/// A type that needs dropping is refused; the error names [`Own`](crate::Own):
///
/// ```compile_fail,E0080
/// # use core::mem::MaybeUninit;
/// # use loligo_allocators::{Arena, FrameAllocator};
/// # let mut memory = [MaybeUninit::uninit(); 256];
/// let frame = FrameAllocator::from_region("frame", &mut memory);
/// frame.alloc(String::from("its memory would never be freed"));
/// ```
#[expect(
    clippy::mut_from_ref,
    reason = "each call returns memory that no other reference leads to, not a part of `self`"
)]
pub trait Arena: Allocator + Values {
    /// Moves `value` into the arena.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// use loligo_allocators::{Allocator, Arena, FrameAllocator};
    ///
    /// # let mut memory = [MaybeUninit::uninit(); 256];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let position = frame.alloc([1.0_f32, 2.0]);
    /// position[0] += 0.5;
    /// assert_eq!((position[0], frame.stats().requested), (1.5, 8));
    /// assert!(frame.try_alloc([0_u8; 1000]).is_err(), "more than there is");
    /// ```
    #[inline]
    #[track_caller]
    fn alloc<T>(&self, value: T) -> &mut T {
        match self.try_alloc(value) {
            Ok(value) => value,
            Err(AllocError) => no_memory(self, Some(size_of::<T>()), "try_alloc"),
        }
    }

    /// As [`alloc`](Self::alloc), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[inline]
    #[track_caller]
    fn try_alloc<T>(&self, value: T) -> Result<&mut T, AllocError> {
        refuse_drop::<T>();
        let place = if size_of::<T>() == 0 {
            NonNull::dangling()
        } else {
            self.allocate_value(Layout::new::<T>())?.cast::<T>()
        };
        // SAFETY: the memory has the size and the alignment of the value, or that has no size.
        unsafe { place.write(value) };
        // SAFETY: the value was just written, and no other code uses its memory. It stays live
        // while `self` is borrowed: by the contract of `Allocator`, only unsafe code or a mutable
        // borrow ends it.
        Ok(unsafe { &mut *place.as_ptr() })
    }

    /// Moves the result of `f` into the arena. The block is allocated first, so a large value is
    /// often built in place.
    ///
    /// # Panics
    ///
    /// If there is no memory; `f` is then not called.
    #[inline]
    #[track_caller]
    fn alloc_with<T>(&self, f: impl FnOnce() -> T) -> &mut T {
        match self.try_alloc_with(f) {
            Ok(value) => value,
            Err(AllocError) => no_memory(self, Some(size_of::<T>()), "try_alloc_with"),
        }
    }

    /// As [`alloc_with`](Self::alloc_with), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; `f` is then not called.
    #[inline]
    #[track_caller]
    fn try_alloc_with<T>(&self, f: impl FnOnce() -> T) -> Result<&mut T, AllocError> {
        refuse_drop::<T>();
        let mut builder = SliceBuilder::with_capacity(self, 1)?;
        builder.push(f())?;
        let mut value = builder.finish().cast::<T>();
        // SAFETY: the builder's block is initialised and now used by no other code. It stays live
        // while `self` is borrowed: by the contract of `Allocator`, only unsafe code or a mutable
        // borrow ends it.
        Ok(unsafe { value.as_mut() })
    }

    /// Copies a slice into the arena.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    #[track_caller]
    fn alloc_slice_copy<T: Copy>(&self, values: &[T]) -> &mut [T] {
        match self.try_alloc_slice_copy(values) {
            Ok(values) => values,
            Err(AllocError) => no_memory(self, Some(size_of_val(values)), "try_alloc_slice_copy"),
        }
    }

    /// As [`alloc_slice_copy`](Self::alloc_slice_copy), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[inline]
    #[track_caller]
    fn try_alloc_slice_copy<T: Copy>(&self, values: &[T]) -> Result<&mut [T], AllocError> {
        let place = if size_of_val(values) == 0 {
            NonNull::dangling()
        } else {
            self.allocate_value(Layout::for_value(values))?.cast::<T>()
        };
        // SAFETY: the memory has the size of the values, and no other code uses it.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(values).cast(), values.len()) };
        let mut copies = NonNull::slice_from_raw_parts(place, values.len());
        // SAFETY: the copies were just written. They stay live while `self` is borrowed: by the
        // contract of `Allocator`, only unsafe code or a mutable borrow ends them.
        Ok(unsafe { copies.as_mut() })
    }

    /// Clones the elements of a slice into the arena.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    #[track_caller]
    fn alloc_slice_clone<T: Clone>(&self, values: &[T]) -> &mut [T] {
        match self.try_alloc_slice_clone(values) {
            Ok(values) => values,
            Err(AllocError) => no_memory(self, Some(size_of_val(values)), "try_alloc_slice_clone"),
        }
    }

    /// As [`alloc_slice_clone`](Self::alloc_slice_clone), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; nothing is then cloned.
    #[inline]
    #[track_caller]
    fn try_alloc_slice_clone<T: Clone>(&self, values: &[T]) -> Result<&mut [T], AllocError> {
        refuse_drop::<T>();
        let mut builder = SliceBuilder::with_capacity(self, values.len())?;
        for value in values {
            builder.push(value.clone())?;
        }
        Ok(lend(builder))
    }

    /// Allocates a slice of `len` elements, each the result of `f` for its index.
    ///
    /// # Panics
    ///
    /// If there is no memory; `f` is then not called.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// use loligo_allocators::{Arena, FrameAllocator};
    ///
    /// # let mut memory = [MaybeUninit::uninit(); 256];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let squares = frame.alloc_slice_fill_with(5, |index| index * index);
    /// assert_eq!(squares, [0, 1, 4, 9, 16]);
    /// ```
    #[inline]
    #[track_caller]
    fn alloc_slice_fill_with<T>(&self, len: usize, f: impl FnMut(usize) -> T) -> &mut [T] {
        match self.try_alloc_slice_fill_with(len, f) {
            Ok(values) => values,
            Err(AllocError) => {
                let bytes = len.saturating_mul(size_of::<T>());
                no_memory(self, Some(bytes), "try_alloc_slice_fill_with")
            }
        }
    }

    /// As [`alloc_slice_fill_with`](Self::alloc_slice_fill_with), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; `f` is then not called.
    #[inline]
    #[track_caller]
    fn try_alloc_slice_fill_with<T>(
        &self,
        len: usize,
        mut f: impl FnMut(usize) -> T,
    ) -> Result<&mut [T], AllocError> {
        refuse_drop::<T>();
        let mut builder = SliceBuilder::with_capacity(self, len)?;
        for index in 0..len {
            builder.push(f(index))?;
        }
        Ok(lend(builder))
    }

    /// Allocates a slice of all elements of an iterator, whose number need not be known before.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// use loligo_allocators::{Arena, FrameAllocator};
    ///
    /// # let mut memory = [MaybeUninit::uninit(); 256];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let words = frame.alloc_slice_fill_iter("a few words".split(' '));
    /// words.sort();
    /// assert_eq!(words, ["a", "few", "words"]);
    /// ```
    #[inline]
    #[track_caller]
    fn alloc_slice_fill_iter<T>(&self, values: impl IntoIterator<Item = T>) -> &mut [T] {
        match self.try_alloc_slice_fill_iter(values) {
            Ok(values) => values,
            Err(AllocError) => no_memory(self, None, "try_alloc_slice_fill_iter"),
        }
    }

    /// As [`alloc_slice_fill_iter`](Self::alloc_slice_fill_iter), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[inline]
    #[track_caller]
    fn try_alloc_slice_fill_iter<T>(
        &self,
        values: impl IntoIterator<Item = T>,
    ) -> Result<&mut [T], AllocError> {
        refuse_drop::<T>();
        let mut builder = SliceBuilder::new(self);
        builder.extend(values)?;
        Ok(lend(builder))
    }

    /// Copies a text into the arena.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    #[track_caller]
    fn alloc_str(&self, text: &str) -> &mut str {
        match self.try_alloc_str(text) {
            Ok(text) => text,
            Err(AllocError) => no_memory(self, Some(text.len()), "try_alloc_str"),
        }
    }

    /// As [`alloc_str`](Self::alloc_str), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[inline]
    #[track_caller]
    fn try_alloc_str(&self, text: &str) -> Result<&mut str, AllocError> {
        let bytes = NonNull::from(self.try_alloc_slice_copy(text.as_bytes())?);
        // SAFETY: the bytes are a copy of a text, and used by no other code. They stay live while
        // `self` is borrowed.
        Ok(unsafe { as_text(bytes).as_mut() })
    }

    /// Formats a text into the arena.
    ///
    /// # Panics
    ///
    /// If there is no memory, or a `Display` implementation returns an error without a cause.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// use loligo_allocators::{Allocator, Arena, FrameAllocator};
    ///
    /// # let mut memory = [MaybeUninit::uninit(); 256];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let text = frame.format(format_args!("{} of {}", 3, 7));
    /// assert_eq!((&*text, frame.stats().requested), ("3 of 7", 6));
    /// ```
    #[inline]
    #[track_caller]
    fn format(&self, text: fmt::Arguments<'_>) -> &mut str {
        match self.try_format(text) {
            Ok(text) => text,
            Err(AllocError) => no_memory(self, None, "try_format"),
        }
    }

    /// As [`format`](Self::format), with an error instead of a panic where there is no memory.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    ///
    /// # Panics
    ///
    /// If a `Display` implementation returns an error without a cause.
    #[track_caller]
    fn try_format(&self, text: fmt::Arguments<'_>) -> Result<&mut str, AllocError> {
        let mut text = TextBuilder::format(self, text)?.finish();
        // SAFETY: the builder's bytes are UTF-8 and now used by no other code. They stay live while
        // `self` is borrowed.
        Ok(unsafe { text.as_mut() })
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, const N: usize> Arena for FrameAllocator<'_, B, S, N> {}
impl<B: Allocator + Sync + ?Sized> Arena for SharedFrame<'_, B> {}
impl<B: Allocator + ?Sized> Arena for ScratchAllocator<'_, B> {}
impl<const N: usize, B: Allocator + ?Sized> Arena for TempAllocator<'_, N, B> {}

/// How an arena takes memory for a value. Private: `Arena` is for the allocators of this crate.
mod values {
    use core::alloc::Layout;
    use core::ptr::NonNull;

    use super::{FrameAllocator, ScratchAllocator, SharedFrame, TempAllocator};
    use crate::bookkeeping::sites::SiteBook;
    use crate::contract::allocator::{AllocError, Allocator};

    pub trait Values: Allocator {
        /// Returns memory that is valid for a layout, whose size is not zero, and that no other
        /// code uses, for as long as a block. It is not freed singly.
        #[inline]
        #[track_caller]
        fn allocate_value(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
            self.allocate(layout).map(NonNull::cast)
        }

        /// Returns the bytes after which the arena refuses, if it knows them.
        fn bytes_limit(&self) -> Option<usize> {
            None
        }
    }

    impl<B: Allocator + ?Sized, S: SiteBook, const N: usize> Values for FrameAllocator<'_, B, S, N> {
        #[inline]
        #[track_caller]
        fn allocate_value(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
            self.place_value(layout)
        }

        fn bytes_limit(&self) -> Option<usize> {
            self.limit()
        }
    }

    impl<B: Allocator + Sync + ?Sized> Values for SharedFrame<'_, B> {}
    impl<B: Allocator + ?Sized> Values for ScratchAllocator<'_, B> {}
    impl<const N: usize, B: Allocator + ?Sized> Values for TempAllocator<'_, N, B> {}
}

/// Refuses types that need dropping, when the caller is compiled for `T`.
const fn refuse_drop<T>() {
    const {
        assert!(
            !needs_drop::<T>(),
            "an arena never drops its values, and this type needs dropping; use `Own`"
        );
    }
}

/// Returns the elements for as long as the allocator is borrowed.
#[inline]
#[track_caller]
fn lend<'m, T, A: Allocator + ?Sized>(builder: SliceBuilder<'m, T, A>) -> &'m mut [T] {
    let mut values = builder.finish();
    // SAFETY: the builder's elements are initialised and now used by no other code. Their block
    // stays live while the allocator is borrowed: by the contract of `Allocator`, only unsafe code
    // or a mutable borrow ends it.
    unsafe { values.as_mut() }
}

/// Panics with the name of the allocator, its limit, and the bytes of the request, if these are
/// known.
#[cold]
#[inline(never)]
#[track_caller]
fn no_memory<A: Arena + ?Sized>(arena: &A, bytes: Option<usize>, twin: &str) -> ! {
    let request = Request { bytes, limit: arena.bytes_limit() };
    panic!(
        "allocator `{}` has no memory left for {request}; give it more, or call `{twin}`",
        arena.name()
    )
}

/// A refused request in a panic.
struct Request {
    bytes: Option<usize>,
    limit: Option<usize>,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(bytes) => write!(f, "{bytes} bytes")?,
            None => f.write_str("this request")?,
        }
        match self.limit {
            Some(limit) => write!(f, " within its limit of {limit} bytes"),
            None => Ok(()),
        }
    }
}
