//! Sheets in our stores, one by one and in a set.

use loligo_containers::{KeyValues, KeyValuesSet, StoreId, Value, path_key};
use loligo_ids::IdString32;

use super::{Entry, SHEET, Sheets, malloc_bytes};
use crate::memory::{HEAP, Heap};

type Store = KeyValues<'static, Heap>;

/// Stores on their own.
pub(crate) struct Stores(Box<[Store]>);

/// Stores in a set.
pub(crate) struct StoresInSet {
    set: KeyValuesSet<'static, Heap>,
    ids: Box<[StoreId]>,
}

impl From<Entry> for Value<'static> {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Bool(value) => Self::Bool(value),
            Entry::Number(value) => Self::F32(value),
            Entry::Text(value) => Self::Str(value),
            Entry::Array(value) => Self::Array(value),
        }
    }
}

fn store(sheet: &[(&[&str], Entry)]) -> Store {
    let mut store = KeyValues::new_in(&HEAP);
    for &(path, entry) in sheet {
        store.set(path_key(path), Value::from(entry));
    }
    store
}

impl Sheets for Stores {
    type Key = IdString32;
    type Sheet = Store;

    const NAME: &'static str = "KeyValues";

    fn new(count: u32) -> Self {
        Self((0..count).map(|_| store(&SHEET)).collect())
    }

    fn key(path: &'static [&'static str]) -> IdString32 {
        path_key(path)
    }

    #[inline(always)]
    fn number(&self, sheet: u32, key: IdString32) -> Option<f32> {
        self.0[sheet as usize].get_f32(key)
    }

    #[inline(always)]
    fn copy(&self, sheet: u32) -> Store {
        self.0[sheet as usize].clone()
    }

    fn bytes(&self) -> usize {
        let blocks: usize = self.0.iter().map(|store| malloc_bytes(store.as_bytes().len())).sum();
        blocks + size_of_val(&*self.0)
    }
}

impl Sheets for StoresInSet {
    type Key = IdString32;
    type Sheet = Store;

    const NAME: &'static str = "KeyValuesSet";

    fn new(count: u32) -> Self {
        let sheet = store(&SHEET);
        let mut set = KeyValuesSet::new_in(&HEAP);
        let ids = (0..count).map(|_| set.insert(sheet.view())).collect();
        Self { set, ids }
    }

    fn key(path: &'static [&'static str]) -> IdString32 {
        path_key(path)
    }

    #[inline(always)]
    fn number(&self, sheet: u32, key: IdString32) -> Option<f32> {
        self.set.get(self.ids[sheet as usize])?.get_f32(key)
    }

    fn copy(&self, sheet: u32) -> Store {
        let store = self.set.get(self.ids[sheet as usize]).expect("no store is removed");
        KeyValues::try_from_ref_in(store, &HEAP).expect("the machine has this memory")
    }

    /// As it was built, without shrinking; ids are included, because maps need an identity, too.
    fn bytes(&self) -> usize {
        malloc_bytes(self.set.bytes()) + size_of_val(&self.set)
    }
}

/// Returns the bytes of a set with the given number of copies of a sheet.
pub(crate) fn set_bytes(count: u32, sheet: &[(&[&str], Entry)]) -> usize {
    let store = store(sheet);
    let mut set = KeyValuesSet::new_in(&HEAP);
    for _ in 0..count {
        set.insert(store.view());
    }
    malloc_bytes(set.bytes()) + size_of_val(&set)
}
