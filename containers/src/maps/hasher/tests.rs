//! Known answers, which must never change, and how hashes spread.

use core::hash::{BuildHasher, Hasher};
use std::collections::HashSet;

use loligo_ids::{Id, IdString32, IdString64, SmallId};

use super::{BuildIdHasher, BuildKeyHasher, IdHasher, KeyHasher, START};

/// The ratio of the most crowded of 128 tags, and of 4 096 places, to the mean.
fn crowding(hashes: &[u64]) -> (f64, f64) {
    let mut tags = [0_u32; 128];
    let mut places = std::vec![0_u32; 4096];
    for hash in hashes {
        tags[(hash >> 57) as usize] += 1;
        places[(hash & 4095) as usize] += 1;
    }
    let over_mean = |most: Option<&u32>, count: usize| {
        f64::from(*most.expect("not empty")) * count as f64 / hashes.len() as f64
    };
    (over_mean(tags.iter().max(), 128), over_mean(places.iter().max(), 4096))
}

#[test]
fn hashes_are_the_same_in_every_run() {
    let keys = BuildKeyHasher::new();
    let ids = BuildIdHasher::new();
    assert_eq!(keys.hash_one(0_u64), 0xe184_8576_4ba0_3644);
    assert_eq!(keys.hash_one(7_u32), keys.hash_one(7_usize), "32 bits or 64");
    assert_eq!(keys.hash_one("larch"), 0xed3d_cd3b_839d_fe5e);
    assert_eq!(ids.hash_one(1_u32), 0x9e37_79b9_7f4a_7c15);
    assert_eq!(ids.hash_one("larch"), 0x86a1_550e_df05_2163);
    let (wide, halves) = (1_u128 << 64 | 7, (7_u64, 1_u64));
    assert_eq!(
        keys.hash_one(wide),
        keys.hash_one(halves),
        "the lower half first, on every machine"
    );
    assert_eq!(keys.hash_one(wide as i128), keys.hash_one(halves), "with a sign or without");
    assert_eq!(ids.hash_one(wide), ids.hash_one(halves), "so for ids");
}

#[test]
fn keys_of_any_step_spread() {
    let hasher = BuildKeyHasher::new();
    for shift in [0, 3, 12, 20, 32, 44] {
        let hashes: std::vec::Vec<u64> =
            (0..65_536_u64).map(|key| hasher.hash_one(key << shift)).collect();
        let (tags, places) = crowding(&hashes);
        assert!(tags < 1.4, "steps of 2^{shift}: {tags} times the mean in a tag");
        assert!(places < 4.0, "steps of 2^{shift}: {places} times the mean in a place");
    }
}

#[test]
fn text_that_differs_a_little_has_another_hash() {
    let hasher = BuildKeyHasher::new();
    let mut seen = HashSet::new();
    for length in 0..40_usize {
        let mut text = std::vec![0_u8; length];
        assert!(seen.insert(hasher.hash_one(&text[..])), "zeros of length {length}");
        for at in 0..length {
            text[at] = 1;
            assert!(seen.insert(hasher.hash_one(&text[..])), "length {length}, a 1 at {at}");
            text[at] = 0;
        }
    }
    let pairs: HashSet<u64> = (0..100_u32)
        .flat_map(|a| (0..100_u32).map(move |b| (a, b)))
        .map(|p| hasher.hash_one(p))
        .collect();
    assert_eq!(pairs.len(), 10_000);
}

#[test]
fn ids_of_one_table_never_meet_in_a_table_as_large() {
    let hasher = BuildIdHasher::new();
    let small = |index: u32| SmallId::<()>::from_bits((3_u32 << 20) | index).expect("an id");
    let wide = |index: u64| Id::<()>::from_bits((9_u64 << 56) | (3 << 32) | index).expect("an id");
    let hashes: [std::vec::Vec<u64>; 2] = [
        (0..4096).map(|index| hasher.hash_one(small(index))).collect(),
        (0..4096).map(|index| hasher.hash_one(wide(index))).collect(),
    ];
    for hashes in hashes {
        let (tags, places) = crowding(&hashes);
        assert!(places < 1.1, "{places} times the mean in a place");
        assert!(tags < 1.6, "{tags} times the mean in a tag");
    }
    let pairs: HashSet<u64> = (0..100_u32)
        .flat_map(|a| (0..100_u32).map(move |b| (a, b)))
        .map(|p| hasher.hash_one(p))
        .collect();
    assert_eq!(pairs.len(), 10_000);
}

#[test]
fn hashed_names_spread() {
    let hasher = BuildIdHasher::new();
    let names = || (0..65_536).map(|number| std::format!("units/larch/{number}"));
    let short = names().map(|name| hasher.hash_one(IdString32::new(&name)));
    let long = names().map(|name| hasher.hash_one(IdString64::new(&name)));
    for hashes in [short.collect::<std::vec::Vec<_>>(), long.collect()] {
        let (tags, places) = crowding(&hashes);
        assert!(tags < 1.4, "{tags} times the mean in a tag");
        assert!(places < 4.0, "{places} times the mean in a place");
    }
}

#[test]
fn bytes_behind_an_id_are_hashed_from_where_that_left_off() {
    let mut ids = IdHasher::default();
    ids.write_u32(7);
    let state = ids.finish();
    ids.write(b"larch");
    let mut keys = KeyHasher { state: state ^ START };
    keys.write(b"larch");
    assert_eq!(ids.finish(), keys.finish(), "the same from the same beginning");
    let mut alone = IdHasher::default();
    alone.write(b"larch");
    let mut keys = KeyHasher::default();
    keys.write(b"larch");
    assert_eq!(alone.finish(), keys.finish(), "bytes alone are hashed as any key");
}
