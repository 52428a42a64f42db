//! Resources of offsets alone, built once and read in place.
//!
//! After Niklas Frykholm, "The Blob and I" (2010): the data of a resource is plain structs in one
//! block, and where a struct would have a pointer it has an offset, in memory as on disk, so
//! loading is reading or mapping. Changes:
//!
//! - An offset counts from the place where it stands, so a blob may be put into another one as it
//!   is.
//! - A struct's fields are told to [`blob_struct!`](crate::blob_struct), which lets the builder
//!   write either byte order and lets [`Blob::open`] check every offset, length and text once.
//! - What was built for another layout of a struct, for another byte order or by another version of
//!   this format is refused. A machine that aligns `u64` to four bytes, as x86 with 32 bits does,
//!   has another layout of structs with such fields: its blobs are built on a machine like it.
//!
//! # Layout
//!
//! ```text
//!  0  "loliblob"                                     8 bytes
//!  8  1, in the byte order of all that follows       u32
//! 12  version of the format, now 1                   u32
//! 16  bytes of the whole                             u64
//! 24  hash of the shapes of all structs within       u64
//! 32  checksum of all but itself                     u64
//! 40  zero                                           u64
//! 48  the root, then its parts in the order in which they were made, each aligned
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

pub use builder::{BlobBuilder, BlobPlace, BlobPlaces};
pub use bytes::BlobBytes;
pub use check::{BlobChecker, BlobRefused, BlobShapes};
pub use error::{BlobError, BlobPartFault};
pub use field::BlobField;
pub use parts::{BlobArray, BlobOption, BlobStr, BlobType};
pub use scalar::{BlobScalar, Endian};

use core::fmt;
use core::marker::PhantomData;

use header::HEADER;

/// The greatest alignment of anything in a blob, and what the bytes of one must be aligned to.
pub const BLOB_ALIGN: usize = 16;

/// How deep parts may be in parts of parts.
pub const BLOB_DEPTH: u32 = 64;

/// A resource that was opened: the struct `R` and the parts that its offsets lead to.
///
/// Structs are read in place, by reference. A part is reached through the field that leads to it:
/// `blob.str(&effect.name)`. Fields that lead to parts cannot be made but by opening a blob, so all
/// that can be asked has been checked.
///
/// ```text
/// root    | name: offset, bytes | life: f32 | emitters: offset, count |
///            |                                   |
///            +-> s m o k e                       +-> | Emitter 0 | Emitter 1 | ..
/// ```
///
/// # Complexity
///
/// Opening is O(bytes); reading is free but for two comparisons for each part. Nothing is
/// allocated.
///
/// # Memory
///
/// In the file 48 bytes once, 8 for each array and string, 4 for each optional part, and what
/// alignment skips. The object is a slice.
///
/// # Threads
///
/// It only reads: `Send` and `Sync`.
///
/// # When not to use it
///
/// For data that changes: an [`Array`](crate::Array), key-values or a stream. For bytes of people
/// who gain by a forgery that is well formed: the checksum is no signature.
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
/// let mut builder = BlobBuilder::<Effect>::try_new_in(Endian::NATIVE, &HEAP)?;
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
/// 1. `bytes` begin with a header, then an `R`, at an address that is a multiple of [`BLOB_ALIGN`].
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
    /// O(bytes): the checksum is computed, and every offset, length and text is checked. Nothing is
    /// allocated, and no length is believed.
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
    /// What is read is safe to read as with [`open`](Self::open), but a number that was damaged on
    /// the way is not noticed.
    ///
    /// # Complexity
    ///
    /// O(parts and text): arrays of plain numbers are not looked into.
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
        // SAFETY: an `R` lies there, aligned, checked to be a value (invariants 1 and 2), and the
        // bytes are borrowed for as long.
        unsafe { &*start }
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
        // SAFETY: a `BlobStr` comes from a blob that was opened, where the text that it leads to
        // was checked.
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
        // SAFETY: the part is that long, and a `BlobArray` comes from a blob that was opened, where
        // its elements were checked to be aligned and values of `T`.
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
        // SAFETY: the part is that long, and a `BlobOption` comes from a blob that was opened,
        // where it was checked to be aligned and a value of `T`.
        Some(unsafe { &*part.as_ptr().cast() })
    }

    /// Returns the bytes, to be saved, sent or copied.
    #[must_use]
    pub const fn as_bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// Returns `bytes` bytes at `offset` from a field that was checked.
    ///
    /// As offsets count from the field, a field of another blob leads to where it was checked to
    /// lead, whichever blob is asked. Only whether that is within these bytes is to be compared.
    #[inline]
    fn part<F>(&self, field: &F, offset: u32, bytes: usize) -> &'b [u8] {
        let place = core::ptr::from_ref(field).addr().wrapping_sub(self.bytes.as_ptr().addr());
        let start = place.wrapping_add(offset as usize);
        match self.bytes.len().checked_sub(bytes) {
            // For a part of constant length the first comparison is made once for a whole loop.
            Some(last) if start <= last => {
                // SAFETY: `start + bytes` is at most the length, which was just compared.
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
