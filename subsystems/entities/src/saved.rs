//! Saved managers: their columns as bytes, and how these are read again, nothing of them trusted.

use core::error::Error;
use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::entity::Entity;
use crate::error::Damage;

/// A manager was not loaded. There is none then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no memory.
    Grow(GrowError),
    /// The bytes are not what a manager was saved as.
    Wrong {
        /// What is wrong, in words.
        what: &'static str,
        /// The offset at which that was found.
        offset: usize,
    },
    /// What they say does not hold together.
    Damage(Damage),
}

impl LoadError {
    pub(crate) const fn wrong(what: &'static str, offset: usize) -> Self {
        Self::Wrong { what, offset }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grow(error) => error.fmt(f),
            Self::Wrong { what, offset } => write!(f, "{what} at byte {offset}"),
            Self::Damage(damage) => damage.fmt(f),
        }
    }
}

impl Error for LoadError {}

impl From<GrowError> for LoadError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl From<Damage> for LoadError {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

/// Appends a count.
pub(crate) fn put_count<B: Allocator + ?Sized>(
    count: usize,
    out: &mut Array<'_, u8, B>,
) -> Result<(), GrowError> {
    let limit = u64::from(u32::MAX);
    let number =
        u32::try_from(count).map_err(|_| GrowError::Length { wanted: count as u64, limit })?;
    out.try_extend_from_slice(&number.to_ne_bytes())
}

/// Appends a column, without its length.
pub(crate) fn put_column<T: NoUninit, B: Allocator + ?Sized>(
    column: &[T],
    out: &mut Array<'_, u8, B>,
) -> Result<(), GrowError> {
    out.try_extend_from_slice(bytemuck::cast_slice(column))
}

/// Appends entities, without their number.
pub(crate) fn put_entities<B: Allocator + ?Sized>(
    entities: &[Entity],
    out: &mut Array<'_, u8, B>,
) -> Result<(), GrowError> {
    out.try_reserve(size_of_val(entities))?;
    entities
        .iter()
        .try_for_each(|entity| out.try_extend_from_slice(&entity.to_bits().to_ne_bytes()))
}

/// Reads what was saved, from the beginning to the end.
pub(crate) struct SavedBytes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> SavedBytes<'b> {
    pub(crate) const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) const fn offset(&self) -> usize {
        self.at
    }

    /// Returns the next bytes, at any address.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8], LoadError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            return Err(LoadError::wrong("the bytes end too early", self.at));
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<u32, LoadError> {
        let mut number = [0; 4];
        number.copy_from_slice(self.take(4)?);
        Ok(u32::from_ne_bytes(number))
    }

    /// Reads a count of things that take `bytes` each at least, which must be there.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<usize, LoadError> {
        let at = self.at;
        let count = self.number()? as usize;
        let left = self.bytes.len() - self.at;
        if count.checked_mul(bytes).is_none_or(|wanted| wanted > left) {
            return Err(LoadError::wrong("a count is more than there are bytes for", at));
        }
        Ok(count)
    }

    /// Reads a column of a known length.
    pub(crate) fn column<'a, T, A>(
        &mut self,
        count: usize,
        memory: &'a A,
    ) -> Result<Array<'a, T, A>, LoadError>
    where
        T: AnyBitPattern + NoUninit,
        A: Allocator + ?Sized,
    {
        let bytes = self.take(count.saturating_mul(size_of::<T>()))?;
        let mut column = Array::try_with_capacity_in(count, memory)?;
        column.try_resize(count, T::zeroed())?;
        bytemuck::cast_slice_mut::<T, u8>(&mut column).copy_from_slice(bytes);
        Ok(column)
    }

    /// Reads entities of a known number.
    pub(crate) fn entities<'a, A: Allocator + ?Sized>(
        &mut self,
        count: usize,
        memory: &'a A,
    ) -> Result<Array<'a, Entity, A>, LoadError> {
        let at = self.at;
        let bytes = self.take(count.saturating_mul(4))?;
        let mut entities = Array::try_with_capacity_in(count, memory)?;
        for bits in bytes.chunks_exact(4) {
            let bits = u32::from_ne_bytes([bits[0], bits[1], bits[2], bits[3]]);
            let entity = Entity::from_bits(bits);
            entities.push(entity.ok_or(LoadError::wrong("something is not an entity", at))?);
        }
        Ok(entities)
    }

    /// Returns an error if there is more.
    pub(crate) fn end(&self) -> Result<(), LoadError> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        Err(LoadError::wrong("there are more bytes than were saved", self.at))
    }
}
