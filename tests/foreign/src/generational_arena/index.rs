//! Indices: an id each. The peer counts lives from 0 on, ours from 1 on.

use serde::{Deserialize, Serialize};

use crate::arena_table::SlotId;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Index(pub(super) SlotId);

impl Index {
    #[must_use]
    pub fn from_raw_parts(slot: usize, generation: u64) -> Self {
        let bits = (generation + 1) << 32 | slot as u64;
        Self(SlotId::from_bits(bits).expect("its generation is not 0"))
    }

    #[must_use]
    pub fn into_raw_parts(self) -> (usize, u64) {
        (self.0.index() as usize, self.0.generation() - 1)
    }
}

impl core::fmt::Debug for Index {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}
