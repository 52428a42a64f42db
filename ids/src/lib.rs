//! Ids instead of references, and string hashes.
#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Tests may overflow: they panic where they do.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]
#![expect(unsafe_code, reason = "tables hold objects in raw memory; every block has its argument")]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "serde")]
mod each;
mod error;
mod hash;
mod id;
mod policy;
mod secondary;
mod shared_table;
mod sync;
mod table;
mod tag;
#[cfg(test)]
mod test_backing;

pub use error::{InsertAtError, InsertError, NotReserved, RestoreError, SaveError, TableDamage};
pub use hash::{
    DamagedLookup, IdString, IdString32, IdString64, Key, LookupBytes, LookupError,
    PerfectSeedError, ReverseLookup, ReverseLookupBuilder, SMALL_KEYS_MAX, Shown, murmur2_32,
    murmur2_32_inverse, murmur2_64a, murmur2_64a_inverse, perfect_seed, perfect_seed_in,
    preimage_32, preimage_64,
};
pub use id::{Id, Repr, SmallId, TableId};
pub use policy::{Fifo, FreeList, GenerationEnd, Lifo, Refuse, Retire, Wrap};
#[cfg(feature = "serde")]
pub use secondary::SecondarySeed;
pub use secondary::{
    Dense, Entry, OccupiedEntry, Placement, Secondary, Sparse, SparseSecondary, VacantEntry,
};
pub use shared_table::SharedTable;
pub use sync::SharedRepr;
#[cfg(feature = "serde")]
pub use table::TableSeed;
pub use table::{
    Drain, HoleTable, Holes, Ids, Iter, IterMut, IterWithIds, IterWithIdsMut, Packed, PackedTable,
    Shape, Table, TableIntoIter, TableStats,
};
