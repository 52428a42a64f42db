//! The state of a game's physics as bytes: parts of words, one after the other.

use bytemuck::Pod;
use loligo_containers::Array;
use loligo_entities::Entity;
use loligo_interface::{SubsystemError, SubsystemMemory};

use crate::world::SnapshotError;

/// What is said of a state that does not hold together.
pub(crate) const TORN: SubsystemError = SubsystemError::Wrong {
    what: "the state of the physics is torn",
    remedy: "save the game again",
};

/// What is said of a world that cannot be read or written.
pub(crate) fn of_snapshot(error: SnapshotError) -> SubsystemError {
    match error {
        SnapshotError::Memory { bytes } => {
            SubsystemError::Grow(loligo_containers::GrowError::Memory { elements: 1, bytes })
        }
        _ => TORN,
    }
}

/// Where a state is written to.
pub(crate) struct Writer<'o, 'm> {
    pub(crate) out: &'o mut Array<'m, u8, SubsystemMemory<'m>>,
}

impl Writer<'_, '_> {
    pub(crate) fn word(&mut self, word: u32) -> Result<(), SubsystemError> {
        self.bytes(&word.to_ne_bytes())
    }

    pub(crate) fn long(&mut self, long: u64) -> Result<(), SubsystemError> {
        self.bytes(&long.to_ne_bytes())
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), SubsystemError> {
        Ok(self.out.try_extend_from_slice(bytes)?)
    }

    /// Appends a list of plain data, with its length before it.
    pub(crate) fn list<T: Pod>(&mut self, list: &[T]) -> Result<(), SubsystemError> {
        self.word(list.len() as u32)?;
        self.bytes(bytemuck::cast_slice(list))
    }
}

/// The words that are left.
pub(crate) struct Words<'b> {
    pub(crate) bytes: &'b [u8],
}

impl<'b> Words<'b> {
    pub(crate) fn word(&mut self) -> Result<u32, SubsystemError> {
        self.plain()
    }

    pub(crate) fn long(&mut self) -> Result<u64, SubsystemError> {
        self.plain()
    }

    pub(crate) fn plain<T: Pod>(&mut self) -> Result<T, SubsystemError> {
        Ok(bytemuck::pod_read_unaligned(self.take(size_of::<T>())?))
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8], SubsystemError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(TORN)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn entity(&mut self) -> Result<Entity, SubsystemError> {
        Entity::from_bits(self.word()?).ok_or(TORN)
    }

    /// Returns how many follow, of which each has as many words at the least.
    pub(crate) fn count(&mut self, words: usize) -> Result<usize, SubsystemError> {
        let count = self.word()? as usize;
        if count > self.bytes.len() / 4 / words.max(1) { Err(TORN) } else { Ok(count) }
    }

    /// Reads a list of plain data.
    pub(crate) fn list<'m, T: Pod>(
        &mut self,
        memory: loligo_allocators::SharedRef<'m>,
    ) -> Result<Array<'m, T, SubsystemMemory<'m>>, SubsystemError> {
        let mut list = Array::new_in(memory);
        for _ in 0..self.count(size_of::<T>() / 4)? {
            list.try_push(self.plain()?)?;
        }
        Ok(list)
    }
}
