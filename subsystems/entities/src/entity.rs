//! The name of an entity.

use loligo_ids::SmallId;

/// Says of what an [`Entity`] is; nothing of it is ever made.
#[derive(Debug)]
pub enum EntityTag {}

/// Names an entity: 4 bytes, 20 bits of index for a million entities at a time, 12 of generation
/// for 4 095 lives of each slot, after which that slot is not used again.
///
/// An entity holds no data. What it is, its components say, which are in their managers.
pub type Entity = SmallId<EntityTag>;
