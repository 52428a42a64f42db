//! What may be in a blob: numbers, structs, and fields that lead to parts.

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;

use loligo_ids::{IdString32, IdString64};

use super::check::{BlobChecker, BlobRefused, BlobShapes};
use super::error::BlobPartError;
use super::upgrade::BlobUpgrade;

/// A type that may be in a blob.
///
/// Numbers, hashed names, `bool`, arrays of constant length, [`BlobStr`], [`BlobArray`] and
/// [`BlobOption`] are, what [`blob_struct!`](crate::blob_struct) declares, and, with the feature
/// `derive`, structs and enums with `#[derive(BlobType)]`.
///
/// # Safety
///
/// An implementation promises that
///
/// 1. the type is of a set size, aligned to at most [`BLOB_ALIGN`](super::BLOB_ALIGN), has no
///    interior mutability and no destructor, and may be read by all threads;
/// 2. if [`check`](Self::check) returns `Ok` for a place of a checker's bytes, the initialised
///    bytes there, `size_of::<Self>()` of them, are a value of the type, and what it leads to was
///    checked likewise;
/// 3. where [`PLAIN`](Self::PLAIN) is true, all bytes are a value.
pub unsafe trait BlobType: Sized + 'static {
    /// The type's name, in error messages and shapes.
    const NAME: &'static str;

    /// Whether any bytes are a value that leads nowhere.
    const PLAIN: bool;

    /// Whether no version changes it: an array of such is copied whole.
    #[doc(hidden)]
    const IS_NUMBER: bool = false;

    /// Checks the value at `at`, all of whose bytes are there.
    ///
    /// # Errors
    ///
    /// [`BlobRefused`] if it is not a value, or what it leads to is not what it should be.
    fn check(checker: &mut BlobChecker<'_>, at: usize) -> Result<(), BlobRefused>;

    /// Adds the shapes of the structs that it is made of or leads to.
    fn shapes(shapes: &mut BlobShapes);

    /// Returns size and alignment in blobs of a version; that of the type if it has not changed.
    fn layout(version: u32) -> Layout {
        let _ = version;
        Layout::new::<Self>()
    }

    /// Copies the value at `from` of an older blob to `to` of one of the newest version, where all
    /// bytes are zero. What leads to parts, or has fields that were added, does more than copy.
    ///
    /// Nothing rests on it but what the copy says, as that is checked like any blob.
    ///
    /// # Errors
    ///
    /// [`BlobRefused`] if it leads elsewhere, or there is no memory.
    fn upgrade(upgrade: &mut BlobUpgrade<'_>, from: usize, to: usize) -> Result<(), BlobRefused> {
        upgrade.copy(from, to, size_of::<Self>())
    }
}

macro_rules! plain {
    ($($plain:ty),*) => {$(
        // SAFETY: it is an integer or a float of a set size, of which every pattern of bits is a
        // value; its alignment is at most 8.
        unsafe impl BlobType for $plain {
            const NAME: &'static str = stringify!($plain);
            const PLAIN: bool = true;
            const IS_NUMBER: bool = true;

            #[inline]
            fn check(_: &mut BlobChecker<'_>, _: usize) -> Result<(), BlobRefused> {
                Ok(())
            }

            fn shapes(_: &mut BlobShapes) {}
        }
    )*};
}

plain!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, IdString32, IdString64);

// SAFETY: one byte, and `check` lets only those pass that are values.
unsafe impl BlobType for bool {
    const NAME: &'static str = "bool";
    const PLAIN: bool = false;

    fn check(checker: &mut BlobChecker<'_>, at: usize) -> Result<(), BlobRefused> {
        match checker.byte_at(at) {
            0 | 1 => Ok(()),
            found => Err(checker.refuse(at, Self::NAME, BlobPartError::NoBool { found })),
        }
    }

    fn shapes(_: &mut BlobShapes) {}
}

// SAFETY: an array is its elements one after the other, each of which is checked.
unsafe impl<T: BlobType, const N: usize> BlobType for [T; N] {
    const NAME: &'static str = T::NAME;
    const PLAIN: bool = {
        assert!(N > 0, "what stands in a blob is of some size");
        T::PLAIN
    };
    const IS_NUMBER: bool = T::IS_NUMBER;

    fn check(checker: &mut BlobChecker<'_>, at: usize) -> Result<(), BlobRefused> {
        if T::PLAIN {
            return Ok(());
        }
        (0..N).try_for_each(|index| T::check(checker, at + index * size_of::<T>()))
    }

    fn shapes(shapes: &mut BlobShapes) {
        T::shapes(shapes);
    }

    fn layout(version: u32) -> Layout {
        let element = T::layout(version);
        Layout::from_size_align(element.size() * N, element.align()).expect("it is part of a type")
    }

    fn upgrade(upgrade: &mut BlobUpgrade<'_>, from: usize, to: usize) -> Result<(), BlobRefused> {
        if T::IS_NUMBER {
            return upgrade.copy(from, to, size_of::<Self>());
        }
        let size = T::layout(upgrade.version()).size();
        (0..N).try_for_each(|index| {
            T::upgrade(upgrade, from + index * size, to + index * size_of::<T>())
        })
    }
}

/// Returns `true` if bytes are UTF-8. Most names are ASCII, which is checked eight bytes at a time.
#[inline]
fn is_text(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = |at: &[u8; 8]| u64::from_ne_bytes(*at);
    if let (Some(last), (words, _)) = (bytes.last_chunk::<8>(), bytes.as_chunks::<8>())
        && words.iter().map(word).fold(word(last), |all, word| all | word) & HIGH == 0
    {
        return true;
    }
    core::str::from_utf8(bytes).is_ok()
}

/// Checks that a field that leads to nothing leads nowhere.
#[inline]
fn empty(
    checker: &mut BlobChecker<'_>,
    at: usize,
    offset: u32,
    name: &'static str,
) -> Result<(), BlobRefused> {
    if offset == 0 { Ok(()) } else { Err(checker.refuse(at, name, BlobPartError::EmptyLeads)) }
}

/// A field that leads to text: [`Blob::str`](super::Blob::str).
///
/// ```text
/// | offset: u32, from here | bytes: u32 |        both 0 where there is no text
/// ```
#[repr(C)]
pub struct BlobStr {
    pub(super) offset: u32,
    pub(super) bytes: u32,
}

// SAFETY: two numbers; the text that they lead to is checked to be there and to be UTF-8.
unsafe impl BlobType for BlobStr {
    const NAME: &'static str = "BlobStr";
    const PLAIN: bool = false;

    fn check(checker: &mut BlobChecker<'_>, at: usize) -> Result<(), BlobRefused> {
        let (offset, bytes) = (checker.u32_at(at), checker.u32_at(at + 4));
        if bytes == 0 {
            return empty(checker, at, offset, Self::NAME);
        }
        let place = (at, size_of::<Self>());
        let text = checker.lead_to::<u8>(place, offset, bytes as usize, Self::NAME)?;
        if !is_text(text) {
            return Err(checker.refuse(at, Self::NAME, BlobPartError::NoText));
        }
        Ok(())
    }

    fn shapes(_: &mut BlobShapes) {}

    fn upgrade(upgrade: &mut BlobUpgrade<'_>, from: usize, to: usize) -> Result<(), BlobRefused> {
        upgrade.text(from, to)
    }
}

/// A field that leads to an array: [`Blob::array`](super::Blob::array).
///
/// ```text
/// | offset: u32, from here | count: u32 |        both 0 where there is no element
/// ```
#[repr(C)]
pub struct BlobArray<T> {
    pub(super) offset: u32,
    pub(super) count: u32,
    elements: PhantomData<fn() -> T>,
}

// SAFETY: two numbers; the elements that they lead to are checked to be there, aligned, and values.
unsafe impl<T: BlobType> BlobType for BlobArray<T> {
    const NAME: &'static str = "BlobArray";
    const PLAIN: bool = false;

    fn check(checker: &mut BlobChecker<'_>, at: usize) -> Result<(), BlobRefused> {
        let (offset, count) = (checker.u32_at(at), checker.u32_at(at + 4));
        if count == 0 {
            return empty(checker, at, offset, Self::NAME);
        }
        let place = (at, size_of::<Self>());
        checker.lead_to::<T>(place, offset, count as usize, Self::NAME)?;
        Ok(())
    }

    fn shapes(shapes: &mut BlobShapes) {
        T::shapes(shapes);
    }

    fn upgrade(upgrade: &mut BlobUpgrade<'_>, from: usize, to: usize) -> Result<(), BlobRefused> {
        let count = upgrade.u32_at(from + 4);
        if count == 0 {
            return Ok(());
        }
        upgrade.part::<T>((from, size_of::<Self>()), to, count as usize, Self::NAME)?;
        upgrade.set(to + 4, count);
        Ok(())
    }
}

/// A field that leads to a part, or to none: [`Blob::option`](super::Blob::option).
///
/// ```text
/// | offset: u32, from here |        0 where there is none
/// ```
#[repr(C)]
pub struct BlobOption<T> {
    pub(super) offset: u32,
    part: PhantomData<fn() -> T>,
}

// SAFETY: a number; the part that it leads to is checked to be there, aligned, and a value.
unsafe impl<T: BlobType> BlobType for BlobOption<T> {
    const NAME: &'static str = "BlobOption";
    const PLAIN: bool = false;

    fn check(checker: &mut BlobChecker<'_>, at: usize) -> Result<(), BlobRefused> {
        let offset = checker.u32_at(at);
        if offset != 0 {
            checker.lead_to::<T>((at, size_of::<Self>()), offset, 1, Self::NAME)?;
        }
        Ok(())
    }

    fn shapes(shapes: &mut BlobShapes) {
        T::shapes(shapes);
    }

    fn upgrade(upgrade: &mut BlobUpgrade<'_>, from: usize, to: usize) -> Result<(), BlobRefused> {
        if upgrade.u32_at(from) == 0 {
            return Ok(());
        }
        upgrade.part::<T>((from, size_of::<Self>()), to, 1, Self::NAME)
    }
}

impl fmt::Debug for BlobStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of text, {} bytes on", self.bytes, self.offset)
    }
}

impl<T: BlobType> fmt::Debug for BlobArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}, {} bytes on", self.count, T::NAME, self.offset)
    }
}

impl<T: BlobType> fmt::Debug for BlobOption<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "no {}", T::NAME),
            offset => write!(f, "{}, {offset} bytes on", T::NAME),
        }
    }
}
