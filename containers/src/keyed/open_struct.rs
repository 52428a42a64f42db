//! Structs whose fields are known at run time.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 3 - C++ Duck Typing" (2011): a description of
//! the fields (hashed names, types, offsets), separate from the bare values of one struct or of
//! many in an array. Functions ask it for fields and not for types. Changes:
//!
//! - The arrays have either layout, structs or columns, with one interface. The article leaves the
//!   second to its reader.
//! - A field is resolved once and then swept over in all rows; looking it up for each row costs
//!   several times as much as the work itself.
//! - Fields are added and removed while there are rows.
//! - Text, lists and dictionaries follow the rows in the same block, so that a copy is one copy of
//!   memory even then.
//! - Two fields of an array cannot share a hash. That two names do is found where names are known:
//!   when a table of them is built.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::keyed::json::{JsonReader, JsonWriter, Nest, Token};

mod array;
mod content;
mod error;
mod field;
mod json_in;
mod json_out;
mod row;
mod save;
mod shape;
mod sweep;
#[cfg(test)]
mod tests;
mod value;

pub use array::OpenArray;
pub use error::{OpenDamage, OpenError};
pub use field::{Field, FieldType, FieldValue, Flag, ReadField, WriteField};
pub use row::OpenRow;
pub use sweep::{FieldAccess, FieldSet};
pub use value::{OpenDictionary, OpenList, OpenValue};

use shape::Shape;

/// The most fields that an open struct or array may have.
pub const OPEN_FIELDS_MAX: u32 = 256;

/// How the rows of an [`OpenArray`] are in memory.
///
/// Structs are better where most fields of a row are used together, or rows come and go often;
/// columns where functions sweep over few of the fields, which they then read without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum OpenLayout {
    /// Row after row, all fields of a row together.
    ArrayOfStructs = 0,
    /// Field after field, the values of all rows together.
    StructOfArrays = 1,
}

/// A struct whose fields are known at run time: an [`OpenArray`] of one row.
///
/// ```text
/// words   | value | value | .. | name type offset | name type offset | .. | tail |
/// ```
///
/// # Complexity
///
/// A field is found in O(fields), which are few. Adding or removing one moves the values.
///
/// # Memory
///
/// Nothing while it has no fields. Then one block: 12 bytes a field, its value, and the tail, which
/// is drawn at [`OpenArray`].
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # When not to use it
///
/// For many structs with the same fields: an [`OpenArray`] says their names once.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Field, OpenStruct, OpenValue};
/// use loligo_ids::id32;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let json = br#"{"score": 100, "name": "Player 1"}"#;
/// let mut player = OpenStruct::try_from_json(json, &MEMORY)?;
/// assert_eq!(player.text(id32!("name")), Some("Player 1"));
///
/// const SCORE: Field<i32> = Field::new(id32!("score"));
/// player.set(SCORE, 150);
/// assert_eq!(player.get(SCORE), Some(150));
/// assert_eq!(player.get(Field::<f32>::new(id32!("score"))), None);
///
/// player.try_put(id32!("rank"), OpenValue::Text("colonel"))?;
/// assert_eq!(player.fields().len(), 3);
/// # Ok::<(), loligo_containers::OpenError>(())
/// ```
///
/// # Invariants
///
/// 1. The array has one row.
pub struct OpenStruct<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    array: OpenArray<'a, A>,
}

impl<'a> OpenStruct<'a> {
    /// Returns a struct without fields, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns a struct made of a JSON object, whose values become fields as those of
    /// [`OpenArray::try_extend_from_json`] do.
    ///
    /// # Complexity
    ///
    /// O(JSON + fields²).
    ///
    /// # Errors
    ///
    /// As those of [`OpenArray::try_extend_from_json`].
    pub fn try_from_json(json: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, OpenError> {
        Self::try_from_json_in(json, memory)
    }

    /// Returns a struct that [`try_save`](Self::try_save) saved, from untrusted bytes.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// As those of [`OpenArray::try_open_in`]; also where the bytes are an array of more rows or
    /// none.
    pub fn try_open(bytes: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, OpenError> {
        Self::try_open_in(bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> OpenStruct<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        // A row without fields takes no words.
        let shape = Shape { rows: 1, capacity: 1, ..Shape::empty(OpenLayout::ArrayOfStructs) };
        Self { array: OpenArray { words: Array::new_in(memory), shape } }
    }

    /// As [`try_from_json`](Self::try_from_json), and keeps the type of the allocator, so that its
    /// calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_json`](Self::try_from_json).
    pub fn try_from_json_in(json: &[u8], memory: &'a A) -> Result<Self, OpenError> {
        let mut reader = JsonReader::new(json);
        let mut open = Self::new_in(memory);
        if reader.token()? != Token::Start(Nest::Object) {
            return Err(reader.refuse("an object was expected").into());
        }
        open.array.read_object(0, &mut reader)?;
        reader.next()?;
        Ok(open)
    }

    /// As [`try_open`](Self::try_open), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_open`](Self::try_open).
    pub fn try_open_in(bytes: &[u8], memory: &'a A) -> Result<Self, OpenError> {
        let array = OpenArray::try_open_in(bytes, memory)?;
        if array.len() != 1 || array.layout() != OpenLayout::ArrayOfStructs {
            return Err(OpenDamage::new(12, "this is an array and no struct").into());
        }
        Ok(Self { array })
    }

    /// Returns the struct as the array of one row that it is.
    #[must_use]
    pub const fn as_array(&self) -> &OpenArray<'a, A> {
        &self.array
    }

    /// Visits the names and types of the fields, in the order in which they were added.
    ///
    /// # Complexity
    ///
    /// O(1) a field.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (IdString32, FieldType)> + '_ {
        self.array.fields()
    }

    /// Adds a field, unless there is such a one, and returns it resolved. It is 0.
    ///
    /// # Complexity
    ///
    /// O(all data), which moves.
    ///
    /// # Errors
    ///
    /// As those of [`OpenArray::try_add_field`].
    pub fn try_add_field<T: FieldValue>(&mut self, field: Field<T>) -> Result<Field<T>, OpenError> {
        self.array.try_add_field(field)
    }

    /// Removes the field of a name and returns what type it had. The others keep their values.
    ///
    /// # Complexity
    ///
    /// O(all data), which moves.
    pub fn remove_field(&mut self, name: IdString32) -> Option<FieldType> {
        self.array.remove_field(name)
    }

    /// Returns the value of a field, or `None` where there is no such field.
    ///
    /// # Complexity
    ///
    /// O(1) for a field that is resolved, else O(fields).
    #[inline]
    #[must_use]
    pub fn get<T: FieldValue>(&self, field: Field<T>) -> Option<T> {
        self.array.get(0, field)
    }

    /// Sets the value of a field. Returns whether there is such a field.
    ///
    /// # Complexity
    ///
    /// As that of [`get`](Self::get).
    #[inline]
    pub fn set<T: FieldValue>(&mut self, field: Field<T>, value: T) -> bool {
        self.array.set(0, field, value)
    }

    /// Returns the value of a field, whatever its type.
    ///
    /// # Complexity
    ///
    /// O(fields).
    #[must_use]
    pub fn value(&self, name: IdString32) -> Option<OpenValue<'_>> {
        self.array.value(0, name)
    }

    /// Returns the text of a field, or `None` where there is no such text.
    ///
    /// # Complexity
    ///
    /// O(fields + text).
    #[must_use]
    pub fn text(&self, name: IdString32) -> Option<&str> {
        self.array.text(0, name)
    }

    /// Sets a field, of the value's type, which is added where there is none.
    ///
    /// # Complexity
    ///
    /// O(fields + content) amortised, O(all data) where a field is added.
    ///
    /// # Errors
    ///
    /// [`OpenError::Memory`], [`OpenError::Taken`] or [`OpenError::Fields`]; nothing has changed.
    pub fn try_put(&mut self, name: IdString32, value: OpenValue<'_>) -> Result<(), OpenError> {
        let fields = self.fields().len();
        let index = self.array.try_add(name, value.field_type())?;
        self.array.try_set_value(0, name, value).map(drop).map_err(|error| {
            if index == fields {
                self.array.take_out(index);
            }
            error.into()
        })
    }

    /// Visits some fields together, as [`OpenArray::sweep`] does, so that a function over fields
    /// needs to be written once. Returns whether the struct has all of them.
    ///
    /// # Complexity
    ///
    /// O(fields).
    ///
    /// # Panics
    ///
    /// If a field that is written is named twice.
    #[inline]
    pub fn sweep<F: FieldSet>(&mut self, fields: F, visit: impl FnMut(F::Items<'_>)) -> bool {
        self.array.sweep(fields, visit)
    }

    /// Takes out of the tail what is no longer used.
    ///
    /// # Complexity
    ///
    /// O(all data).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for a new block; nothing has changed.
    pub fn try_compact(&mut self) -> Result<(), GrowError> {
        self.array.try_compact()
    }

    /// Returns a copy, whose memory is from `memory`.
    ///
    /// # Complexity
    ///
    /// O(bytes): one copy of the block.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_clone<'b>(
        &self,
        memory: &'b (dyn Allocator + 'b),
    ) -> Result<OpenStruct<'b>, GrowError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<OpenStruct<'b, B>, GrowError> {
        Ok(OpenStruct { array: self.array.try_clone_in(memory)? })
    }

    /// Appends the struct to `to` as bytes, which [`try_open`](Self::try_open) opens again.
    ///
    /// # Complexity
    ///
    /// O(all data).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; `to` is as it was.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        to: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        self.array.try_save(to)
    }

    /// Writes the struct as a JSON object, names as [`OpenArray::write_json`] does.
    ///
    /// # Complexity
    ///
    /// O(all data); nothing is allocated here.
    ///
    /// # Errors
    ///
    /// What the sink refuses, and numbers that are not finite.
    pub fn write_json<'n>(
        &self,
        names: impl Fn(IdString32) -> Option<&'n str>,
        to: &mut dyn fmt::Write,
    ) -> fmt::Result {
        self.array.write_row(0, &names, &mut JsonWriter::new(to))
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for OpenStruct<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.fields().map(|(name, _)| (name, self.value(name)));
        f.debug_map().entries(values.filter_map(|(name, value)| Some((name, value?)))).finish()
    }
}
