//! Tests of the index's bytes.

use std::sync::Arc;

use loligo_resources::ContentHash;

use super::{Entry, FileRecord, HASH, Index, IndexError, Output, Reference};
use crate::dependency::Dependency;
use crate::hash::hash_of;
use crate::resource_name::ResourceName;
use crate::tree::Stamp;

fn sample() -> Index {
    let hash = |byte| ContentHash([byte; 32]);
    let path: Arc<str> = "a.config".into();
    let file = FileRecord {
        path: path.clone(),
        is_settled: true,
        stamp: Stamp { bytes: 9, modified_nanoseconds: 7, ..Stamp::default() },
        hash: hash(1),
    };
    let entry = Entry {
        name: ResourceName {
            type_name: "config".into(),
            name: "a".into(),
            properties: vec!["fr".into(), "hd".into()],
        },
        source: path.clone(),
        recipe: hash(2),
        is_failed: false,
        output: Some(Output { file: hash(3), bytes: 99 }),
        dependencies: vec![
            Dependency::File { path: path.clone(), hash: Some(hash(1)) },
            Dependency::File { path: "none".into(), hash: None },
            Dependency::Listing { path: "".into(), hash: Some(hash(4)) },
            Dependency::Option { name: "platform".into(), value: Some("linux".into()) },
            Dependency::Option { name: "quality".into(), value: None },
        ],
        names: vec!["width".into()],
        references: vec![Reference {
            type_name: "texture".into(),
            name: "door".into(),
            line: 3,
            column: 4,
        }],
    };
    let mut failed = entry.clone();
    failed.name.name = "b".into();
    (failed.output, failed.is_failed) = (None, true);
    Index { files: vec![file], entries: vec![entry, failed] }
}

/// Puts the right hash before bytes that were changed.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = hash_of(&bytes[HASH.end..]);
    bytes[HASH].copy_from_slice(&hash.0);
    let length = (bytes.len() as u64).to_le_bytes();
    bytes[16..24].copy_from_slice(&length);
    bytes
}

#[test]
fn what_is_written_is_read() {
    let index = sample();
    assert_eq!(Index::from_bytes(&index.to_bytes()), Ok(index));
    assert_eq!(Index::from_bytes(&Index::default().to_bytes()), Ok(Index::default()));
}

#[test]
fn every_damaged_byte_and_every_cut_is_noticed() {
    let bytes = sample().to_bytes();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        assert!(Index::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(Index::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn no_length_is_believed_even_where_the_hash_is_right() {
    let bytes = sample().to_bytes();
    let mut refused = 0;
    for at in HASH.end..bytes.len() {
        for value in [0, 0xff] {
            let mut forged = bytes.clone();
            forged[at] = value;
            // What is accepted is whole: it is written and read again the same.
            match Index::from_bytes(&signed(forged)) {
                Ok(index) => assert_eq!(Index::from_bytes(&index.to_bytes()), Ok(index)),
                Err(_) => refused += 1,
            }
        }
        let cut = signed(bytes[..at].to_vec());
        assert!(Index::from_bytes(&cut).is_err(), "cut at {at}");
    }
    assert!(refused > 100, "{refused} forgeries were refused");
}

#[test]
fn other_versions_are_named() {
    let mut bytes = sample().to_bytes();
    bytes[8] = 9;
    assert_eq!(Index::from_bytes(&bytes), Err(IndexError::OtherVersion { found: 9 }));
    assert_eq!(Index::from_bytes(b"no index"), Err(IndexError::NoIndex));
}
