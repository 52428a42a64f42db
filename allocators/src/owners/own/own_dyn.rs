//! Owners of trait objects.

/// Turns an [`Own<T>`](crate::Own) into an owner of the same value under another type: of a trait
/// object, or of a slice if `T` is an array.
///
/// The compiler converts a `Box` by itself; for other owners that is not stable. The macro accepts
/// what a `Box` accepts: `T` must implement the trait and live as long as the object.
///
/// # Complexity
///
/// O(1): nothing is allocated or moved.
///
/// # Examples
///
/// ```
/// #![forbid(unsafe_code)]
/// use loligo_allocators::{AllocError, Allocator, HeapAllocator, Own, PageAllocator, own_dyn};
///
/// trait Shape {
///     fn area(&self) -> f32;
/// }
///
/// struct Square(f32);
///
/// impl Shape for Square {
///     fn area(&self) -> f32 {
///         self.0 * self.0
///     }
/// }
///
/// fn square(side: f32, memory: &dyn Allocator) -> Result<Own<'_, dyn Shape>, AllocError> {
///     Ok(own_dyn!(Own::new(Square(side), memory)? => dyn Shape))
/// }
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("heap", &pages);
/// let shapes = [square(2.0, &heap)?, square(3.0, &heap)?];
/// assert_eq!(shapes.iter().map(|shape| shape.area()).sum::<f32>(), 13.0);
///
/// let mut calls = 0;
/// let count = own_dyn!(Own::new(|| calls += 1, &heap)? => dyn FnMut());
/// for mut count in [count] {
///     count();
///     count();
/// }
/// assert_eq!(calls, 2);
/// # Ok::<(), AllocError>(())
/// ```
///
/// A type without the trait is refused:
///
/// ```compile_fail,E0277
/// # use loligo_allocators::{Own, PageAllocator, own_dyn};
/// # let pages = PageAllocator::new("pages");
/// # let number = Own::new(7, &pages).unwrap();
/// let items = own_dyn!(number => dyn Iterator<Item = u32>);
/// ```
///
/// A borrow cannot be lengthened:
///
/// ```compile_fail,E0597
/// # use loligo_allocators::{Own, PageAllocator, own_dyn};
/// # use core::fmt::Display;
/// # let pages = PageAllocator::new("pages");
/// let text = String::from("text");
/// let own = Own::new(text.as_str(), &pages).unwrap();
/// let forever = own_dyn!(own => dyn Display + 'static);
/// ```
///
/// An object that is not `Send` cannot become one that is:
///
/// ```compile_fail,E0308
/// # use loligo_allocators::{Own, PageAllocator, own_dyn};
/// # use core::fmt::Display;
/// # let pages = PageAllocator::new("pages");
/// let own = own_dyn!(Own::new(7, &pages).unwrap() => dyn Display);
/// let sent = own_dyn!(own => dyn Display + Send);
/// ```
#[macro_export]
macro_rules! own_dyn {
    ($own:expr => $target:ty) => {{
        let own = $own;
        let memory = $crate::Own::allocator(&own);
        let value = $crate::Own::into_raw(own);
        // A coercion, not a cast: it changes the type of the pointer as the compiler permits, and
        // never its address.
        let value: ::core::ptr::NonNull<$target> = value;
        // SAFETY: the value is that of an owner over this allocator, which has just given it up; its
        // layout is the same under the new type.
        unsafe { $crate::Own::from_raw_in(value, memory) }
    }};
}
