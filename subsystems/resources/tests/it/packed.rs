//! Bundles as a build would leave them, made in memory.

use std::collections::BTreeMap;
use std::io::Cursor;

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_containers::Endian;
use loligo_ids::{IdString64, murmur2_64a};
use loligo_resources::{
    BundleSource, Bundles, ContentHash, DebugName, HEADER_BYTES, ResourceHeader, ResourceKey,
    TableSource, write_bundle,
};

use crate::made::hash_of;

/// Memory that threads share, as bundles need it.
pub(crate) type SharedHeap<'p> = Locked<HeapAllocator<'p, PageAllocator>>;

/// What names a variant.
pub(crate) type Place = (ResourceKey, Vec<IdString64>);

/// The variants of a game, and the bytes of all files that it ever had.
#[derive(Clone, Default)]
pub(crate) struct Packed {
    pub(crate) variants: BTreeMap<Place, (ContentHash, u64)>,
    pub(crate) files: BTreeMap<[u8; 32], Vec<u8>>,
}

impl Packed {
    /// Puts a variant.
    pub(crate) fn put(&mut self, (kind, name): (&str, &str), properties: &[&str], payload: &[u8]) {
        let key = ResourceKey::new(kind, name);
        let header = ResourceHeader { key, version: 1, debug_name: DebugName::new(name), tail: 0 };
        let mut file = vec![0; HEADER_BYTES];
        file.extend_from_slice(payload);
        header.write(Endian::NATIVE, &mut file);
        self.put_file(place(key, properties), file);
    }

    /// Puts a variant whose file has these bytes.
    pub(crate) fn put_file(&mut self, place: Place, file: Vec<u8>) {
        let hash = hash_of(&file);
        self.variants.insert(place, (hash, file.len() as u64));
        self.files.insert(hash.0, file);
    }

    /// Takes a variant away.
    pub(crate) fn remove(&mut self, key: ResourceKey, properties: &[&str]) {
        self.variants.remove(&place(key, properties));
    }

    /// Returns the variants as a table has them.
    pub(crate) fn wanted(&self) -> Vec<TableSource<'_>> {
        let sources = self.variants.iter().map(|((key, properties), (file, bytes))| TableSource {
            key: *key,
            properties,
            file: *file,
            bytes: *bytes,
        });
        sources.collect()
    }

    /// Returns the bundle that makes of others what this is.
    pub(crate) fn over<A: Allocator + ?Sized>(
        &self,
        bundles: &Bundles<'_, A>,
        block_bytes: u32,
        memory: &A,
    ) -> Vec<u8> {
        let wanted = self.wanted();
        let difference = bundles.try_difference_in(&wanted, memory).expect("memory");
        let layer = bundles.next_layer();
        let source = BundleSource {
            platform: "here",
            endian: Endian::NATIVE,
            layer,
            below: bundles.state(layer),
            block_bytes,
            variants: &difference.variants,
            files: &difference.files,
        };
        self.write(&source, memory)
    }

    /// Writes a bundle.
    pub(crate) fn write<A: Allocator + ?Sized>(
        &self,
        source: &BundleSource<'_>,
        memory: &A,
    ) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let mut read = |file: ContentHash, into: &mut [u8]| {
            into.copy_from_slice(&self.files[&file.0]);
            Ok(())
        };
        let header = write_bundle(source, &mut read, &mut out, memory).expect("it can be written");
        let bytes = out.into_inner();
        assert_eq!(header.bytes, bytes.len() as u64, "it ends where the header says");
        bytes
    }
}

pub(crate) fn place(key: ResourceKey, properties: &[&str]) -> Place {
    let hashed = properties.iter().map(|property| IdString64::new(property));
    let mut properties: Vec<IdString64> = hashed.collect();
    properties.sort_unstable();
    (key, properties)
}

/// Runs a test with an allocator for several threads, and asserts that all of its memory is freed.
pub(crate) fn with_shared_memory(test: impl FnOnce(&SharedHeap<'_>)) {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    test(&heap);
    assert_eq!(heap.stats().live, 0, "blocks were never given back");
}

/// A payload that compresses well, or hardly.
pub(crate) fn payload(bytes: usize, seed: u64, is_noise: bool) -> Vec<u8> {
    let noise = |at: usize| (murmur2_64a(&at.to_le_bytes()[..], seed) >> 32) as u8;
    (0..bytes).map(|at| if is_noise { noise(at) } else { noise(at / 64) }).collect()
}
