//! Values of any type in an open array, and the tail that holds those without a fixed size.

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::keyed::open_struct::OpenArray;
use crate::keyed::open_struct::error::OpenError;
use crate::keyed::open_struct::field::FieldType;
use crate::keyed::open_struct::shape::Shape;
use crate::keyed::open_struct::value::{NEST_MAX, OpenValue, TailWords, from_block, from_tail};

impl<A: Allocator + ?Sized> OpenArray<'_, A> {
    /// Returns the value of a field in a row, whatever its type, or `None` where there is no such
    /// field or row.
    ///
    /// # Complexity
    ///
    /// O(fields); text is checked to be UTF-8.
    #[must_use]
    pub fn value(&self, row: usize, name: IdString32) -> Option<OpenValue<'_>> {
        let index = self.index(name)?;
        if row < self.len() { self.value_at(row, index) } else { None }
    }

    /// Returns the text of a field in a row, or `None` where there is no such text.
    ///
    /// # Complexity
    ///
    /// As that of [`value`](Self::value).
    #[must_use]
    pub fn text(&self, row: usize, name: IdString32) -> Option<&str> {
        match self.value(row, name)? {
            OpenValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Sets the value of a field in a row. Returns whether there is such a field, of the value's
    /// type, and such a row.
    ///
    /// Text, a list or a dictionary, which may come from another array, is copied to the end of the
    /// tail; its old content is unused from then on.
    ///
    /// # Complexity
    ///
    /// O(fields + content) amortised, O(all data) where the block must grow.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_set_value(
        &mut self,
        row: usize,
        name: IdString32,
        value: OpenValue<'_>,
    ) -> Result<bool, GrowError> {
        let Some(index) = self.index(name).filter(|_| row < self.len()) else { return Ok(false) };
        if self.field_type(index) != value.field_type() {
            return Ok(false);
        }
        if let Some((words, count)) = value.block_words() {
            let at = self.shape.at(row, self.place(index));
            self.words[at..at + count].copy_from_slice(&words[..count]);
            return Ok(true);
        }
        let start = self.shape.tail;
        let len = self.try_append(value.tail_words())?;
        self.set_content(row, index, start, len);
        Ok(true)
    }

    /// Sets a list as [`try_set_value`](Self::try_set_value) does, from its values.
    ///
    /// # Complexity
    ///
    /// As that of [`try_set_value`](Self::try_set_value).
    ///
    /// # Errors
    ///
    /// [`OpenError::Memory`], or [`OpenError::Depth`] if values would be nested too deep; nothing
    /// has changed.
    pub fn try_set_list(
        &mut self,
        row: usize,
        name: IdString32,
        values: &[OpenValue<'_>],
    ) -> Result<bool, OpenError> {
        let Some(index) = self.index(name).filter(|_| row < self.len()) else { return Ok(false) };
        if self.field_type(index) != FieldType::List {
            return Ok(false);
        }
        if values.iter().any(|value| value.depth() >= NEST_MAX) {
            return Err(OpenError::Depth);
        }
        let start = self.shape.tail;
        for value in values {
            if let Err(error) = self.try_append_value(value) {
                self.cut_tail(start);
                return Err(error.into());
            }
        }
        self.set_content(row, index, start, self.shape.tail - start);
        Ok(true)
    }

    /// Removes unused content from the tail, and the spare room for rows.
    ///
    /// # Complexity
    ///
    /// O(all data): it is copied into a new block.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the new block in addition to the old one; nothing
    /// has changed.
    pub fn try_compact(&mut self) -> Result<(), GrowError> {
        let old = self.shape;
        let tail = old.tail - old.dead;
        let wanted = Shape { capacity: old.rows, tail, dead: 0, ..old };
        let mut words = Array::try_with_capacity_in(wanted.len(), self.memory())?;
        words.try_resize(wanted.tail_start(), 0)?;
        words[wanted.fields_start()..]
            .copy_from_slice(&self.words[old.fields_start()..old.tail_start()]);
        let mut compact = OpenArray { words, shape: Shape { tail: 0, ..wanted } };
        for index in 0..old.fields as usize {
            let place = self.place(index);
            for row in 0..self.len() {
                let (from, to) = (old.at(row, place), compact.shape.at(row, place));
                let cell = &self.words[from..from + place.words];
                compact.words[to..to + place.words].copy_from_slice(cell);
                if let Some((start, len)) = self.content(row, index) {
                    let at = old.tail_start() + start as usize;
                    let words = &self.words[at..at + self.content_words(index, len)];
                    // There is room, as the contents are as long together as the shape says.
                    compact.words[to] = if len == 0 { 0 } else { compact.shape.tail };
                    compact.try_append(TailWords::Words(words))?;
                }
            }
        }
        self.words = compact.words;
        self.shape = compact.shape;
        Ok(())
    }

    /// Returns the value of a field, by its number, in a row that there is.
    pub(super) fn value_at(&self, row: usize, index: usize) -> Option<OpenValue<'_>> {
        let field_type = self.field_type(index);
        if let Some((start, len)) = self.content(row, index) {
            let tail = &self.words[self.shape.tail_start()..];
            let words = tail.get(start as usize..)?.get(..self.content_words(index, len))?;
            return from_tail(field_type, words, len as usize);
        }
        from_block(field_type, &self.words[self.shape.at(row, self.place(index))..])
    }

    /// Returns the offset and the length of what a field has in the tail, or `None` where its type
    /// has nothing there.
    pub(super) fn content(&self, row: usize, index: usize) -> Option<(u32, u32)> {
        if !self.field_type(index).in_tail() {
            return None;
        }
        let at = self.shape.at(row, self.place(index));
        Some((self.words[at], self.words[at + 1]))
    }

    /// Returns the number of tail words that a content of the given length takes.
    pub(super) fn content_words(&self, index: usize, len: u32) -> usize {
        match self.field_type(index) {
            FieldType::Text => len.div_ceil(4) as usize,
            _ => len as usize,
        }
    }

    /// Counts what a field has in the tail as no longer used, before something else is written
    /// there.
    pub(super) fn forget_content(&mut self, index: usize, row: usize) {
        if let Some((_, len)) = self.content(row, index) {
            self.shape.dead += self.content_words(index, len) as u32;
        }
    }

    /// Lets a field have what was appended to the tail.
    pub(super) fn set_content(&mut self, row: usize, index: usize, start: u32, len: u32) {
        self.forget_content(index, row);
        let at = self.shape.at(row, self.place(index));
        self.words[at] = if len == 0 { 0 } else { start };
        self.words[at + 1] = len;
    }

    /// Appends to the tail and returns the length that a field is to have for it.
    pub(super) fn try_append(&mut self, content: TailWords<'_>) -> Result<u32, GrowError> {
        let before = self.words.len();
        let len = match content {
            TailWords::Words(words) => words.len(),
            TailWords::Bytes(bytes) => bytes.len(),
        };
        let limit = u64::from(u32::MAX);
        let stored =
            u32::try_from(len).map_err(|_| GrowError::Length { wanted: len as u64, limit })?;
        match content {
            TailWords::Words(words) => self.words.try_extend_from_slice(words)?,
            TailWords::Bytes(bytes) => {
                self.words.try_resize(before + len.div_ceil(4), 0)?;
                let room: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words[before..]);
                room[..len].copy_from_slice(bytes);
            }
        }
        self.shape.tail += (self.words.len() - before) as u32;
        Ok(stored)
    }

    /// Appends a value as it is in a list.
    pub(super) fn try_append_value(&mut self, value: &OpenValue<'_>) -> Result<(), GrowError> {
        self.try_append(TailWords::Words(&[value.field_type() as u32]))?;
        if let Some((words, count)) = value.block_words() {
            self.try_append(TailWords::Words(&words[..count]))?;
            return Ok(());
        }
        let at = self.words.len();
        self.try_append(TailWords::Words(&[0]))?;
        self.words[at] = self.try_append(value.tail_words())?;
        Ok(())
    }

    /// Takes off the tail what was appended to it since it had `len` words.
    pub(super) fn cut_tail(&mut self, len: u32) {
        self.shape.tail = len;
        self.words.truncate(self.shape.len());
    }
}
