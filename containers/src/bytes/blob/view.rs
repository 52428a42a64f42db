//! Views: values of an opened blob with the right to follow their offsets.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use super::field::BlobField;
use super::parts::{BlobArray, BlobOption, BlobStr, BlobType};

/// A value of an opened blob, from which its parts are read without any comparison: for loops over
/// many parts.
///
/// [`Blob::view`](super::Blob::view) returns that of the root. A view derefs to the value, so plain
/// fields are read as of a reference. [`at`](Self::at) leads to a field, and the view of a field to
/// its part. A reference to a field cannot do that: it does not say which blob it is from, so
/// [`Blob::str`](super::Blob::str) has to compare.
///
/// # Complexity
///
/// All operations are O(1): an addition for each step to a field or a part. Nothing is allocated.
///
/// # Memory
///
/// One pointer; the blob is borrowed.
///
/// # Threads
///
/// It only reads: `Send` and `Sync`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Blob, BlobArray, BlobBuilder, BlobStr, Endian, blob_field, blob_struct};
///
/// blob_struct! {
///     struct Unit {
///         name: BlobStr,
///         health: f32,
///     }
///     struct Level {
///         units: BlobArray<Unit>,
///     }
/// }
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("compiler");
/// let mut builder = BlobBuilder::<Level>::try_new(Endian::NATIVE, &HEAP)?;
/// let units = builder.array(builder.root().at(blob_field!(Level, units)), 2)?;
/// for (unit, name) in units.iter().zip(["orc", "elf"]) {
///     builder.string(unit.at(blob_field!(Unit, name)), name)?;
///     builder.set(unit.at(blob_field!(Unit, health)), 40.0);
/// }
/// let bytes = builder.finish();
///
/// let level = Blob::<Level>::open(&bytes).expect("just built");
/// let units = level.view().at(blob_field!(Level, units));
/// let names: Vec<&str> = units.iter().map(|unit| unit.at(blob_field!(Unit, name)).text()).collect();
/// assert_eq!(names, ["orc", "elf"]);
/// assert_eq!(units.iter().map(|unit| unit.health).sum::<f32>(), 80.0);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. `place` is derived from a pointer to all bytes of a blob, which are borrowed for `'b`.
/// 2. An aligned `T` is there, and opening that blob checked it: it is a value of its type, and
///    everything that it leads to is within the bytes of the same blob, is aligned, and was checked
///    likewise.
pub struct BlobRef<'b, T> {
    place: NonNull<T>,
    blob: PhantomData<&'b T>,
}

// SAFETY: it gives shared references to values in borrowed bytes alone, and a `BlobType` promises
// that all threads may read its values (its rule 1).
unsafe impl<T: BlobType> Send for BlobRef<'_, T> {}
// SAFETY: as above.
unsafe impl<T: BlobType> Sync for BlobRef<'_, T> {}

impl<'b, T> BlobRef<'b, T> {
    /// Returns the view of a value.
    ///
    /// # Safety
    ///
    /// The invariants of the type hold for `place` and `'b`.
    #[inline(always)]
    pub(super) const unsafe fn new(place: NonNull<T>) -> Self {
        Self { place, blob: PhantomData }
    }

    /// Returns the value.
    #[inline(always)]
    #[must_use]
    pub const fn get(self) -> &'b T {
        // SAFETY: an aligned `T` is there, in bytes that are borrowed for `'b` (invariants 1 and
        // 2), and no type in a blob can be changed through a reference.
        unsafe { self.place.as_ref() }
    }

    /// Returns the view of a field of the struct, named by [`blob_field!`](crate::blob_field).
    #[inline(always)]
    #[must_use]
    pub const fn at<F>(self, field: BlobField<T, F>) -> BlobRef<'b, F> {
        // SAFETY: a `BlobField` is only made with a place within the struct, which is in the bytes.
        let place = unsafe { self.place.byte_add(field.offset() as usize) };
        // SAFETY: an aligned `F` is there, as the field's maker promised, and checking the struct
        // checked each field and what it leads to, so both invariants hold.
        unsafe { BlobRef::new(place.cast()) }
    }

    /// Returns the view of the `P` that is `offset` bytes after this value.
    ///
    /// # Safety
    ///
    /// This is a field of a blob, its offset is `offset`, and it is not empty; opening the blob
    /// checked a `P` there.
    #[inline(always)]
    const unsafe fn follow<P>(self, offset: u32) -> BlobRef<'b, P> {
        // SAFETY: what the field leads to is in the bytes that `place` is derived from (invariants
        // 1 and 2), so the addition stays in them.
        let place = unsafe { self.place.byte_add(offset as usize) };
        // SAFETY: the pointer is derived from the same one, and the part was checked.
        unsafe { BlobRef::new(place.cast()) }
    }
}

impl<'b> BlobRef<'b, BlobStr> {
    /// Returns the text that the field leads to.
    #[inline(always)]
    #[must_use]
    pub const fn text(self) -> &'b str {
        let BlobStr { offset, bytes } = *self.get();
        // SAFETY: an empty text has the offset 0, at which the field's own bytes begin; else a part
        // of that many bytes was checked to be there.
        let start = unsafe { self.follow::<u8>(offset) };
        // SAFETY: that many bytes are there, in the same borrowed bytes (invariant 2).
        let text = unsafe { core::slice::from_raw_parts(start.place.as_ptr(), bytes as usize) };
        // SAFETY: opening the blob checked that they are UTF-8.
        unsafe { core::str::from_utf8_unchecked(text) }
    }
}

impl<'b, T: BlobType> BlobRef<'b, BlobArray<T>> {
    /// Returns how many elements there are.
    #[inline(always)]
    #[must_use]
    pub const fn len(self) -> usize {
        self.get().count as usize
    }

    /// Returns `true` if there is none.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the elements as a slice.
    #[inline]
    #[must_use]
    pub const fn slice(self) -> &'b [T] {
        if self.is_empty() {
            return &[];
        }
        // SAFETY: the array is not empty, so opening the blob checked its first element there.
        let first = unsafe { self.follow::<T>(self.get().offset) };
        // SAFETY: `len` aligned values of `T` were checked to be there, in the same borrowed bytes
        // (invariant 2).
        unsafe { core::slice::from_raw_parts(first.place.as_ptr(), self.len()) }
    }

    /// Returns the views of the elements, from first to last.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> BlobElements<'b, T> {
        let left = self.len();
        if left == 0 {
            return BlobElements { next: NonNull::dangling(), left, blob: PhantomData };
        }
        // SAFETY: the array is not empty, so opening the blob checked its first element there.
        let first = unsafe { self.follow::<T>(self.get().offset) };
        BlobElements { next: first.place, left, blob: PhantomData }
    }

    /// Returns the view of an element, if there are that many.
    #[inline]
    #[must_use]
    pub const fn element(self, index: usize) -> Option<BlobRef<'b, T>> {
        if index >= self.len() {
            return None;
        }
        // SAFETY: the array is not empty, so opening the blob checked its first element there.
        let first = unsafe { self.follow::<T>(self.get().offset) };
        // SAFETY: the element is one of those that are there (comparison above, invariant 2).
        let place = unsafe { first.place.add(index) };
        // SAFETY: opening the blob checked each element; the pointer is derived from the same one.
        Some(unsafe { BlobRef::new(place) })
    }
}

impl<'b, T: BlobType> BlobRef<'b, BlobOption<T>> {
    /// Returns the view of the part that the field leads to, if it leads to one.
    #[inline(always)]
    #[must_use]
    pub const fn part(self) -> Option<BlobRef<'b, T>> {
        match self.get().offset {
            0 => None,
            // SAFETY: the field leads somewhere, so opening the blob checked a `T` there.
            offset => Some(unsafe { self.follow(offset) }),
        }
    }
}

impl<'b, T: BlobType, const N: usize> BlobRef<'b, [T; N]> {
    /// Returns the views of the elements of an array of constant length, from first to last.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> BlobElements<'b, T> {
        BlobElements { next: self.place.cast(), left: N, blob: PhantomData }
    }
}

impl<T> Deref for BlobRef<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T> Clone for BlobRef<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BlobRef<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for BlobRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<'b, T: BlobType> IntoIterator for BlobRef<'b, BlobArray<T>> {
    type Item = BlobRef<'b, T>;
    type IntoIter = BlobElements<'b, T>;

    #[inline]
    fn into_iter(self) -> BlobElements<'b, T> {
        self.iter()
    }
}

/// The views of an array's elements, from first to last.
///
/// # Invariants
///
/// 1. `left` elements are at `next`, one after the other, for each of which the invariants of
///    [`BlobRef`] hold.
pub struct BlobElements<'b, T> {
    next: NonNull<T>,
    left: usize,
    blob: PhantomData<&'b T>,
}

// SAFETY: as for `BlobRef`, which is what it gives.
unsafe impl<T: BlobType> Send for BlobElements<'_, T> {}
// SAFETY: as above.
unsafe impl<T: BlobType> Sync for BlobElements<'_, T> {}

impl<'b, T> Iterator for BlobElements<'b, T> {
    type Item = BlobRef<'b, T>;

    #[inline(always)]
    fn next(&mut self) -> Option<BlobRef<'b, T>> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: an element was left, so one is here (invariant 1).
        let element = unsafe { BlobRef::new(self.next) };
        // SAFETY: the element is within the bytes, so this is at most their end.
        self.next = unsafe { self.next.add(1) };
        Some(element)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for BlobElements<'_, T> {}

impl<T> FusedIterator for BlobElements<'_, T> {}

impl<T> Clone for BlobElements<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<T> fmt::Debug for BlobElements<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobElements").field("left", &self.left).finish_non_exhaustive()
    }
}
