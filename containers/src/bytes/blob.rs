//! Resources with offsets instead of pointers, built once and read in place.
//!
//! After Niklas Frykholm, "The Blob and I" (2010): a resource is one block of plain structs.
//! They have offsets in place of pointers, and the block is the same in memory and on disk, so
//! loading is reading or mapping the file. Changes:
//!
//! - An offset is relative to its own field, so a blob can be copied into another one unchanged.
//! - [`blob_struct!`](crate::blob_struct) declares a struct and its fields. The builder can then
//!   write either byte order, and [`Blob::open`] checks every offset, length and text once.
//! - [`Blob::open`] refuses a blob that was built for another struct layout, for another byte order
//!   or by another version of this format. A machine that aligns `u64` to four bytes, such as
//!   32-bit x86, lays out structs with such fields differently: build its blobs on a machine with
//!   the same alignment.
//!
//! # Layout
//!
//! ```text
//!  0  "loliblob"                                     8 bytes
//!  8  1, in the byte order of the rest of the blob   u32
//! 12  version of the format, now 1                   u32
//! 16  length of the whole blob in bytes              u64
//! 24  hash of the shapes of all structs in the blob  u64
//! 32  checksum of all other bytes                    u64
//! 40  zero                                           u64
//! 48  the root, then its parts in order of creation, each aligned
//! ```

mod builder;
mod bytes;
mod check;
mod error;
mod field;
mod header;
mod parts;
mod scalar;
#[cfg(test)]
mod tests;
mod upgrade;
mod view;

pub use builder::{BlobBuilder, BlobPlace, BlobPlaces};
pub use bytes::BlobBytes;
pub use check::{BlobChecker, BlobRefused, BlobShapes};
pub use error::{BlobError, BlobPartError};
pub use field::BlobField;
pub use parts::{BlobArray, BlobOption, BlobStr, BlobType};
#[cfg(feature = "derive")]
pub use scalar::sealed::Sealed as SealedScalar;
pub use scalar::{BlobScalar, Endian};
pub use upgrade::{BlobLayout, BlobUpgrade, BlobUpgradeError};
pub use view::{BlobElements, BlobRef};

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use header::HEADER;

/// The alignment that the bytes of a blob must have: the largest of any type in a blob.
pub const BLOB_ALIGN: usize = 16;

/// The maximum nesting depth of parts.
pub const BLOB_DEPTH: u32 = 64;

/// An opened resource: the root struct `R` and the parts that its offsets lead to.
///
/// Structs are read in place, by reference. A part is reached through the field that leads to it:
/// `blob.str(&effect.name)`. Only opening a blob creates fields that lead to parts, so every such
/// field has been checked.
///
/// ```text
/// root    | name: offset, bytes | life: f32 | emitters: offset, count |
///            |                                   |
///            +-> s m o k e                       +-> | Emitter 0 | Emitter 1 | ..
/// ```
///
/// # Complexity
///
/// Opening is O(bytes). Reading costs two comparisons for each part, and none from a
/// [`view`](Self::view). Nothing is allocated.
///
/// # Memory
///
/// Overhead in the file: a header of 48 bytes, 8 bytes for each array and string, 4 for each
/// optional part, and alignment padding. A `Blob` object is as large as a slice.
///
/// # Threads
///
/// It only reads: `Send` and `Sync`.
///
/// # When not to use it
///
/// For data that changes: an [`Array`](crate::Array), key-values or a stream. For bytes
/// from a source that could gain from a well-formed forgery: the checksum is not a signature.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Blob, BlobArray, BlobBuilder, BlobStr, Endian, blob_field, blob_struct};
///
/// blob_struct! {
///     pub struct Emitter {
///         pub rate: f32,
///         pub color: [u8; 4],
///     }
/// }
/// blob_struct! {
///     pub struct Effect {
///         pub name: BlobStr,
///         pub life: f32,
///         pub emitters: BlobArray<Emitter>,
///     }
/// }
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("compiler");
///
/// // When content is compiled:
/// let mut builder = BlobBuilder::<Effect>::try_new(Endian::NATIVE, &HEAP)?;
/// let root = builder.root();
/// builder.string(root.at(blob_field!(Effect, name)), "smoke")?;
/// builder.set(root.at(blob_field!(Effect, life)), 2.5);
/// let emitters = builder.array(root.at(blob_field!(Effect, emitters)), 2)?;
/// for (index, emitter) in emitters.iter().enumerate() {
///     builder.set(emitter.at(blob_field!(Emitter, rate)), 10.0 * index as f32);
/// }
/// let bytes = builder.finish();
///
/// // When it is loaded:
/// let blob = Blob::<Effect>::open(&bytes).expect("just built");
/// let effect = blob.root();
/// assert_eq!(blob.str(&effect.name), "smoke");
/// assert_eq!(effect.life, 2.5);
/// assert_eq!(blob.array(&effect.emitters)[1].rate, 10.0);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. The address of `bytes` is a multiple of [`BLOB_ALIGN`]. A header comes first, then an `R`.
/// 2. Everything that the root leads to was checked: it is within the bytes, is aligned, and is a
///    value of its type.
pub struct Blob<'b, R> {
    bytes: &'b [u8],
    root: PhantomData<fn() -> R>,
}

impl<'b, R: BlobType> Blob<'b, R> {
    /// Opens a blob that a [`BlobBuilder`] made.
    ///
    /// # Complexity
    ///
    /// O(bytes): computes the checksum, and validates every offset, length and text before it is
    /// used. Nothing is allocated.
    ///
    /// # Errors
    ///
    /// [`BlobError`] says where the bytes are wrong and how.
    pub fn open(bytes: &'b [u8]) -> Result<Self, BlobError> {
        let blob = Self::open_structure(bytes)?;
        header::compare_checksum(bytes)?;
        Ok(blob)
    }

    /// Opens a blob without computing its checksum: for a mapped file of which only parts will be
    /// read.
    ///
    /// Reading is as memory-safe as after [`open`](Self::open), but a number that was damaged in
    /// storage or transfer is not detected.
    ///
    /// # Complexity
    ///
    /// O(parts and text): the elements of arrays of plain numbers are not read.
    ///
    /// # Errors
    ///
    /// [`BlobError`] says where the bytes are wrong and how.
    pub fn open_structure(bytes: &'b [u8]) -> Result<Self, BlobError> {
        header::check::<R>(bytes)?;
        let mut checker = BlobChecker::new(bytes);
        let root = checker.take(HEADER, size_of::<R>(), "the root");
        match root.and_then(|_| R::check(&mut checker, HEADER)) {
            Ok(()) => Ok(Self { bytes, root: PhantomData }),
            Err(refused) => Err(checker.error(refused)),
        }
    }

    /// Returns the root.
    #[inline]
    #[must_use]
    pub fn root(&self) -> &'b R {
        let start = self.bytes[HEADER..].as_ptr().cast::<R>();
        // SAFETY: an aligned `R` begins here and was checked to be a valid value (invariants 1 and
        // 2); the bytes are borrowed for `'b`.
        unsafe { &*start }
    }

    /// Returns the root, from which all parts can be read without comparisons.
    #[inline]
    #[must_use]
    pub fn view(&self) -> BlobRef<'b, R> {
        let root = NonNull::from_ref(&self.bytes[HEADER..]).cast::<R>();
        // SAFETY: the pointer is derived from one to the bytes from the header on, and everything
        // that the root leads to is after it; all of it was checked (invariants 1 and 2).
        unsafe { BlobRef::new(root) }
    }

    /// Returns the text that a field leads to.
    ///
    /// # Panics
    ///
    /// If the field is not of this blob.
    #[inline]
    #[must_use]
    pub fn str(&self, field: &BlobStr) -> &'b str {
        let text = self.part(field, field.offset, field.bytes as usize);
        // SAFETY: a `BlobStr` comes from an opened blob, and opening it checked the text that the
        // field leads to.
        unsafe { core::str::from_utf8_unchecked(text) }
    }

    /// Returns the array that a field leads to.
    ///
    /// # Panics
    ///
    /// If the field is not of this blob.
    #[inline]
    #[must_use]
    pub fn array<T: BlobType>(&self, field: &BlobArray<T>) -> &'b [T] {
        let count = field.count as usize;
        if count == 0 {
            return &[];
        }
        let part = self.part(field, field.offset, count.saturating_mul(size_of::<T>()));
        // SAFETY: the part has the length of `count` elements. A `BlobArray` comes from an opened
        // blob, and opening it checked that the elements are aligned and valid values of `T`.
        unsafe { core::slice::from_raw_parts(part.as_ptr().cast(), count) }
    }

    /// Returns the part that a field leads to, if it leads to one.
    ///
    /// # Panics
    ///
    /// If the field is not of this blob.
    #[inline]
    #[must_use]
    pub fn option<T: BlobType>(&self, field: &BlobOption<T>) -> Option<&'b T> {
        if field.offset == 0 {
            return None;
        }
        let part = self.part(field, field.offset, size_of::<T>());
        // SAFETY: the part has the length of a `T`. A `BlobOption` comes from an opened blob, and
        // opening it checked that the part is aligned and a valid value of `T`.
        Some(unsafe { &*part.as_ptr().cast() })
    }

    /// Returns the bytes, to be saved, sent or copied.
    #[must_use]
    pub const fn as_bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// Returns the `bytes` bytes that begin `offset` bytes after the start of a checked field.
    ///
    /// An offset is relative to its field, so a field of another blob still leads to the part that
    /// was checked when that blob was opened. The only test left is whether the part is within
    /// these bytes.
    #[inline]
    fn part<F>(&self, field: &F, offset: u32, bytes: usize) -> &'b [u8] {
        let place = core::ptr::from_ref(field).addr().wrapping_sub(self.bytes.as_ptr().addr());
        let start = place.wrapping_add(offset as usize);
        match self.bytes.len().checked_sub(bytes) {
            // If the length is constant, a loop over parts makes the first comparison only once.
            Some(last) if start <= last => {
                // SAFETY: the comparison above ensures that `start + bytes` is at most the length.
                unsafe { self.bytes.get_unchecked(start..start + bytes) }
            }
            _ => foreign_field(),
        }
    }
}

#[cold]
#[inline(never)]
fn foreign_field() -> ! {
    panic!("the field is not of this blob: ask the one whose root it was reached from")
}

impl<R> Clone for Blob<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Blob<'_, R> {}

impl<R> fmt::Debug for Blob<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blob").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}
