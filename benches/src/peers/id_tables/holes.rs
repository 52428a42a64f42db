//! Tables of other crates whose objects stay where they are.

use gen_map::SingleVec;
use gen_map::{
    DefaultKeyConfig, GenMapConfig, GenSlotItem, KeepLen, Key, MapConfig, MapIdx, Packed,
};
use slotmap::DefaultKey;

use crate::id_table::{IdTable, Object};
use crate::peers::id_tables::id_table;

/// slab: no generations, so it cannot detect a stale key.
pub(crate) type Slab = slab::Slab<Object<usize>>;

impl IdTable for Slab {
    type Id = usize;

    fn with_capacity(count: u32) -> Self {
        Self::with_capacity(count as usize)
    }

    #[inline(always)]
    fn insert(&mut self, object: Object<usize>) -> usize {
        Self::insert(self, object)
    }

    #[inline(always)]
    fn remove(&mut self, key: usize) -> Option<Object<usize>> {
        self.try_remove(key)
    }

    #[inline(always)]
    fn get(&self, key: usize) -> Option<&Object<usize>> {
        Self::get(self, key)
    }

    #[inline(always)]
    fn get_mut(&mut self, key: usize) -> Option<&mut Object<usize>> {
        Self::get_mut(self, key)
    }

    #[inline(always)]
    fn sum(&self) -> u64 {
        crate::id_table::sum_of(self.iter().map(|(_, object)| object))
    }
}

/// slotmap's map with holes.
pub(crate) type SlotMap = slotmap::SlotMap<DefaultKey, Object<DefaultKey>>;

id_table!(SlotMap, DefaultKey, count => Self::with_capacity(count as usize), map => map.values());

/// slotmap's map that remembers how long its holes are; no longer maintained.
#[expect(
    deprecated,
    reason = "it is still there, and the quickest of its crate to walk with holes"
)]
pub(crate) type Hop = slotmap::HopSlotMap<DefaultKey, Object<DefaultKey>>;

id_table!(Hop, DefaultKey, count => Self::with_capacity_and_key(count as usize), map => map.values());

/// thunderdome.
pub(crate) type Thunderdome = thunderdome::Arena<Object<thunderdome::Index>>;

id_table!(
    Thunderdome,
    thunderdome::Index,
    count => Self::with_capacity(count as usize),
    arena => arena.iter().map(|(_, object)| object)
);

/// gen_map with 32 bits of index and 32 bits of generation.
pub(crate) type GenMap = gen_map::GenMap<Object<Key<DefaultKeyConfig>>>;

id_table!(
    GenMap,
    Key<DefaultKeyConfig>,
    count => Self::with_capacity(count as usize),
    map => map.values()
);

/// gen_map's key of 20 bits of index and 12 bits of generation, as our `SmallId`.
pub(crate) type PackedKey = Key<Packed<u32, 12>>;

/// All as in gen_map's own default but the key.
pub(crate) struct PackedConfig;

impl MapConfig for PackedConfig {
    type KeyConfig = Packed<u32, 12>;
}

impl GenMapConfig for PackedConfig {
    type Len = KeepLen;
    type Storage<S: GenSlotItem> = SingleVec<S, MapIdx<Self>>;
}

/// gen_map with keys of 4 bytes.
pub(crate) type GenMapPacked = gen_map::GenMap<Object<PackedKey>, PackedConfig>;

id_table!(
    GenMapPacked,
    PackedKey,
    count => Self::with_capacity_and_config(count as usize),
    map => map.values()
);

/// bitarena.
pub(crate) type Bitarena = bitarena::Arena<Object<bitarena::Index>>;

id_table!(
    Bitarena,
    bitarena::Index,
    count => Self::with_capacity(count as usize),
    arena => arena.values()
);

/// handy.
pub(crate) type Handy = handy::HandleMap<Object<handy::Handle>>;

id_table!(
    Handy,
    handy::Handle,
    count => Self::with_capacity(count as usize),
    map => map.iter()
);
