//! A table in the formats of serde.
//!
//! ```text
//! [ tag, [ generation of each slot, .. ], [ free slot, .. ], [ [ slot, object ], .. ] ]
//! ```
//!
//! A tuple, since the objects can only be placed once the slots are known. Free slots are in the
//! order in which they will be used, objects in that of iteration. A slot that is neither free nor
//! has an object is reserved, or retired if its generation is 0.

use loligo_allocators::Allocator;
use serde_core::ser::{Serialize, SerializeTuple, Serializer};

use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

/// Numbers and sequences in the tuple that a table is.
pub(super) const FIELDS: usize = 4;

/// With all that keeps ids valid: generations, free slots in their order, reserved ids and the tag.
/// [`TableSeed`](crate::TableSeed) reads it.
impl<S: Shape, T: Serialize, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Serialize for Table<'_, S, T, I, F, E, A>
{
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let generation = |slot| (self.parts.word(slot) & I::GENERATION_MASK) >> I::INDEX_BITS;
        let object = |(id, object): (I, _)| (id.bits() & I::INDEX_MASK, object);
        let mut tuple = serializer.serialize_tuple(FIELDS)?;
        tuple.serialize_element(&self.tag())?;
        tuple.serialize_element(&Sequence((0..self.used).map(generation)))?;
        let free = (0..self.free).map(|turn| self.free_in_turn(turn) as u64);
        tuple.serialize_element(&Sequence(free))?;
        tuple.serialize_element(&Sequence(self.iter_with_ids().map(object)))?;
        tuple.end()
    }
}

/// What an iterator yields, as a sequence.
struct Sequence<V>(V);

impl<V: Iterator<Item: Serialize> + Clone> Serialize for Sequence<V> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.collect_seq(self.0.clone())
    }
}
