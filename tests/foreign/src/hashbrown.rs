//! `hashbrown` by our hash map and hash set, which refer to hashbrown's for all that does not grow.

mod map;
mod set;
mod table;

pub use hashbrown::{Equivalent, TryReserveError};
pub use loligo_containers::BuildKeyHasher as DefaultHashBuilder;
pub use map::HashMap;
pub use set::HashSet;
pub use table::HashTable;

/// What refers into a map.
pub mod hash_map {
    pub use super::HashMap;
    pub use hashbrown::hash_map::{Entry, EntryRef};
}

/// Returns the peer's error for ours.
fn refused(error: &loligo_containers::GrowError) -> TryReserveError {
    match error {
        loligo_containers::GrowError::Length { .. } => TryReserveError::CapacityOverflow,
        loligo_containers::GrowError::Memory { bytes, .. } => {
            let layout = core::alloc::Layout::from_size_align(*bytes as usize, 1);
            layout.map_or(TryReserveError::CapacityOverflow, |layout| TryReserveError::AllocError {
                layout,
            })
        }
    }
}
