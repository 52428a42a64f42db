//! Where things are in the words of an open array.

use crate::error::GrowError;
use crate::keyed::open_struct::OpenLayout;

/// How many words describe a field: its name, its type, its offset.
pub(super) const FIELD_WORDS: usize = 3;

/// The measures of an open array, from which all places follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) layout: OpenLayout,
    pub(super) fields: u32,
    /// The words of a row: the sum of those of the fields.
    pub(super) stride: u32,
    pub(super) rows: u32,
    /// How many rows there is room for.
    pub(super) capacity: u32,
    /// The words of the tail.
    pub(super) tail: u32,
    /// How many of those belong to no field any more.
    pub(super) dead: u32,
}

/// A field's place and width within a row, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) words: usize,
}

impl Shape {
    pub(super) const fn empty(layout: OpenLayout) -> Self {
        Self { layout, fields: 0, stride: 0, rows: 0, capacity: 0, tail: 0, dead: 0 }
    }

    /// Returns where the words of the fields begin: the data comes first, so that rows are in cache
    /// lines as the block does.
    #[inline]
    pub(super) const fn fields_start(&self) -> usize {
        self.stride as usize * self.capacity as usize
    }

    /// Returns where the tail begins.
    #[inline]
    pub(super) const fn tail_start(&self) -> usize {
        self.fields_start() + self.fields as usize * FIELD_WORDS
    }

    /// Returns how many words there are in all.
    pub(super) const fn len(&self) -> usize {
        self.tail_start() + self.tail as usize
    }

    /// Returns the number of words that the array will have in all.
    ///
    /// # Errors
    ///
    /// [`GrowError::Length`] if they are more than an array holds.
    pub(super) fn checked_len(&self) -> Result<usize, GrowError> {
        let data = u64::from(self.stride) * u64::from(self.capacity);
        // At most 2^42 and little more.
        let wanted = data + u64::from(self.tail) + FIELD_WORDS as u64 * u64::from(self.fields);
        match u32::try_from(wanted) {
            Ok(len) => Ok(len as usize),
            Err(_) => Err(GrowError::Length { wanted, limit: u64::from(u32::MAX) }),
        }
    }

    /// Returns where a field of a row is.
    #[inline]
    pub(super) const fn at(&self, row: usize, place: Place) -> usize {
        match self.layout {
            OpenLayout::ArrayOfStructs => row * self.stride as usize + place.offset,
            OpenLayout::StructOfArrays => place.offset * self.capacity as usize + row * place.words,
        }
    }
}
