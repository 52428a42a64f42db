//! Tests of tables.

use std::string::ToString;
use std::vec::Vec;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{BlobBytes, Endian};
use loligo_ids::IdString64;

use super::{Table, TableError, TableSource, write_table};
use crate::content_hash::ContentHash;
use crate::key::ResourceKey;

const PREFERENCES: [&str; 3] = ["withkittens", "noblood", "fr"];

/// The candidates of "Platform Specific Resources", in the article's order.
const CANDIDATES: [&[&str]; 8] = [
    &["withkittens", "noblood", "fr"],
    &["withkittens", "noblood"],
    &["withkittens", "fr"],
    &["withkittens"],
    &["noblood", "fr"],
    &["noblood"],
    &["fr"],
    &[],
];

fn sorted(properties: &[&str]) -> Vec<IdString64> {
    let mut hashes: Vec<IdString64> =
        properties.iter().map(|property| IdString64::new(property)).collect();
    hashes.sort_unstable();
    hashes
}

/// Opens a table of variants of one resource, numbered from 0 on.
fn with_variants<R>(
    variants: &[&[&str]],
    test: impl FnOnce(&Table<'_, HeapAllocator<'_, PageAllocator>>, ResourceKey) -> R,
) -> R {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let key = ResourceKey::new("texture", "buttons");
    let hashes: Vec<Vec<IdString64>> = variants.iter().map(|variant| sorted(variant)).collect();
    let mut sources: Vec<TableSource<'_>> = hashes
        .iter()
        .enumerate()
        .map(|(number, properties)| TableSource {
            key,
            properties,
            file: ContentHash([number as u8; 32]),
            bytes: number as u64,
        })
        .collect();
    sources.sort_by_key(|source| source.properties);
    let bytes = write_table("linux", Endian::NATIVE, &sources, &heap).expect("memory");
    let table = Table::try_open_in(&bytes, &heap).expect("just written");
    assert_eq!(table.validate(), Ok(()));
    test(&table, key)
}

#[test]
fn the_eight_candidates_of_the_article_come_in_its_order() {
    let order = PREFERENCES.map(IdString64::new);
    for missing in 0..CANDIDATES.len() {
        with_variants(&CANDIDATES[missing..], |table, key| {
            assert_eq!(table.variants(key).len(), CANDIDATES.len() - missing);
            let selected = table.select(key, &order).expect("there is one");
            assert_eq!(selected.bytes, 0, "with {missing} missing, {:?}", CANDIDATES[missing]);
        });
    }
}

#[test]
fn what_nobody_wants_is_not_selected() {
    with_variants(&[&["de"], &["fr", "hd"]], |table, key| {
        assert_eq!(table.select(key, &[IdString64::new("fr")]), None);
        let german = table.select(key, &[IdString64::new("fr"), IdString64::new("de")]);
        assert_eq!(german.map(|entry| entry.bytes), Some(0));
        assert_eq!(table.variants(ResourceKey::new("texture", "button")), []);
    });
}

#[test]
fn damage_and_disorder_are_refused() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let source = |name| TableSource {
        key: ResourceKey::new("text", name),
        properties: &[],
        file: ContentHash([7; 32]),
        bytes: 9,
    };
    let twice = [source("a"), source("a")];
    let bytes = write_table("linux", Endian::NATIVE, &twice, &heap).expect("memory");
    assert!(matches!(Table::try_open_in(&bytes, &heap), Err(TableError::Order(_))));

    let bytes = write_table("linux", Endian::NATIVE, &[source("a")], &heap).expect("memory");
    for at in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 0x10;
        let damaged = BlobBytes::try_copy_in(&damaged, &heap).expect("memory");
        let opened = Table::try_open_in(&damaged, &heap);
        assert!(matches!(opened, Err(TableError::Blob(_))), "byte {at}: {opened:?}");
    }
    for end in 0..bytes.len() {
        assert!(Table::try_open_in(&bytes[..end], &heap).is_err(), "cut at {end}");
    }
    let big = if Endian::NATIVE == Endian::Big { Endian::Little } else { Endian::Big };
    let other = write_table("ps3", big, &[source("a")], &heap).expect("memory");
    let error = Table::try_open_in(&other, &heap).expect_err("another kind of machine");
    assert!(error.to_string().contains("byte order"), "{error}");
}
