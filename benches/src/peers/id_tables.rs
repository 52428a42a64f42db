//! The tables of other crates that give objects ids, and yardsticks of our own.
//!
//! Not here: generational-arena. Its licence is MPL-2.0, and `deny.toml` has one list of licences
//! for all that the workspace builds upon, tools included, without exceptions by crate. thunderdome
//! is its successor in design, with the same layout (a generation next to each object) and less to
//! do.

mod holes;
mod keyed;
mod packed;
mod raw_vec;
#[cfg(feature = "peers-all")]
mod std_map;

pub(crate) use holes::{Bitarena, GenMap, GenMapPacked, Handy, Hop, Slab, SlotMap, Thunderdome};
pub(crate) use keyed::{BTree, FxHashed};
pub(crate) use packed::{DenseGenMap, DenseGenMapPacked, DenseSlotMap, Slice};
pub(crate) use raw_vec::RawVec;
#[cfg(feature = "peers-all")]
pub(crate) use std_map::StdMap;

/// Implements [`IdTable`](crate::id_table::IdTable) for a table of another crate whose operations
/// are called as ours: only how it is made and how its objects are visited differs.
macro_rules! id_table {
    ($table:ty, $id:ty, $count:ident => $make:expr, $itself:ident => $objects:expr) => {
        impl $crate::id_table::IdTable for $table {
            type Id = $id;

            fn with_capacity($count: u32) -> Self {
                $make
            }

            #[inline(always)]
            fn insert(&mut self, object: $crate::id_table::Object<$id>) -> $id {
                <$table>::insert(self, object)
            }

            #[inline(always)]
            fn remove(&mut self, id: $id) -> Option<$crate::id_table::Object<$id>> {
                <$table>::remove(self, id)
            }

            #[inline(always)]
            fn get(&self, id: $id) -> Option<&$crate::id_table::Object<$id>> {
                <$table>::get(self, id)
            }

            #[inline(always)]
            fn get_mut(&mut self, id: $id) -> Option<&mut $crate::id_table::Object<$id>> {
                <$table>::get_mut(self, id)
            }

            #[inline(always)]
            fn sum(&self) -> u64 {
                let $itself = self;
                $crate::id_table::sum_of($objects)
            }
        }
    };
}
pub(crate) use id_table;
