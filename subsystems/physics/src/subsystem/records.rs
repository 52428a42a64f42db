//! What a component keeps for each entity: plain data, saved as it is.

use bytemuck::Pod;
use loligo_allocators::SharedRef;
use loligo_containers::SortedMap;
use loligo_entities::{Batch, ComponentError, Entity};
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::saved::{TORN, Words, Writer};

/// Records of words by entity, in the order of the bits of entities: the same after a load.
pub(crate) struct Records<'m, T: Pod> {
    pub(crate) map: SortedMap<'m, u32, T, SubsystemMemory<'m>>,
}

impl<'m, T: Pod> Records<'m, T> {
    /// The words of a record.
    const WORDS: usize = size_of::<T>() / 4;

    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { map: SortedMap::new_in(memory) }
    }

    pub(crate) fn get(&self, entity: Entity) -> Option<&T> {
        self.map.get(&entity.to_bits())
    }

    pub(crate) fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        self.map.get_mut(&entity.to_bits())
    }

    /// Adds a record for each component of a batch: all of them, or none.
    pub(crate) fn spawn(
        &mut self,
        batch: &Batch<'_>,
        mut make: impl FnMut(usize, usize) -> T,
    ) -> Result<(), ComponentError> {
        self.map.try_reserve(batch.len() * batch.copies())?;
        for copy in 0..batch.copies() {
            for (at, entity) in batch.owners(copy).enumerate() {
                self.map.try_insert(entity.to_bits(), make(copy, at))?;
            }
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, entities: &[Entity]) {
        if !self.map.is_empty() {
            for entity in entities {
                self.map.remove(&entity.to_bits());
            }
        }
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        const { assert!(size_of::<T>().is_multiple_of(4), "a record is made of words") };
        out.word(self.map.len() as u32)?;
        for (entity, record) in self.map.iter() {
            out.word(*entity)?;
            out.bytes(bytemuck::bytes_of(record))?;
        }
        Ok(())
    }

    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let mut map = SortedMap::new_in(memory);
        for _ in 0..from.count(Self::WORDS + 1)? {
            let entity = from.entity()?;
            let record = from.plain()?;
            if map.try_insert(entity.to_bits(), record)?.is_some() {
                return Err(TORN);
            }
        }
        Ok(Self { map })
    }
}
