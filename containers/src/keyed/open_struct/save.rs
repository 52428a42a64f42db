//! Open arrays as bytes, and back.
//!
//! ```text
//! magic | version, layout | fields | rows | tail words | data | fields: 12 bytes each | tail |
//! ```
//!
//! The words are those of the array, in the machine's order of bytes, without room for more rows.

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::keyed::open_struct::error::{OpenDamage, OpenError};
use crate::keyed::open_struct::field::FieldType;
use crate::keyed::open_struct::shape::{FIELD_WORDS, Shape};
use crate::keyed::open_struct::value::{OpenValue, Walk};
use crate::keyed::open_struct::{OPEN_FIELDS_MAX, OpenArray, OpenLayout};

/// "LoOp", which reads otherwise where the order of bytes is another.
const MAGIC: u32 = u32::from_be_bytes(*b"LoOp");
const VERSION: u32 = 1;
const HEADER_WORDS: usize = 5;

impl<'a> OpenArray<'a> {
    /// Opens an array that [`try_save`](Self::try_save) saved, from untrusted bytes. They may be at
    /// any address.
    ///
    /// # Complexity
    ///
    /// O(bytes): they are copied and checked, each once.
    ///
    /// # Errors
    ///
    /// [`OpenError::Damage`] says where the bytes are wrong and how; bytes from a machine with the
    /// other order of bytes are refused, too. [`OpenError::Memory`] if there is no memory for a
    /// copy of the bytes; never is more asked for than `bytes` are.
    pub fn try_open(bytes: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, OpenError> {
        Self::try_open_in(bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> OpenArray<'a, A> {
    /// Appends the array to `to` as bytes, which [`try_open`](Self::try_open) opens again.
    ///
    /// Rows of an array without fields hold nothing, and all but the first are not saved: a reader
    /// must not accept a number of rows for which there are no bytes.
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
        let shape = self.shape;
        let saved = Shape { capacity: shape.rows, ..shape };
        to.try_reserve(4 * (HEADER_WORDS + saved.len()))?;
        let kind = VERSION << 8 | shape.layout as u32;
        let rows = if shape.fields == 0 { shape.rows.min(1) } else { shape.rows };
        let header = [MAGIC, kind, shape.fields, rows, shape.tail];
        to.try_extend_from_slice(bytemuck::cast_slice(&header))?;
        let mut words = |from: usize, count: usize| {
            to.try_extend_from_slice(bytemuck::cast_slice(&self.words[from..from + count]))
        };
        match shape.layout {
            OpenLayout::ArrayOfStructs => {
                words(0, saved.fields_start())?;
            }
            OpenLayout::StructOfArrays => {
                for index in 0..shape.fields as usize {
                    let place = self.place(index);
                    words(shape.at(0, place), place.words * shape.rows as usize)?;
                }
            }
        }
        words(shape.fields_start(), shape.len() - shape.fields_start())
    }

    /// As [`try_open`](Self::try_open), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_open`](Self::try_open).
    pub fn try_open_in(bytes: &[u8], memory: &'a A) -> Result<Self, OpenError> {
        let shape = read_header(bytes)?;
        let mut words = Array::try_with_capacity_in(shape.len(), memory)?;
        words.try_resize(shape.len(), 0)?;
        let room: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        room.copy_from_slice(&bytes[4 * HEADER_WORDS..]);
        let mut array = OpenArray { words, shape };
        array.shape.stride = array.check_fields()?;
        if array.shape.checked_len() != Ok(array.words.len()) {
            return Err(damage(0, "the fields and rows do not make up the bytes").into());
        }
        array.shape.dead = array.check_contents()?;
        Ok(array)
    }

    /// Checks all invariants.
    ///
    /// # Complexity
    ///
    /// O(all data).
    ///
    /// # Errors
    ///
    /// The first that does not hold, and at which byte of the saved form. An array that was made by
    /// this type's operations has none.
    pub fn validate(&self) -> Result<(), OpenDamage> {
        if self.shape.len() != self.words.len() || self.shape.rows > self.shape.capacity {
            return Err(damage(0, "the fields and rows do not make up the block"));
        }
        if self.check_fields()? != self.shape.stride {
            return Err(damage(0, "the fields do not make up a row"));
        }
        if self.check_contents()? != self.shape.dead {
            return Err(damage(0, "the unused words of the tail are counted wrong"));
        }
        Ok(())
    }

    /// Checks the fields and returns the words of a row.
    fn check_fields(&self) -> Result<u32, OpenDamage> {
        let mut stride = 0;
        let (start, end) = (self.shape.fields_start(), self.shape.tail_start());
        for (index, field) in self.words[start..end].chunks_exact(FIELD_WORDS).enumerate() {
            let at = start + FIELD_WORDS * index;
            let Some(field_type) = FieldType::from_word(field[1]) else {
                return Err(damage(at + 1, "there is no such type"));
            };
            if field[2] != stride {
                return Err(damage(at + 2, "a field does not follow the one before it"));
            }
            if self.words[start..at].chunks_exact(FIELD_WORDS).any(|other| other[0] == field[0]) {
                return Err(damage(at, "two fields have one name"));
            }
            stride += field_type.words();
        }
        Ok(stride)
    }

    /// Checks what is in the tail and returns how many of its words are unused.
    fn check_contents(&self) -> Result<u32, OpenDamage> {
        let tail = &self.words[self.shape.tail_start()..];
        let mut dead = self.shape.tail as usize;
        for index in 0..self.shape.fields as usize {
            for row in 0..self.len() {
                let Some((start, len)) = self.content(row, index) else { break };
                let cell = self.shape.at(row, self.place(index));
                let count = self.content_words(index, len);
                // Counted before they are read, so that forged offsets cannot make it read the same
                // words many times.
                dead = dead
                    .checked_sub(count)
                    .ok_or(damage(cell, "the contents are longer than the tail together"))?;
                if len == 0 && start != 0 {
                    return Err(damage(cell, "an empty content has an offset"));
                }
                let Some(words) = tail.get(start as usize..).and_then(|rest| rest.get(..count))
                else {
                    return Err(damage(cell, "a content lies beyond the tail"));
                };
                let at = self.shape.tail_start() + start as usize;
                check_content(self.value_at(row, index), words.len())
                    .map_err(|(offset, reason)| damage(at + offset, reason))?;
            }
        }
        Ok(dead as u32)
    }
}

/// Checks a content of `words` words; an error has the offset in words.
fn check_content(value: Option<OpenValue<'_>>, words: usize) -> Result<(), (usize, &'static str)> {
    let mut walk = match value {
        None => return Err((0, "this is no text in UTF-8")),
        Some(OpenValue::List(list)) => Walk::of_list(list),
        Some(OpenValue::Dictionary(dictionary)) => Walk::of_dictionary(dictionary),
        Some(_) => return Ok(()),
    };
    loop {
        match walk.next() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err((left, reason)) => return Err((words.saturating_sub(left), reason)),
        }
    }
}

/// Reads the header; the shape's number of words is that of the bytes after it, as the stride is
/// not yet known.
fn read_header(bytes: &[u8]) -> Result<Shape, OpenDamage> {
    let word = |index: usize| {
        let bytes = bytes.get(4 * index..4 * index + 4)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    let cut = |index: usize| OpenDamage::new(4 * index, "the bytes end within the header");
    let header = |index: usize| word(index).ok_or(cut(index));
    if header(0)?.swap_bytes() == MAGIC {
        return Err(OpenDamage::new(0, "this was saved in the other order of bytes"));
    }
    if header(0)? != MAGIC {
        return Err(OpenDamage::new(0, "this is no open array"));
    }
    let layout = match header(1)?.checked_sub(VERSION << 8) {
        Some(0) => OpenLayout::ArrayOfStructs,
        Some(1) => OpenLayout::StructOfArrays,
        _ => return Err(OpenDamage::new(4, "there is no such version or layout")),
    };
    let (fields, rows, tail) = (header(2)?, header(3)?, header(4)?);
    if fields > OPEN_FIELDS_MAX {
        return Err(OpenDamage::new(8, "there are more than 256 fields"));
    }
    if fields == 0 && rows > 1 {
        return Err(OpenDamage::new(12, "there are rows without a field"));
    }
    let behind = bytes.len() - 4 * HEADER_WORDS;
    let words = u32::try_from(behind / 4)
        .map_err(|_| OpenDamage::new(0, "there are more words than an array has"))?;
    if !behind.is_multiple_of(4) {
        return Err(OpenDamage::new(bytes.len(), "the bytes end within a word"));
    }
    let known = u64::from(fields) * FIELD_WORDS as u64 + u64::from(tail);
    let Some(data) = u64::from(words).checked_sub(known) else {
        return Err(OpenDamage::new(
            bytes.len(),
            "the bytes end before the fields and the tail do",
        ));
    };
    let stride = if rows == 0 { 0 } else { data / u64::from(rows) };
    if stride * u64::from(rows) != data {
        return Err(OpenDamage::new(12, "the rows do not make up the data"));
    }
    let stride = stride as u32;
    Ok(Shape { layout, fields, stride, rows, capacity: rows, tail, dead: 0 })
}

/// Returns damage at a word after the header.
const fn damage(word: usize, reason: &'static str) -> OpenDamage {
    OpenDamage::new(4 * (HEADER_WORDS + word), reason)
}
