//! Tags as bytes, and from bytes.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::IdString32;

use super::{Carried, Tags, error};
use crate::dense::Dense;
use crate::saved::{LoadError, SavedBytes, put_column, put_count, put_entities};

/// The most tags of an entity in a file: what they are is compared with each other.
const TAGS_MAX: usize = 4096;

impl<'a, A: Allocator + ?Sized> Tags<'a, A> {
    /// Appends all tags to `out`, in the machine's order, for [`try_load`](Self::try_load).
    ///
    /// # Complexity
    ///
    /// O(tags of all entities).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        put_count(self.tags.len(), out)?;
        for (tag, row) in &self.tags {
            let entities = self.entities.row(*row).unwrap_or_default();
            put_column(&[tag.hash()], out)?;
            put_count(entities.len(), out)?;
            put_entities(entities, out)?;
        }
        self.dense.try_save(out)?;
        for list in &self.lists {
            put_count(self.carried.iter(*list).count(), out)?;
            for carried in self.carried.iter(*list) {
                put_column(&[carried.tag.hash(), carried.place], out)?;
            }
        }
        Ok(())
    }

    /// Returns the tags that were saved, in the order that they had. Which of the entities are
    /// alive, it does not know.
    ///
    /// # Complexity
    ///
    /// O(slots + tags of all entities, those of one squared).
    ///
    /// # Errors
    ///
    /// [`LoadError`] says what is wrong with the bytes, or that there is no memory.
    pub fn try_load(bytes: &[u8], memory: &'a A) -> Result<Self, LoadError> {
        let mut from = SavedBytes::new(bytes);
        let mut tags = Self::new_in(memory);
        for _ in 0..from.count(8)? {
            tags.load_row(&mut from)?;
        }
        tags.dense = Dense::try_load(&mut from, memory)?;
        let count = tags.dense.entities().len();
        tags.lists.try_reserve(count)?;
        for _ in 0..count {
            tags.load_list(&mut from)?;
        }
        from.end()?;
        tags.validate()?;
        Ok(tags)
    }

    /// Reads a tag with its entities.
    fn load_row(&mut self, from: &mut SavedBytes<'_>) -> Result<(), LoadError> {
        let at = from.offset();
        let tag = IdString32::from_hash(from.number()?);
        let count = from.count(4)?;
        let entities = from.entities(count, self.lists.memory())?;
        self.tags.try_reserve(1)?;
        let row = self.entities.try_add_row()?;
        if self.tags.insert(tag, row).is_some() {
            return Err(LoadError::wrong("a tag is there twice", at));
        }
        for entity in &entities {
            self.entities.try_push(row, *entity).map_err(error::grow_row)?;
        }
        Ok(())
    }

    /// Reads the tags of an entity.
    fn load_list(&mut self, from: &mut SavedBytes<'_>) -> Result<(), LoadError> {
        let at = from.offset();
        let count = from.count(8)?;
        if !(1..=TAGS_MAX).contains(&count) {
            return Err(LoadError::wrong("an entity carries no tags, or more than 4096", at));
        }
        let list = self.carried.try_create()?;
        self.lists.push(list);
        for _ in 0..count {
            let tag = IdString32::from_hash(from.number()?);
            let place = from.number()?;
            let row = self.tags.get(&tag).copied();
            let row = row.ok_or(LoadError::wrong("an entity carries an unknown tag", at))?;
            let carried = Carried { tag, row, place };
            self.carried.try_push(list, carried).map_err(error::grow_list)?;
        }
        Ok(())
    }
}
