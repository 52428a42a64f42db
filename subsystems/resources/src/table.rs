//! The table of a data folder: which file holds which variant of which resource.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{
    Array, Blob, BlobArray, BlobBuilder, BlobBytes, BlobError, BlobStr, Endian, GrowError,
    blob_field, blob_struct,
};
use loligo_ids::IdString64;

use crate::content_hash::ContentHash;
use crate::key::ResourceKey;
use crate::preference::rank;

#[cfg(test)]
mod tests;

blob_struct! {
    /// The table as it is saved: a blob.
    pub struct TableImage {
        /// The platform that it was compiled for.
        pub platform: BlobStr,
        /// Every variant, sorted by type, name and properties.
        pub entries: BlobArray<EntryImage>,
    }

    /// A variant in a saved table.
    pub struct EntryImage {
        /// The hash of the type.
        pub type_hash: IdString64,
        /// The hash of the name.
        pub name: IdString64,
        /// Bytes of the file.
        pub bytes: u64,
        /// The hash of the file, which is its name.
        pub file: [u8; 32],
        /// The hashes of the properties, in ascending order.
        pub properties: BlobArray<IdString64>,
    }
}

/// A variant of a resource, as the writer of a table gives it.
#[derive(Clone, Copy, Debug)]
pub struct TableSource<'p> {
    /// The resource.
    pub key: ResourceKey,
    /// Its properties, in ascending order.
    pub properties: &'p [IdString64],
    /// The hash of the file.
    pub file: ContentHash,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Writes a table. The variants are in ascending order of type, name and properties.
///
/// # Complexity
///
/// O(variants and their properties).
///
/// # Errors
///
/// [`GrowError`] if there is no memory.
pub fn write_table<'a, A: Allocator + ?Sized>(
    platform: &str,
    endian: Endian,
    variants: &[TableSource<'_>],
    memory: &'a A,
) -> Result<BlobBytes<'a, A>, GrowError> {
    let mut builder = BlobBuilder::<TableImage, A>::try_new_in(endian, memory)?;
    let root = builder.root();
    builder.string(root.at(blob_field!(TableImage, platform)), platform)?;
    let entries = builder.array(root.at(blob_field!(TableImage, entries)), variants.len())?;
    for (entry, variant) in entries.iter().zip(variants) {
        builder.set(entry.at(blob_field!(EntryImage, type_hash)), variant.key.type_hash);
        builder.set(entry.at(blob_field!(EntryImage, name)), variant.key.name);
        builder.set(entry.at(blob_field!(EntryImage, bytes)), variant.bytes);
        builder.set(entry.at(blob_field!(EntryImage, file)), variant.file.0);
        builder.numbers(entry.at(blob_field!(EntryImage, properties)), variant.properties)?;
    }
    Ok(builder.finish())
}

/// A variant in a table that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The resource.
    pub key: ResourceKey,
    /// The hash of the file.
    pub file: ContentHash,
    /// Bytes of the file.
    pub bytes: u64,
    /// Where its properties are.
    start: u32,
    count: u32,
}

impl TableEntry {
    /// Makes an entry of what was read; its properties are `count` from `start` on.
    #[cfg(feature = "std")]
    pub(crate) const fn new(
        key: ResourceKey,
        (file, bytes): (ContentHash, u64),
        [start, count]: [u32; 2],
    ) -> Self {
        Self { key, file, bytes, start, count }
    }
}

/// The table of a data folder, in memory that was passed in.
///
/// # Memory
///
/// 64 bytes a variant and 8 for each of its properties, in two blocks.
///
/// # Invariants
///
/// 1. Entries are in ascending order of type, name and properties, none twice.
/// 2. An entry's properties are within the array of properties, in ascending order.
pub struct Table<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    entries: Array<'a, TableEntry, A>,
    properties: Array<'a, IdString64, A>,
}

impl<'a> Table<'a> {
    /// Opens a table that [`write_table`] wrote; its bytes are not needed afterwards.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`TableError`] if the bytes are not a table for this machine, or there is no memory.
    pub fn try_open(bytes: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, TableError> {
        Self::try_open_in(bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Table<'a, A> {
    /// As [`try_open`](Self::try_open), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_open`](Self::try_open).
    pub fn try_open_in(bytes: &[u8], memory: &'a A) -> Result<Self, TableError> {
        let blob = Blob::<TableImage>::open(bytes).map_err(TableError::Blob)?;
        let images = blob.array(&blob.root().entries);
        let mut entries = Array::try_with_capacity_in(images.len(), memory)?;
        let count = images.iter().map(|image| blob.array(&image.properties).len()).sum();
        let mut properties = Array::try_with_capacity_in(count, memory)?;
        for image in images {
            let own = blob.array(&image.properties);
            entries.try_push(TableEntry {
                key: ResourceKey { type_hash: image.type_hash, name: image.name },
                file: ContentHash(image.file),
                bytes: image.bytes,
                start: properties.len() as u32,
                count: own.len() as u32,
            })?;
            properties.try_extend_from_slice(own)?;
        }
        let table = Self { entries, properties };
        table.validate().map_err(TableError::Order)?;
        Ok(table)
    }

    /// Makes a table of what was read, which may not be one: [`validate`](Self::validate) is called
    /// next.
    #[cfg(feature = "std")]
    pub(crate) const fn of_parts(
        entries: Array<'a, TableEntry, A>,
        properties: Array<'a, IdString64, A>,
    ) -> Self {
        Self { entries, properties }
    }

    /// Appends a variant that comes after all that are there.
    #[cfg(feature = "std")]
    pub(crate) fn try_push(&mut self, variant: &TableSource<'_>) -> Result<(), GrowError> {
        let (start, count) = (self.properties.len() as u32, variant.properties.len() as u32);
        self.properties.try_extend_from_slice(variant.properties)?;
        let TableSource { key, file, bytes, .. } = *variant;
        self.entries.try_push(TableEntry { key, file, bytes, start, count })
    }

    /// Returns every variant, in order.
    #[must_use]
    pub fn entries(&self) -> &[TableEntry] {
        &self.entries
    }

    /// Returns the hashes of a variant's properties.
    ///
    /// # Panics
    ///
    /// If the entry is of a longer table.
    #[must_use]
    pub fn properties(&self, entry: &TableEntry) -> &[IdString64] {
        let start = entry.start as usize;
        &self.properties[start..start + entry.count as usize]
    }

    /// Returns the variants of a resource. O(log entries).
    #[must_use]
    pub fn variants(&self, key: ResourceKey) -> &[TableEntry] {
        let start = self.entries.partition_point(|entry| entry.key < key);
        let rest = &self.entries[start..];
        let count = rest.iter().take_while(|entry| entry.key == key).count();
        &rest[..count]
    }

    /// Returns the variant of a resource that is wanted most, if there is one without a property
    /// that is not wanted.
    ///
    /// # Complexity
    ///
    /// O(log entries + variants).
    #[must_use]
    pub fn select(&self, key: ResourceKey, order: &[IdString64]) -> Option<&TableEntry> {
        let ranked = self
            .variants(key)
            .iter()
            .filter_map(|entry| Some((rank(self.properties(entry), order)?, entry)));
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, entry)| entry)
    }

    /// Checks the table's own structure.
    ///
    /// # Complexity
    ///
    /// O(entries and their properties).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        for entry in &self.entries {
            let end = u64::from(entry.start) + u64::from(entry.count);
            if end > self.properties.len() as u64 {
                return Err("properties are past the end of all");
            }
            if !self.properties(entry).is_sorted_by(|a, b| a < b) {
                return Err("the properties of a variant are not in order");
            }
        }
        if self.entries.is_sorted_by(|a, b| self.place(a) < self.place(b)) {
            Ok(())
        } else {
            Err("the variants are not in order, or one is there twice")
        }
    }

    /// Returns what entries are sorted by.
    fn place(&self, entry: &TableEntry) -> (ResourceKey, &[IdString64]) {
        (entry.key, self.properties(entry))
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Table<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

/// Why bytes are not a table; or no memory for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// They are not a blob of a table.
    Blob(BlobError),
    /// They are one, and yet no table.
    Order(&'static str),
    /// There is no memory.
    Memory(GrowError),
}

impl From<GrowError> for TableError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(error) => error.fmt(f),
            Self::Order(what) => f.write_str(what),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for TableError {}

const _: () = assert!(size_of::<TableEntry>() == 64, "the doc states it");
