//! Data folders as a compile would leave them, made by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_ids::{IdString64, murmur2_64a};
use loligo_resources::{
    ContentHash, DebugName, HEADER_BYTES, PackageImage, PackageItem, ResourceHeader, ResourceKey,
    TableSource, write_table,
};
use tempfile::TempDir;

/// A data folder, and the variants that its next table will name.
pub(crate) struct Made {
    folder: TempDir,
    variants: BTreeMap<(ResourceKey, Vec<IdString64>), (ContentHash, u64)>,
}

impl Made {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("blobs")).expect("the folder may be written");
        Self { folder, variants: BTreeMap::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the file of a resource and returns where it is.
    pub(crate) fn put(
        &mut self,
        kind: &str,
        name: &str,
        properties: &[&str],
        payload: &[u8],
    ) -> PathBuf {
        self.put_version(kind, name, properties, payload, 1)
    }

    pub(crate) fn put_version(
        &mut self,
        kind: &str,
        name: &str,
        properties: &[&str],
        payload: &[u8],
        version: u32,
    ) -> PathBuf {
        self.put_parts((kind, name), properties, (payload, &[]), version)
    }

    /// Writes a file with a payload and a tail.
    pub(crate) fn put_parts(
        &mut self,
        (kind, name): (&str, &str),
        properties: &[&str],
        (payload, tail): (&[u8], &[u8]),
        version: u32,
    ) -> PathBuf {
        let key = ResourceKey::new(kind, name);
        let (debug_name, tail_bytes) = (DebugName::new(name), tail.len() as u64);
        let header = ResourceHeader { key, version, debug_name, tail: tail_bytes };
        let mut file = vec![0; HEADER_BYTES];
        file.extend_from_slice(payload);
        file.extend_from_slice(tail);
        header.write(Endian::NATIVE, &mut file);
        // Any hash will do: reading believes the names of files.
        let hash = hash_of(&file);
        let path = self.path().join("blobs").join(hash.to_string());
        fs::write(&path, &file).expect("the folder may be written");
        let mut properties: Vec<IdString64> =
            properties.iter().map(|property| IdString64::new(property)).collect();
        properties.sort_unstable();
        self.variants.insert((key, properties), (hash, file.len() as u64));
        path
    }

    /// Writes the file of a package.
    pub(crate) fn put_package(&mut self, name: &str, items: &[ResourceKey]) {
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new_in("heap", &pages);
        let mut builder =
            BlobBuilder::<PackageImage, _>::try_new_in(Endian::NATIVE, &heap).expect("memory");
        let root = builder.root().at(blob_field!(PackageImage, resources));
        let places = builder.array(root, items.len()).expect("memory");
        for (place, item) in places.iter().zip(items) {
            builder.set(place.at(blob_field!(PackageItem, type_hash)), item.type_hash);
            builder.set(place.at(blob_field!(PackageItem, name)), item.name);
        }
        let payload = builder.finish().to_vec();
        self.put("package", name, &[], &payload);
    }

    /// Takes a resource without properties out of the next table.
    pub(crate) fn remove(&mut self, kind: &str, name: &str) {
        let removed = self.variants.remove(&(ResourceKey::new(kind, name), Vec::new()));
        assert!(removed.is_some(), "{name} was there");
    }

    /// Takes a variant out of the next table, if it is there.
    pub(crate) fn remove_variant(&mut self, kind: &str, name: &str, properties: &[&str]) {
        self.variants.remove(&crate::packed::place(ResourceKey::new(kind, name), properties));
    }

    /// Writes the table.
    pub(crate) fn save(&self) {
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new_in("heap", &pages);
        let sources: Vec<TableSource<'_>> = self
            .variants
            .iter()
            .map(|((key, properties), (file, bytes))| TableSource {
                key: *key,
                properties,
                file: *file,
                bytes: *bytes,
            })
            .collect();
        let table = write_table("here", Endian::NATIVE, &sources, &heap).expect("memory");
        fs::write(self.path().join("resources"), &*table).expect("the folder may be written");
    }
}

/// Returns a hash of a file.
pub(crate) fn hash_of(file: &[u8]) -> ContentHash {
    let mut hash = ContentHash([0; 32]);
    for (at, part) in (0..).zip(hash.0.as_chunks_mut::<8>().0) {
        *part = murmur2_64a(file, at).to_le_bytes();
    }
    hash
}

/// Runs a test with a separate allocator, and asserts that all of its memory is freed.
pub(crate) fn with_memory(test: impl FnOnce(&HeapAllocator<'_, PageAllocator>)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    test(&heap);
    assert_eq!(heap.stats().live, 0, "blocks were never given back");
}
