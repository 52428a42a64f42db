//! Indices: an id each, in two parts.

use core::num::NonZeroU32;

use crate::arena_table::SlotId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(NonZeroU32);

impl Generation {
    #[must_use]
    pub fn from_u32(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// The life after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.checked_add(1).unwrap_or(NonZeroU32::MIN))
    }
}

/// Its fields are private in the peer, whose tests use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index {
    pub slot: u32,
    pub generation: Generation,
}

impl Index {
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation.0.get()) << 32 | u64::from(self.slot)
    }

    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Self> {
        Some(Self::of(SlotId::from_bits(bits)?))
    }

    #[must_use]
    pub fn slot(self) -> u32 {
        self.slot
    }

    pub(super) fn id(self) -> SlotId {
        SlotId::from_bits(self.to_bits()).expect("its generation is not 0")
    }

    pub(super) fn of(id: SlotId) -> Self {
        let generation = Generation::from_u32((id.to_bits() >> 32) as u32);
        Self { slot: id.to_bits() as u32, generation: generation.expect("it is not 0") }
    }
}
