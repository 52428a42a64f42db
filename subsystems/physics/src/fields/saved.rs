//! Fields as bytes, with a saved game.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::HoleTable;

use super::{Fields, FieldsError};

impl<'m, A: Allocator + ?Sized> Fields<'m, A> {
    /// Appends the fields that were added, with their ids. Definitions are not in it: they are resources.
    ///
    /// # Complexity
    ///
    /// O(fields): 112 bytes each.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing was appended then.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        let start = out.len();
        out.try_resize(start + self.instances.saved_len(), 0)?;
        if self.instances.save(&mut out[start..]).is_err() {
            unreachable!("there are as many bytes as the table needs");
        }
        Ok(())
    }

    /// Replaces the fields that were added by those that were saved; they have the same ids.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`FieldsError`] if the bytes are damaged, if a field in them is of no definition, or if there is no
    /// memory. Nothing has changed then.
    pub fn try_load(&mut self, saved: &[u8]) -> Result<(), FieldsError> {
        let loaded = HoleTable::restore_in(saved, self.memory);
        let loaded: HoleTable<'m, super::Instance, _, _, _, A> =
            loaded.map_err(|error| FieldsError::Saved { offset: error.offset })?;
        for (_, field) in loaded.iter_with_ids() {
            if !self.is_defined(field.name()) {
                return Err(FieldsError::Unknown { name: field.name() });
            }
            if !field.is_finite() {
                return Err(FieldsError::Place { name: field.name() });
            }
        }
        self.instances = loaded;
        Ok(())
    }
}
