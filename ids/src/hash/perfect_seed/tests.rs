//! The smallest seed, compared with a naive search; and sets that have none.

use std::collections::HashSet;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::hash::inverse::block_between_32;
use crate::hash::murmur::step_32;
use crate::hash::preimage::preimage_32;
use crate::hash::random::Random;
use crate::hash::test_memory::{with_bytes, with_memory};

/// Another name with the hash of `name` under a seed.
fn collides_with(name: &str, seed: u32, len: usize) -> String {
    let mut text = std::vec![0; len];
    let text = preimage_32(murmur2_32(name, seed), seed, &mut text);
    text.expect("long enough").to_string()
}

/// Two names that collide under every seed: their first blocks leave states that differ in the
/// highest bit alone, which an odd multiplier keeps in its place, and the second blocks take it
/// away again.
fn collide_always(random: &mut Random) -> [String; 2] {
    loop {
        let half = random.visible(4);
        let block = u32::from_le_bytes(half.as_bytes().try_into().expect("4 letters"));
        let flipped = block_between_32(0, step_32(0, block) ^ 1 << 31).to_le_bytes();
        // Its first byte is none of ASCII, but may begin a letter of two.
        if let Ok(other) = str::from_utf8(&flipped) {
            return [half.repeat(2), other.repeat(2)];
        }
    }
}

fn naive(keys: &[String], tries: u32) -> Option<u32> {
    (0..tries).find(|&seed| {
        let mut hashes = HashSet::new();
        keys.iter().all(|key| hashes.insert(murmur2_32(key, seed)))
    })
}

fn keys(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    (0..count).map(|number| random.name(number)).collect()
}

#[test]
fn the_compiler_finds_seeds() {
    const SEED: Option<u32> = perfect_seed(&["pause", "resume", "step", "quit"]);
    const NONE_OF_TWO: Option<u32> = perfect_seed(&["pause", "step", "pause"]);
    const OF_NOTHING: Option<u32> = perfect_seed(&[]);
    const OF_ONE: Option<u32> = perfect_seed(&["pause"]);
    assert_eq!((SEED, NONE_OF_TWO, OF_NOTHING, OF_ONE), (Some(0), None, Some(0), Some(0)));
}

#[test]
fn both_searches_skip_seeds_that_collide() {
    let mut names = Vec::from(["stone".to_string(), "root_point".to_string()]);
    for seed in 0..3 {
        names.push(collides_with(&names[seed as usize], seed, 9 + seed as usize));
        let expected = naive(&names, 100).expect("a few names have a seed");
        assert_eq!(expected, seed + 1, "one more seed is bad");
        let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(perfect_seed(&borrowed), Some(expected));
        with_memory(|memory| assert_eq!(perfect_seed_in(&names, 100, memory), Ok(expected)));
    }
}

#[test]
fn the_small_search_takes_what_it_says() {
    let names = keys(1, SMALL_KEYS_MAX);
    let mut borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(perfect_seed(&borrowed), naive(&names, 100));
    let last = borrowed.len() - 1;
    for (one, other) in [(0, 1), (0, last), (last - 1, last), (300, 700)] {
        let kept = borrowed[other];
        borrowed[other] = borrowed[one];
        assert_eq!(perfect_seed(&borrowed), None, "keys {one} and {other} are equal");
        borrowed[other] = kept;
    }
}

#[test]
fn equal_values_are_seen_wherever_they_stand() {
    let mut random = Random::new(8);
    for len in 0..40 {
        for round in 0..100 {
            let mut values = [0; SMALL_KEYS_MAX];
            let mut distinct = HashSet::new();
            for value in &mut values[..len] {
                // About every second set has an equal pair.
                *value = random.below(1 + len * len) as u32;
                distinct.insert(*value);
            }
            let expected = distinct.len() == len;
            assert_eq!(all_differ(&mut values, len), expected, "{len} values, round {round}");
            assert!(!expected || values[..len].is_sorted(), "{len} values, round {round}");
        }
    }
}

#[test]
#[should_panic(expected = "perfect_seed_in")]
fn the_small_search_takes_no_more() {
    let _ = perfect_seed(&[""; SMALL_KEYS_MAX + 1]);
}

#[test]
fn the_seed_is_the_smallest() {
    for seed in 0..4 {
        let names = keys(seed, 50_000);
        let expected = naive(&names, 1000).expect("50 000 names have a seed");
        with_memory(|memory| assert_eq!(perfect_seed_in(&names, 1000, memory), Ok(expected)));
    }
}

/// What the article claims.
#[test]
fn a_hundred_thousand_keys_have_a_seed() {
    for count in [65_000, 100_000] {
        let names = keys(count as u64, count);
        with_memory(|memory| {
            let seed = perfect_seed_in(&names, 200, memory).expect("far fewer tries are enough");
            let hashes: HashSet<u32> = names.iter().map(|name| murmur2_32(name, seed)).collect();
            assert_eq!(hashes.len(), count, "no two keys collide under {seed}");
        });
    }
}

#[test]
fn equal_keys_are_named_whatever_collides_first() {
    let mut names = keys(3, 1000);
    names[10] = collides_with(&names[5].clone(), 0, 12);
    names[900] = names[300].clone();
    let error = PerfectSeedError::Duplicate { key: &names[300], first: 300, second: 900 };
    with_memory(|memory| assert_eq!(perfect_seed_in(&names, 10, memory), Err(error)));
    assert!(error.to_string().contains(&names[300]), "{error}");
}

#[test]
fn keys_that_always_collide_are_named() {
    let pair = collide_always(&mut Random::new(5));
    assert_ne!(pair[0], pair[1]);
    for seed in [0, 1, 77, u32::MAX] {
        assert_eq!(murmur2_32(&pair[0], seed), murmur2_32(&pair[1], seed), "under {seed}");
    }
    let mut names = keys(4, 500);
    names.extend(pair.clone());
    let [first, second] = [pair[0].as_str(), pair[1].as_str()];
    let error = PerfectSeedError::NoSeed { tries: 20, pair: Some([first, second]) };
    with_memory(|memory| assert_eq!(perfect_seed_in(&names, 20, memory), Err(error)));
    assert!(error.to_string().contains(&format!("{first:?}")), "{error}");
    assert_eq!(perfect_seed(&[first, second]), None);
}

#[test]
fn a_hash_of_zero_is_a_hash() {
    let (mut one, mut two) = ([0; 8], [0; 9]);
    let one = preimage_32(0, 0, &mut one).expect("8 letters are enough");
    let two = preimage_32(0, 0, &mut two).expect("9 letters are enough");
    with_memory(|memory| {
        assert_eq!(perfect_seed_in(&[one, "other"], 1, memory), Ok(0));
        assert_eq!(perfect_seed_in(&[one, "other", two], 2, memory), Ok(1));
    });
}

/// Both searches continue at the next slot, and after the last one at the first.
#[test]
fn keys_that_meet_in_a_slot_lie_behind_each_other() {
    for place in [0, 7] {
        let all = (0_u32..).map(|number| number.to_string());
        let pair: Vec<String> =
            all.filter(|key| murmur2_64a(key.as_str(), 0) % 8 == place as u64).take(2).collect();
        let mut table = [0; 8];
        assert_eq!(first_duplicate(&pair, &mut table), None, "they differ");
        assert_eq!((table[place], table[(place + 1) % 8]), (1, 2), "in their order");
    }
}

#[test]
fn nothing_and_no_tries() {
    with_memory(|memory| {
        assert_eq!(perfect_seed_in::<&str, _>(&[], 1, memory), Ok(0));
        assert_eq!(perfect_seed_in(&["one"], 1, memory), Ok(0));
        let error = PerfectSeedError::NoSeed { tries: 0, pair: None };
        assert_eq!(perfect_seed_in(&["one"], 0, memory), Err(error));
    });
}

#[test]
fn refused_memory_is_an_error() {
    let names = keys(6, 100);
    with_bytes(1000, |memory| {
        let error = perfect_seed_in(&names, 10, memory).expect_err("256 slots do not fit");
        assert_eq!(error, PerfectSeedError::Memory(AllocError));
    });
}

/// A key that takes no memory, so that there can be any number of them.
struct Nothing;

impl AsRef<str> for Nothing {
    fn as_ref(&self) -> &str {
        ""
    }
}

#[test]
fn more_keys_than_a_quarter_of_the_hashes_are_refused() {
    with_bytes(1000, |memory| {
        let many = [const { Nothing }; KEYS_MAX + 1];
        let error = perfect_seed_in(&many, 10, memory).expect_err("one too many");
        assert_eq!(error, PerfectSeedError::TooManyKeys { keys: (1 << 30) + 1 }, "counted");
        let said = "1073741825 keys are too many for 32-bit hashes; at most 1073741824 are taken";
        assert_eq!(error.to_string(), said, "how many there are and may be");
        // As many as may be are only refused by the memory.
        let error = perfect_seed_in(&many[1..], 10, memory).expect_err("8 GiB are not there");
        assert_eq!(error, PerfectSeedError::Memory(AllocError), "not counted out");
        let said = format!("no memory for the search for a seed: {AllocError}");
        assert_eq!(error.to_string(), said, "and the reason");
    });
}

#[test]
fn an_error_names_keys_and_remedy() {
    let twice = PerfectSeedError::Duplicate { key: "wood", first: 1, second: 4 };
    let said = "key \"wood\" stands twice, at 1 and at 4: name it once";
    assert_eq!(twice.to_string(), said, "where it is");
    let none = PerfectSeedError::NoSeed { tries: 0, pair: None };
    let said = "none of the first 0 seeds tells all keys apart";
    assert_eq!(none.to_string(), said, "no pair");
    let pair = PerfectSeedError::NoSeed { tries: 7, pair: Some(["a", "b"]) };
    let said = "none of the first 7 seeds tells all keys apart; under the last one \"a\" and \"b\" \
                collide";
    assert_eq!(pair.to_string(), said, "and the pair");
}

/// 8 to 16 bytes a key, in one block.
#[test]
fn the_search_takes_as_much_memory_as_it_says() {
    for (count, bytes) in [(64, 512), (65, 1024), (100, 1024), (128, 1024), (129, 2048)] {
        let names = keys(9, count);
        with_memory(|memory| {
            let before = memory.stats().granted_total as usize;
            assert!(perfect_seed_in(&names, 50, memory).is_ok(), "{count} keys have a seed");
            // The heap may round up.
            let taken = memory.stats().granted_total as usize - before;
            assert!((bytes..bytes + 64).contains(&taken), "{taken} bytes for {count} keys");
        });
    }
}

/// One pair of names collides under each seed, and no other does.
#[test]
fn the_small_search_tries_as_many_seeds_as_it_says() {
    let mut names = Vec::from(["root_point".to_string()]);
    for seed in 0..SMALL_TRIES {
        let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(perfect_seed(&borrowed), Some(seed), "all before are bad");
        names.push(collides_with(&names[0], seed, 9));
    }
    let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(perfect_seed(&borrowed), None, "all 64 are bad");
    with_memory(|memory| {
        assert_eq!(perfect_seed_in(&names, 65, memory), Ok(64), "the next one is not");
        let refused = perfect_seed_in(&names, 64, memory);
        assert!(matches!(refused, Err(PerfectSeedError::NoSeed { tries: 64, .. })), "{refused:?}");
    });
}
