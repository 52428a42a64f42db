//! Building a blob, field by field.

use core::fmt;
use core::marker::PhantomData;

use loligo_allocators::Allocator;

use super::bytes::BlobBytes;
use super::field::BlobField;
use super::header::{self, HEADER};
use super::parts::{BlobArray, BlobOption, BlobStr, BlobType};
use super::scalar::{BlobScalar, Endian};
use super::{BLOB_ALIGN, BLOB_DEPTH};
use crate::error::GrowError;

/// Builds a blob: a root of type `R`, then its parts in the order in which they are asked for, so
/// that what will be read together can be laid together.
///
/// What was not set is zero: numbers 0, `bool` false, no text, no elements, no part.
///
/// # Complexity
///
/// O(1) amortised for each part, and O(bytes) for what is copied.
///
/// # Memory
///
/// One block that grows by doubling. A part that is recreated for a field that had one leaves the
/// old bytes unused. A blob is at most 4 GiB long.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # Examples
///
/// See [`Blob`](super::Blob).
pub struct BlobBuilder<'a, R, A: Allocator + ?Sized = dyn Allocator + 'a> {
    bytes: BlobBytes<'a, A>,
    endian: Endian,
    root: PhantomData<fn() -> R>,
}

impl<'a, R: BlobType> BlobBuilder<'a, R> {
    /// Begins a blob for machines of a byte order; its root is all zero.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the root.
    pub fn try_new(endian: Endian, memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(endian, memory)
    }
}

impl<'a, R: BlobType, A: Allocator + ?Sized> BlobBuilder<'a, R, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(endian: Endian, memory: &'a A) -> Result<Self, GrowError> {
        const {
            assert!(align_of::<R>() <= BLOB_ALIGN, "nothing in a blob is aligned to more than 16");
        }
        let mut bytes = BlobBytes::new(memory);
        bytes.extend(HEADER + size_of::<R>(), 1)?;
        Ok(Self { bytes, endian, root: PhantomData })
    }

    /// Returns where the root is.
    #[must_use]
    pub const fn root(&self) -> BlobPlace<R> {
        BlobPlace::new(HEADER as u32, 0)
    }

    /// Writes a number, a truth value, a hashed name, or an array of them.
    ///
    /// # Panics
    ///
    /// If the place is not of this blob.
    pub fn set<T: BlobScalar>(&mut self, place: BlobPlace<T>, value: T) {
        let endian = self.endian;
        value.write(endian, self.bytes_at(place.at, size_of::<T>()));
    }

    /// Appends text and lets a field lead to it.
    ///
    /// # Complexity
    ///
    /// O(bytes), and O(length of the blob) where it must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory, or the blob would be longer than 4 GiB. Nothing has
    /// changed.
    ///
    /// # Panics
    ///
    /// If the place is not of this blob.
    pub fn string(&mut self, place: BlobPlace<BlobStr>, text: &str) -> Result<(), GrowError> {
        let _ = self.bytes_at(place.at, size_of::<BlobStr>());
        if text.is_empty() {
            self.write_u32(place.at, 0);
            self.write_u32(place.at + 4, 0);
            return Ok(());
        }
        let start = self.bytes.extend(text.len(), 1)?;
        self.bytes.as_mut()[start..].copy_from_slice(text.as_bytes());
        self.write_u32(place.at, start as u32 - place.at);
        self.write_u32(place.at + 4, text.len() as u32);
        Ok(())
    }

    /// Appends an array of `count` elements, all zero, lets a field lead to it, and returns where
    /// they are.
    ///
    /// # Complexity
    ///
    /// O(bytes), and O(length of the blob) where it must move.
    ///
    /// # Errors
    ///
    /// As [`string`](Self::string).
    ///
    /// # Panics
    ///
    /// If the place is not of this blob, or is [`BLOB_DEPTH`] parts deep.
    pub fn array<T: BlobType>(
        &mut self,
        place: BlobPlace<BlobArray<T>>,
        count: usize,
    ) -> Result<BlobPlaces<T>, GrowError> {
        let _ = self.bytes_at(place.at, size_of::<BlobArray<T>>());
        let first = self.part::<T>(place.depth, count)?;
        let offset = if count == 0 { 0 } else { first.at - place.at };
        self.write_u32(place.at, offset);
        self.write_u32(place.at + 4, count as u32);
        Ok(BlobPlaces { first, count: count as u32 })
    }

    /// Appends an array of numbers and lets a field lead to it.
    ///
    /// # Errors
    ///
    /// As [`string`](Self::string).
    ///
    /// # Panics
    ///
    /// As [`array`](Self::array).
    pub fn numbers<T: BlobType + BlobScalar>(
        &mut self,
        place: BlobPlace<BlobArray<T>>,
        numbers: &[T],
    ) -> Result<(), GrowError> {
        let places = self.array(place, numbers.len())?;
        let endian = self.endian;
        let bytes = self.bytes_at(places.first.at, size_of_val(numbers));
        for (number, bytes) in numbers.iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
            number.write(endian, bytes);
        }
        Ok(())
    }

    /// Appends a part, all zero, lets a field lead to it, and returns where it is.
    ///
    /// # Errors
    ///
    /// As [`string`](Self::string).
    ///
    /// # Panics
    ///
    /// As [`array`](Self::array).
    pub fn option<T: BlobType>(
        &mut self,
        place: BlobPlace<BlobOption<T>>,
    ) -> Result<BlobPlace<T>, GrowError> {
        let _ = self.bytes_at(place.at, size_of::<BlobOption<T>>());
        let part = self.part::<T>(place.depth, 1)?;
        self.write_u32(place.at, part.at - place.at);
        Ok(part)
    }

    /// Ends the blob and returns its bytes.
    ///
    /// # Complexity
    ///
    /// O(bytes), for the checksum.
    #[must_use]
    pub fn finish(mut self) -> BlobBytes<'a, A> {
        header::write::<R>(self.bytes.as_mut(), self.endian);
        self.bytes
    }

    /// Appends `count` values, all zero.
    fn part<T: BlobType>(&mut self, depth: u32, count: usize) -> Result<BlobPlace<T>, GrowError> {
        const {
            assert!(align_of::<T>() <= BLOB_ALIGN, "nothing in a blob is aligned to more than 16");
        }
        assert!(
            T::PLAIN || depth < BLOB_DEPTH,
            "a {} lies {BLOB_DEPTH} parts deep, which no reader follows",
            T::NAME
        );
        let bytes = count.saturating_mul(size_of::<T>());
        let start = self.bytes.extend(bytes, align_of::<T>())?;
        Ok(BlobPlace::new(start as u32, depth + 1))
    }

    fn write_u32(&mut self, at: u32, number: u32) {
        let number = self.endian.bytes_of_u32(number);
        self.bytes_at(at, 4).copy_from_slice(&number);
    }

    fn bytes_at(&mut self, at: u32, bytes: usize) -> &mut [u8] {
        let whole = self.bytes.len();
        let start = at as usize;
        match self.bytes.as_mut().get_mut(start..start.saturating_add(bytes)) {
            Some(part) => part,
            None => panic!("byte {start} is in no part of this blob, which is {whole} bytes long"),
        }
    }
}

impl<R, A: Allocator + ?Sized> fmt::Debug for BlobBuilder<'_, R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobBuilder")
            .field("bytes", &self.bytes.len())
            .field("endian", &self.endian)
            .finish_non_exhaustive()
    }
}

/// Where a value is in a blob that is being built.
pub struct BlobPlace<T> {
    at: u32,
    depth: u32,
    value: PhantomData<fn() -> T>,
}

impl<T> BlobPlace<T> {
    const fn new(at: u32, depth: u32) -> Self {
        Self { at, depth, value: PhantomData }
    }

    /// Returns the offset from the beginning of the blob.
    #[must_use]
    pub const fn offset(self) -> u32 {
        self.at
    }

    /// Returns where a field of the struct is, named by [`blob_field!`](crate::blob_field).
    #[must_use]
    pub const fn at<F>(self, field: BlobField<T, F>) -> BlobPlace<F> {
        BlobPlace::new(self.at + field.offset(), self.depth)
    }
}

impl<T> Clone for BlobPlace<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BlobPlace<T> {}

impl<T> fmt::Debug for BlobPlace<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BlobPlace").field(&self.at).finish()
    }
}

/// Where the elements of an array are in a blob that is being built.
#[derive(Debug)]
pub struct BlobPlaces<T> {
    first: BlobPlace<T>,
    count: u32,
}

impl<T> BlobPlaces<T> {
    /// Returns where an element is.
    ///
    /// # Panics
    ///
    /// If there are fewer elements.
    #[must_use]
    pub fn get(&self, index: usize) -> BlobPlace<T> {
        assert!(index < self.len(), "element {index} of {}", self.count);
        BlobPlace::new(self.first.at + (index * size_of::<T>()) as u32, self.first.depth)
    }

    /// Returns where the elements are, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = BlobPlace<T>> + use<'_, T> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns how many elements there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns `true` if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}
