//! What is loaded, how often, and how it is swapped.
//!
//! After Niklas Frykholm, "Platform Specific Resources" (2011), "The Blob and I" (2010) and
//! "Strings Redux" (2011). Changes: files are called after the hash of their contents and a table
//! leads to them, so that data is replaced all at once; a preference that changes swaps what is
//! loaded as a new compile does; what is loaded is counted.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, SortedMap};
use loligo_ids::IdString64;

use crate::content_hash::ContentHash;
use crate::data::FileBytes;
use crate::error::{LoadError, LoadErrorKind, OpenError};
use crate::folder::DataFolder;
use crate::header::ResourceHeader;
use crate::key::ResourceKey;
use crate::package::{PACKAGE_TYPE, PACKAGE_VERSION};
use crate::preference::PREFERENCES_MAX;
use crate::request::{FileRequest, LoadRequest, Loaded};
use crate::resource::Resource;
use crate::table::{Table, TableEntry};

mod packages;
mod reload;

pub use reload::Reloaded;

/// The resources of a data folder: found by type and name, counted, swapped when the data changes.
///
/// # Complexity
///
/// [`get`](Self::get) is O(log loaded). Loading what is loaded already is that, too.
///
/// # Memory
///
/// 64 bytes for each variant in the folder, 160 at the most for each resource that is loaded, and
/// the bytes of its file unless the folder is mapped. All of it is from the allocator that was
/// passed in.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`. Reading may be done on any thread:
/// [`request`](Self::request) gives what is to be read, [`insert`](Self::insert) takes what was
/// read.
///
/// # When not to use it
///
/// For files that the program writes: everything here is read only and checked by hash.
///
/// # Invariants
///
/// 1. What is loaded has a count of at least 1, and was checked against its header, which is of its
///    key.
/// 2. Each package that is loaded holds one count of its resource and one of each of its items.
pub struct Resources<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    folder: DataFolder<'a>,
    memory: &'a A,
    table: Table<'a, A>,
    order: Array<'a, IdString64, A>,
    versions: SortedMap<'a, IdString64, u32, A>,
    loaded: SortedMap<'a, ResourceKey, Slot<'a, A>, A>,
    packages: SortedMap<'a, ResourceKey, Package<'a, A>, A>,
}

/// A resource that is loaded.
struct Slot<'a, A: Allocator + ?Sized> {
    count: u32,
    file: ContentHash,
    header: ResourceHeader,
    bytes: FileBytes<'a, A>,
}

/// A package that is loaded.
struct Package<'a, A: Allocator + ?Sized> {
    count: u32,
    /// From which file the items are.
    file: ContentHash,
    items: Array<'a, ResourceKey, A>,
}

impl<A: Allocator + ?Sized> Slot<'_, A> {
    fn view(&self) -> Resource<'_> {
        Resource::new(self.header, &self.bytes)
    }
}

impl<'a> Resources<'a> {
    /// Reads the table of a folder. Nothing is loaded yet, and no property is preferred.
    ///
    /// # Complexity
    ///
    /// O(variants in the folder).
    ///
    /// # Errors
    ///
    /// [`OpenError`] if there is no table for this machine, or no memory.
    pub fn try_open(
        folder: DataFolder<'a>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, OpenError> {
        Self::try_open_in(folder, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Resources<'a, A> {
    /// As [`try_open`](Self::try_open), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_open`](Self::try_open).
    pub fn try_open_in(folder: DataFolder<'a>, memory: &'a A) -> Result<Self, OpenError> {
        let table = folder.read_table(memory)?;
        let mut versions = SortedMap::new_in(memory);
        versions.try_insert(IdString64::new(PACKAGE_TYPE), PACKAGE_VERSION)?;
        Ok(Self {
            folder,
            memory,
            table,
            order: Array::new_in(memory),
            versions,
            loaded: SortedMap::new_in(memory),
            packages: SortedMap::new_in(memory),
        })
    }

    /// Reports which version of a type this program reads: what another version of the type's
    /// compiler made will not be loaded. O(types).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_expect_version(
        &mut self,
        type_hash: IdString64,
        version: u32,
    ) -> Result<(), GrowError> {
        self.versions.try_insert(type_hash, version).map(drop)
    }

    /// Loads a resource, or counts one load more.
    ///
    /// # Complexity
    ///
    /// O(bytes of the file) the first time, else O(log loaded).
    ///
    /// # Errors
    ///
    /// [`LoadError`]; nothing has changed.
    pub fn load(&mut self, key: ResourceKey) -> Result<(), LoadError> {
        if let Some(slot) = self.loaded.get_mut(&key) {
            return count_up(&mut slot.count).map_err(|kind| kind.of(key));
        }
        let loaded = self.request(key)?.read(self.memory)?;
        self.insert(loaded)
    }

    /// Gives one load back; the last one frees the resource. Returns how many are left, and nothing
    /// if it was not loaded. O(loaded).
    pub fn unload(&mut self, key: ResourceKey) -> Option<u32> {
        let slot = self.loaded.get_mut(&key)?;
        slot.count -= 1;
        let left = slot.count;
        if left == 0 {
            self.loaded.remove(&key);
        }
        Some(left)
    }

    /// Returns a resource that is loaded. O(log loaded).
    #[must_use]
    pub fn get(&self, key: ResourceKey) -> Option<Resource<'_>> {
        self.loaded.get(&key).map(Slot::view)
    }

    /// Returns how often a resource is loaded. O(log loaded).
    #[must_use]
    pub fn count(&self, key: ResourceKey) -> u32 {
        self.loaded.get(&key).map_or(0, |slot| slot.count)
    }

    /// Returns what is loaded, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Resource<'_>> {
        self.loaded.values().iter().map(Slot::view)
    }

    /// Looks up which file a load would read, so that it can be read on another thread.
    ///
    /// # Complexity
    ///
    /// O(log variants).
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the table has no variant that is wanted.
    pub fn request(&self, key: ResourceKey) -> Result<LoadRequest<'a>, LoadError> {
        match self.table.select(key, &self.order) {
            Some(entry) => Ok(self.request_of(entry)),
            None => match self.table.variants(key).len() {
                0 => Err(LoadErrorKind::Unknown.of(key)),
                variants => Err(LoadErrorKind::NoVariant { variants }.of(key)),
            },
        }
    }

    /// Takes a resource that was read, as [`load`](Self::load) would have. Where it was loaded in
    /// the meantime, what was read is dropped and one load more is counted. Where the data was
    /// compiled in between, the next [`reload`](Self::reload) swaps it.
    ///
    /// # Complexity
    ///
    /// O(loaded).
    ///
    /// # Errors
    ///
    /// [`LoadError`] if there is no memory; what was read is dropped, and nothing has changed.
    pub fn insert(&mut self, loaded: Loaded<'a, A>) -> Result<(), LoadError> {
        let Loaded { file, header, bytes } = loaded;
        let key = header.key;
        if let Some(slot) = self.loaded.get_mut(&key) {
            return count_up(&mut slot.count).map_err(|kind| kind.of(key));
        }
        let slot = Slot { count: 1, file, header, bytes };
        self.loaded
            .try_insert(key, slot)
            .map(drop)
            .map_err(|error| LoadErrorKind::from(error).of(key))
    }

    /// Returns the allocator, for what is read on another thread.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.memory
    }

    /// Returns the table.
    #[must_use]
    pub const fn table(&self) -> &Table<'a, A> {
        &self.table
    }

    /// Returns the order of preference.
    #[must_use]
    pub fn preference_order(&self) -> &[IdString64] {
        &self.order
    }

    /// Checks the structure: counts and headers.
    ///
    /// # Complexity
    ///
    /// O(bytes of all that is loaded).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.table.validate()?;
        for (key, slot) in self.loaded.iter() {
            if slot.count == 0 {
                return Err("a resource is kept that nobody has loaded");
            }
            if ResourceHeader::read(&slot.bytes) != Ok(slot.header) || slot.header.key != *key {
                return Err("a resource is not what its header says");
            }
        }
        for (key, package) in self.packages.iter() {
            if package.count == 0 || self.count(*key) == 0 {
                return Err("a package is kept that nobody has loaded");
            }
            if package.items.iter().any(|item| self.count(*item) == 0) {
                return Err("an item of a package is not loaded");
            }
        }
        Ok(())
    }

    fn request_of(&self, entry: &TableEntry) -> LoadRequest<'a> {
        let TableEntry { key, file, bytes, .. } = *entry;
        let version = self.versions.get(&key.type_hash).copied();
        let file = FileRequest { key, file, bytes, version };
        LoadRequest { folder: self.folder, file }
    }

    /// Copies an order of preference.
    fn copy_order(&self, order: &[IdString64]) -> Result<Array<'a, IdString64, A>, GrowError> {
        assert!(
            order.len() <= PREFERENCES_MAX,
            "{} properties are preferred where there may be {PREFERENCES_MAX}",
            order.len()
        );
        Array::try_from_slice_in(order, self.memory)
    }
}

/// Counts one load more.
fn count_up(count: &mut u32) -> Result<(), LoadErrorKind> {
    *count = count.checked_add(1).ok_or(LoadErrorKind::TooManyLoads)?;
    Ok(())
}

impl<A: Allocator + ?Sized> fmt::Debug for Resources<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("folder", &self.folder.path())
            .field("variants", &self.table.entries().len())
            .field("loaded", &self.loaded.len())
            .finish_non_exhaustive()
    }
}

const _: () = assert!(
    size_of::<ResourceKey>() + size_of::<Slot<'_, dyn Allocator>>() <= 160,
    "the doc states it"
);
