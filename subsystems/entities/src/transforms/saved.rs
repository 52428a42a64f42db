//! Transforms as bytes, and from bytes.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::level::Level;
use super::links::Links;
use super::{At, DEPTH_MAX, Transforms};
use crate::dense::NONE;
use crate::saved::{LoadError, SavedBytes, put_column, put_count};

impl<'a, A: Allocator + ?Sized> Transforms<'a, A> {
    /// Appends all transforms to `out`, in the machine's order, for [`try_load`](Self::try_load).
    /// What was set since the last [`update`](Self::update) is saved as if nothing were to be
    /// computed: save after an update.
    ///
    /// # Complexity
    ///
    /// O(slots + transforms).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        put_count(self.levels.len(), out)?;
        self.levels.iter().try_for_each(|level| level.try_save(out))?;
        put_count(self.links.len(), out)?;
        for &Links { parent, first, next, before } in &self.links {
            put_column(&[parent, first, next, before], out)?;
        }
        Ok(())
    }

    /// Returns the transforms that were saved, each at the same place. Which of the entities are
    /// alive, it does not know.
    ///
    /// # Complexity
    ///
    /// O(slots + transforms).
    ///
    /// # Errors
    ///
    /// [`LoadError`] says what is wrong with the bytes, or that there is no memory.
    pub fn try_load(bytes: &[u8], memory: &'a A) -> Result<Self, LoadError> {
        let mut from = SavedBytes::new(bytes);
        let levels = from.count(4)?;
        if levels > DEPTH_MAX {
            return Err(LoadError::wrong("there are more levels than there may be", 0));
        }
        let mut transforms = Self::new_in(memory);
        for _ in 0..levels {
            let level = Level::try_load(&mut from, memory)?;
            transforms.levels.try_push(level)?;
        }
        let at = from.offset();
        let slots = from.count(size_of::<Links>())?;
        let links: Array<'_, [u32; 4], A> = from.column(slots, memory)?;
        from.end()?;
        transforms.links.try_reserve(slots)?;
        for &[parent, first, next, before] in &links {
            let leads_out = |slot: u32| slot != NONE && slot as usize >= slots;
            if [parent, first, next, before].into_iter().any(leads_out) {
                return Err(LoadError::wrong("a link leads to no slot", at));
            }
            transforms.links.push(Links { parent, first, next, before });
        }
        transforms.ats.try_resize(slots, At::NOWHERE)?;
        transforms.place_all(at)?;
        transforms.validate()?;
        Ok(transforms)
    }

    /// Lets each slot lead to its instance.
    fn place_all(&mut self, offset: usize) -> Result<(), LoadError> {
        for (number, level) in self.levels.iter().enumerate() {
            for (place, entity) in level.entities().iter().enumerate() {
                let at = self.ats.get_mut(entity.index() as usize);
                match at {
                    Some(at) if *at == At::NOWHERE => *at = At::new(number, place),
                    Some(_) => return Err(LoadError::wrong("two instances have a slot", offset)),
                    None => return Err(LoadError::wrong("an instance has no slot", offset)),
                }
            }
        }
        Ok(())
    }
}
