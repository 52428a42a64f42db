//! Tables of other crates whose objects are stored without gaps, and a plain slice.

use gen_map::{DefaultKeyConfig, DenseGenMapConfig, GenSlotItem, Key, MapIdx, PairVec, SingleVec};
use slotmap::DefaultKey;

use crate::id_table::{IdTable, Object, sum_of};
use crate::peers::id_tables::holes::{PackedConfig, PackedKey};
use crate::peers::id_tables::id_table;

/// slotmap's map without gaps.
pub(crate) type DenseSlotMap = slotmap::DenseSlotMap<DefaultKey, Object<DefaultKey>>;

id_table!(
    DenseSlotMap,
    DefaultKey,
    count => Self::with_capacity(count as usize),
    map => map.values()
);

/// gen_map's map without gaps, 32 bits of index and 32 bits of generation.
pub(crate) type DenseGenMap = gen_map::DenseGenMap<Object<Key<DefaultKeyConfig>>>;

id_table!(
    DenseGenMap,
    Key<DefaultKeyConfig>,
    count => Self::with_capacity(count as usize),
    map => map.values()
);

impl DenseGenMapConfig for PackedConfig {
    type SlotStorage<S: GenSlotItem> = SingleVec<S, MapIdx<Self>>;
    type PairStorage<K, V> = PairVec<K, V, MapIdx<Self>>;
}

/// gen_map's map without gaps, with keys of 4 bytes.
pub(crate) type DenseGenMapPacked = gen_map::DenseGenMap<Object<PackedKey>, PackedConfig>;

id_table!(
    DenseGenMapPacked,
    PackedKey,
    count => Self::with_capacity_and_config(count as usize),
    map => map.values()
);

/// The objects alone, walked as a slice: the last one moves into the place of a removed one, and no
/// id outlives that. For walks only.
pub(crate) struct Slice(Vec<Object<u32>>);

impl IdTable for Slice {
    type Id = u32;

    fn with_capacity(count: u32) -> Self {
        Self(Vec::with_capacity(count as usize))
    }

    fn insert(&mut self, object: Object<u32>) -> u32 {
        self.0.push(object);
        self.0.len() as u32 - 1
    }

    fn remove(&mut self, _: u32) -> Option<Object<u32>> {
        self.0.pop()
    }

    fn get(&self, index: u32) -> Option<&Object<u32>> {
        self.0.get(index as usize)
    }

    fn get_mut(&mut self, index: u32) -> Option<&mut Object<u32>> {
        self.0.get_mut(index as usize)
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        sum_of(self.0.iter())
    }
}
