//! The array of structs whose fields are known at run time: fields, rows and how they move.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::keyed::open_struct::error::OpenError;
use crate::keyed::open_struct::field::{Field, FieldType, FieldValue};
use crate::keyed::open_struct::shape::{FIELD_WORDS, Place, Shape};
use crate::keyed::open_struct::{OPEN_FIELDS_MAX, OpenLayout};

/// Structs of one kind whose fields are known at run time, in one block.
///
/// Each field has a hashed name and a [`FieldType`], and may be added and removed while there are
/// rows. A function asks for the fields it works on and does nothing where they are absent:
/// [`sweep`](Self::sweep) visits them in all rows as quickly as a loop over a slice of native
/// structs.
///
/// ```text
/// words   | data: room for capacity rows | name type offset | .. | tail: text, lists, dictionaries |
///
/// data, ArrayOfStructs   | a0 b0 c0 | a1 b1 c1 | a2 b2 c2 | room ..   |
/// data, StructOfArrays   | a0 a1 a2 room .. | b0 b1 b2 room .. | c0 c1 c2 room .. |
/// ```
///
/// What has no fixed size is in the tail, and its offset and length in the row. Writing it again
/// appends to the tail; [`try_compact`](Self::try_compact) takes out what is no longer used.
///
/// # Complexity
///
/// A field is found in O(fields), which are few: do it once, not for each row. Adding or removing a
/// field moves all data. A row is added in O(fields) amortised and removed in O(fields).
///
/// # Memory
///
/// Nothing while it is empty. Then one block: 12 bytes a field, the bytes of the fields' values a
/// row, with room for as many rows again after growing, and the tail. No padding: all values are
/// whole words, and a `bool` is one, too. The object is 56 bytes, 64 with `dyn Allocator`.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # When not to use it
///
/// Where the fields are known when the program is compiled, a struct is plainer. For objects that
/// all have other fields, take `KeyValues`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Field, OpenArray, OpenLayout};
/// use loligo_ids::id32;
///
/// const POSITION: Field<[f32; 3]> = Field::new(id32!("position"));
/// const VELOCITY: Field<[f32; 3]> = Field::new(id32!("velocity"));
///
/// /// Moves whatever has a position and a velocity.
/// fn integrate_position(objects: &mut OpenArray<'_>, dt: f32) {
///     objects.sweep((POSITION.write(), VELOCITY.read()), |(position, velocity)| {
///         for axis in 0..3 {
///             position[axis] += velocity[axis] * dt;
///         }
///     });
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut sparks: OpenArray = OpenArray::new(OpenLayout::StructOfArrays, &MEMORY);
/// sparks.try_add_field(POSITION)?;
/// sparks.push();
/// integrate_position(&mut sparks, 0.5);
/// assert_eq!(sparks.get(0, POSITION), Some([0.0; 3]));
///
/// sparks.try_add_field(VELOCITY)?;
/// sparks.set(0, VELOCITY, [2.0, 0.0, 4.0]);
/// integrate_position(&mut sparks, 0.5);
/// assert_eq!(sparks.get(0, POSITION), Some([1.0, 0.0, 2.0]));
/// # Ok::<(), loligo_containers::OpenError>(())
/// ```
///
/// # Invariants
///
/// 1. `words` are as many as `shape` says; `shape.rows <= shape.capacity`, and both fit its fields.
/// 2. The words of field `n` begin `3 * n` words after the data: a name that no other has, a
///    [`FieldType`], and an offset, which is the sum of the words of the fields before it.
///    `shape.stride` is the sum of all.
/// 3. A field in the tail has an offset and a length in each row that are within the tail and name
///    sound content, or are both 0. The words of all these contents together and `shape.dead` are
///    `shape.tail`.
///
/// Memory safety rests on the first two; the third is checked again by readers.
pub struct OpenArray<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(super) words: Array<'a, u32, A>,
    pub(super) shape: Shape,
}

impl<'a> OpenArray<'a> {
    /// Returns an array without fields and rows, which takes its memory from `memory` when it needs
    /// some.
    #[must_use]
    pub const fn new(layout: OpenLayout, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(layout, memory)
    }
}

impl<'a, A: Allocator + ?Sized> OpenArray<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(layout: OpenLayout, memory: &'a A) -> Self {
        Self { words: Array::new_in(memory), shape: Shape::empty(layout) }
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.words.memory()
    }

    /// Returns how the rows are in memory.
    #[must_use]
    pub const fn layout(&self) -> OpenLayout {
        self.shape.layout
    }

    /// Returns how many rows there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.shape.rows as usize
    }

    /// Returns `true` if there are no rows.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.shape.rows == 0
    }

    /// Returns how many rows there is room for.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.shape.capacity as usize
    }

    /// Returns the bytes of the tail, and how many of them are used no more and go with
    /// [`try_compact`](Self::try_compact).
    #[must_use]
    pub const fn tail_bytes(&self) -> (usize, usize) {
        (4 * self.shape.tail as usize, 4 * self.shape.dead as usize)
    }

    /// Visits the names and types of the fields, in the order in which they were added.
    ///
    /// # Complexity
    ///
    /// O(1) a field.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (IdString32, FieldType)> + '_ {
        (0..self.shape.fields as usize).map(|index| (self.name(index), self.field_type(index)))
    }

    /// Returns the field of a name, if there is one of this type.
    ///
    /// # Complexity
    ///
    /// O(fields).
    #[must_use]
    pub fn field<T: FieldValue>(&self, name: IdString32) -> Option<Field<T>> {
        let index = self.index(name)?;
        (self.field_type(index) == T::TYPE).then_some(Field::seen(name, index as u32))
    }

    /// Returns the type of the field of a name, if there is one.
    ///
    /// # Complexity
    ///
    /// O(fields).
    #[must_use]
    pub fn type_of(&self, name: IdString32) -> Option<FieldType> {
        self.index(name).map(|index| self.field_type(index))
    }

    /// Adds a field, unless there is such a one, and returns it resolved. It is 0 in all rows.
    ///
    /// # Complexity
    ///
    /// O(all data), which moves: 0 for a field that is there.
    ///
    /// # Errors
    ///
    /// [`OpenError::Memory`], [`OpenError::Taken`] or [`OpenError::Fields`]; nothing has changed.
    pub fn try_add_field<T: FieldValue>(&mut self, field: Field<T>) -> Result<Field<T>, OpenError> {
        let index = self.try_add(field.name(), T::TYPE)?;
        Ok(Field::seen(field.name(), index as u32))
    }

    /// Adds a field as [`try_add_field`](Self::try_add_field) does, also one in the tail.
    ///
    /// # Complexity
    ///
    /// As that of [`try_add_field`](Self::try_add_field).
    ///
    /// # Errors
    ///
    /// As those of [`try_add_field`](Self::try_add_field).
    pub fn try_add_typed(
        &mut self,
        name: IdString32,
        field_type: FieldType,
    ) -> Result<(), OpenError> {
        self.try_add(name, field_type).map(drop)
    }

    /// Removes the field of a name and returns what type it had. The other fields keep their
    /// values.
    ///
    /// # Complexity
    ///
    /// O(all data), which moves.
    pub fn remove_field(&mut self, name: IdString32) -> Option<FieldType> {
        let index = self.index(name)?;
        let field_type = self.field_type(index);
        self.take_out(index);
        Some(field_type)
    }

    /// Makes room for `more` rows, and for growing after that row by row.
    ///
    /// # Complexity
    ///
    /// O(all data) where it must grow.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        let wanted = u64::from(self.shape.rows).saturating_add(more as u64);
        if wanted <= u64::from(self.shape.capacity) {
            return Ok(());
        }
        let limit = u64::from(u32::MAX);
        let needed = u32::try_from(wanted).map_err(|_| GrowError::Length { wanted, limit })?;
        let doubled = self.shape.capacity.saturating_mul(2).max(needed).max(8);
        match self.widen(doubled) {
            // Where twice as much is not to be had, what is needed may be.
            Err(_) if doubled > needed => self.widen(needed),
            done => done,
        }
    }

    /// Appends a row in which all is 0 and empty, and returns its number.
    ///
    /// # Complexity
    ///
    /// O(fields) amortised, O(all data) where it must grow.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_push(&mut self) -> Result<usize, GrowError> {
        if self.shape.rows == self.shape.capacity {
            self.try_reserve(1)?;
        }
        let row = self.shape.rows as usize;
        match self.shape.layout {
            OpenLayout::ArrayOfStructs => {
                let start = row * self.shape.stride as usize;
                self.words[start..start + self.shape.stride as usize].fill(0);
            }
            OpenLayout::StructOfArrays => {
                for index in 0..self.shape.fields as usize {
                    let place = self.place(index);
                    let start = self.shape.at(row, place);
                    self.words[start..start + place.words].fill(0);
                }
            }
        }
        self.shape.rows += 1;
        Ok(row)
    }

    /// Appends a row as [`try_push`](Self::try_push) does.
    ///
    /// # Complexity
    ///
    /// As that of [`try_push`](Self::try_push).
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn push(&mut self) -> usize {
        or_panic(self.try_push())
    }

    /// Removes a row and puts the last one into its place. Returns whether there was such a row.
    ///
    /// # Complexity
    ///
    /// O(fields).
    pub fn swap_remove(&mut self, row: usize) -> bool {
        let Some(last) = self.len().checked_sub(1).filter(|last| row <= *last) else {
            return false;
        };
        for index in 0..self.shape.fields as usize {
            self.forget_content(index, row);
            let place = self.place(index);
            let from = self.shape.at(last, place);
            self.words.copy_within(from..from + place.words, self.shape.at(row, place));
        }
        self.shape.rows -= 1;
        true
    }

    /// Removes all rows beyond the first `len`.
    ///
    /// # Complexity
    ///
    /// O(1), and O(rows removed) for each field in the tail.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        for index in 0..self.shape.fields as usize {
            if self.field_type(index).in_tail() {
                for row in len..self.len() {
                    self.forget_content(index, row);
                }
            }
        }
        self.shape.rows = len as u32;
    }

    /// Removes all rows and keeps the fields and the block.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn clear(&mut self) {
        self.shape.rows = 0;
        self.shape.tail = 0;
        self.shape.dead = 0;
        self.words.truncate(self.shape.len());
    }

    /// Returns the value of a field in a row, or `None` where there is no such field or row.
    ///
    /// # Complexity
    ///
    /// O(1) for a field that [`field`](Self::field) returned, else O(fields).
    #[inline(always)]
    #[must_use]
    pub fn get<T: FieldValue>(&self, row: usize, field: Field<T>) -> Option<T> {
        let at = self.find(row, field)?;
        let words = &self.words[at..at + T::TYPE.words() as usize];
        // SAFETY: the words are as many bytes as a `T`, aligned to 4, and any bits are a valid `T`,
        // as `FieldValue` and `Field` have it.
        Some(unsafe { words.as_ptr().cast::<T>().read() })
    }

    /// Sets the value of a field in a row. Returns whether there is such a field and row.
    ///
    /// # Complexity
    ///
    /// As that of [`get`](Self::get).
    #[inline(always)]
    pub fn set<T: FieldValue>(&mut self, row: usize, field: Field<T>, value: T) -> bool {
        let Some(at) = self.find(row, field) else { return false };
        let words = &mut self.words[at..at + T::TYPE.words() as usize];
        // SAFETY: the words are as many bytes as a `T`, aligned to 4; a `T` has no padding, so all
        // of them stay initialised.
        unsafe { words.as_mut_ptr().cast::<T>().write(value) };
        true
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
    ) -> Result<OpenArray<'b>, GrowError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<OpenArray<'b, B>, GrowError> {
        let mut words = Array::try_with_capacity_in(self.words.len(), memory)?;
        words.try_extend_from_slice(&self.words)?;
        Ok(OpenArray { words, shape: self.shape })
    }

    #[inline(always)]
    fn find<T: FieldValue>(&self, row: usize, field: Field<T>) -> Option<usize> {
        if row >= self.len() {
            return None;
        }
        Some(self.shape.at(row, self.resolve(field)?))
    }

    /// Returns the place of a field, or `None` where there is none of its name and type.
    #[inline(always)]
    pub(super) fn resolve<T: FieldValue>(&self, field: Field<T>) -> Option<Place> {
        let words = T::TYPE.words() as usize;
        if field.hint() < self.shape.fields {
            let at = self.shape.fields_start() + FIELD_WORDS * field.hint() as usize;
            let found = &self.words[at..at + FIELD_WORDS];
            if found[0] == field.name().hash() && found[1] == T::TYPE as u32 {
                return Some(Place { offset: found[2] as usize, words });
            }
        }
        self.search(field.name(), T::TYPE)
    }

    #[inline(never)]
    fn search(&self, name: IdString32, field_type: FieldType) -> Option<Place> {
        let index = self.index(name)?;
        (self.field_type(index) == field_type).then_some(self.place(index))
    }

    /// Returns the number of the field of a name.
    pub(super) fn index(&self, name: IdString32) -> Option<usize> {
        let words = &self.words[self.shape.fields_start()..self.shape.tail_start()];
        words.chunks_exact(FIELD_WORDS).position(|field| field[0] == name.hash())
    }

    #[inline]
    pub(super) fn name(&self, index: usize) -> IdString32 {
        IdString32::from_hash(self.words[self.shape.fields_start() + FIELD_WORDS * index])
    }

    #[inline]
    pub(super) fn field_type(&self, index: usize) -> FieldType {
        let word = self.words[self.shape.fields_start() + FIELD_WORDS * index + 1];
        FieldType::from_word(word).expect("words of fields name types (invariant 2)")
    }

    #[inline]
    pub(super) fn place(&self, index: usize) -> Place {
        let offset = self.words[self.shape.fields_start() + FIELD_WORDS * index + 2] as usize;
        Place { offset, words: self.field_type(index).words() as usize }
    }

    /// Adds a field, unless there is such a one, and returns its number.
    pub(super) fn try_add(
        &mut self,
        name: IdString32,
        wanted: FieldType,
    ) -> Result<usize, OpenError> {
        if let Some(index) = self.index(name) {
            let has = self.field_type(index);
            let same = has == wanted;
            return if same { Ok(index) } else { Err(OpenError::Taken { name, has, wanted }) };
        }
        if self.shape.fields == OPEN_FIELDS_MAX {
            return Err(OpenError::Fields);
        }
        let old = self.shape;
        let (fields, stride) = (old.fields + 1, old.stride + wanted.words());
        let new = Shape { fields, stride, ..old };
        self.lengthen(new)?;
        // All moves up, so whatever comes last goes first.
        self.words.copy_within(old.tail_start()..old.len(), new.tail_start());
        self.words.copy_within(old.fields_start()..old.tail_start(), new.fields_start());
        match old.layout {
            OpenLayout::ArrayOfStructs => {
                let (before, after) = (old.stride as usize, new.stride as usize);
                for row in (0..old.rows as usize).rev() {
                    let (from, to) = (row * before, row * after);
                    self.words.copy_within(from..from + before, to);
                    self.words[to + before..to + after].fill(0);
                }
            }
            OpenLayout::StructOfArrays => {
                self.words[old.fields_start()..new.fields_start()].fill(0);
            }
        }
        let described = [name.hash(), wanted as u32, old.stride];
        self.words[new.tail_start() - FIELD_WORDS..new.tail_start()].copy_from_slice(&described);
        self.shape = new;
        Ok(old.fields as usize)
    }

    /// Removes a field by its number.
    pub(super) fn take_out(&mut self, index: usize) {
        for row in 0..self.len() {
            self.forget_content(index, row);
        }
        let (old, place) = (self.shape, self.place(index));
        let stride = old.stride - place.words as u32;
        let new = Shape { fields: old.fields - 1, stride, ..old };
        // All moves down, so whatever comes first goes first.
        let end = place.offset + place.words;
        match old.layout {
            OpenLayout::ArrayOfStructs => {
                for row in 0..old.rows as usize {
                    let (from, to) = (row * old.stride as usize, row * stride as usize);
                    self.words.copy_within(from..from + place.offset, to);
                    let behind = from + end..from + old.stride as usize;
                    self.words.copy_within(behind, to + place.offset);
                }
            }
            OpenLayout::StructOfArrays => {
                let capacity = old.capacity as usize;
                let behind = end * capacity..old.fields_start();
                self.words.copy_within(behind, place.offset * capacity);
            }
        }
        let field = old.fields_start() + FIELD_WORDS * index;
        self.words.copy_within(old.fields_start()..field, new.fields_start());
        let behind = field + FIELD_WORDS..old.tail_start();
        self.words.copy_within(behind, new.fields_start() + FIELD_WORDS * index);
        for later in index..new.fields as usize {
            let offset = new.fields_start() + FIELD_WORDS * later + 2;
            self.words[offset] -= place.words as u32;
        }
        self.words.copy_within(old.tail_start()..old.len(), new.tail_start());
        self.words.truncate(new.len());
        self.shape = new;
    }

    /// Makes room for `capacity` rows, which are more than there is room for.
    fn widen(&mut self, capacity: u32) -> Result<(), GrowError> {
        let old = self.shape;
        let new = Shape { capacity, ..old };
        self.lengthen(new)?;
        // All moves up, so whatever comes last goes first.
        self.words.copy_within(old.tail_start()..old.len(), new.tail_start());
        self.words.copy_within(old.fields_start()..old.tail_start(), new.fields_start());
        self.shape = new;
        if old.layout == OpenLayout::StructOfArrays {
            for index in (0..old.fields as usize).rev() {
                let place = self.place(index);
                let from = old.at(0, place);
                let column = from..from + place.words * old.rows as usize;
                self.words.copy_within(column, new.at(0, place));
            }
        }
        Ok(())
    }

    /// Makes the words as many as a longer shape has; those there were stay where they are.
    fn lengthen(&mut self, new: Shape) -> Result<(), GrowError> {
        self.words.try_resize(new.checked_len()?, 0)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for OpenArray<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Row<'r, 'a, A: Allocator + ?Sized>(&'r OpenArray<'a, A>, usize);
        impl<A: Allocator + ?Sized> fmt::Debug for Row<'_, '_, A> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let values = self.0.fields().map(|(name, _)| (name, self.0.value(self.1, name)));
                let known = values.filter_map(|(name, value)| Some((name, value?)));
                f.debug_map().entries(known).finish()
            }
        }
        f.debug_list().entries((0..self.len()).map(|row| Row(self, row))).finish()
    }
}
