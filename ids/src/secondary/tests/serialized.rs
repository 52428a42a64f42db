//! Maps in JSON: round trips, and texts that no map wrote.

use std::string::{String, ToString};
use std::vec::Vec;

use serde_core::de::DeserializeSeed;

use crate::id::{Id, SmallId};
use crate::secondary::serialize::SecondarySeed;
use crate::secondary::{Dense, Placement, Secondary, Sparse};
use crate::test_backing::{Random, TestBacking};

type Wide = Id<u8>;
type Map<'a, P> = Secondary<'a, Wide, u32, TestBacking, P>;

fn read<'a, P: Placement>(
    text: &str,
    slots: usize,
    backing: &'a TestBacking,
) -> Result<Map<'a, P>, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let map = SecondarySeed::new_in(slots, backing).deserialize(&mut reader);
    map.map_err(|error| error.to_string())
}

fn id(generation: u64, index: u64) -> Wide {
    Wide::from_bits(generation << 32 | index).expect("a generation")
}

fn round_trips<P: Placement>(seed: u64) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    let mut map: Map<'_, P> = Secondary::new_in(&backing);
    for value in 0..200 {
        let id = id(1 + random.next() % 3, random.below(300) as u64);
        if random.below(4) == 0 {
            map.remove(id);
        } else {
            map.insert(id, value).expect("there is memory");
        }
    }
    let text = serde_json::to_string(&map).expect("it can be written");
    let copy = read::<P>(&text, 300, &backing).expect("it was written by a map");
    let sorted = |map: &Map<'_, P>| {
        let mut all: Vec<_> = map.iter().map(|(id, value)| (id, *value)).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(&copy), sorted(&map), "seed {seed}");
    assert!(copy.len() > 50, "it is not empty: {}", copy.len());
}

#[test]
fn a_map_is_read_as_it_was_written() {
    for seed in 0..20 {
        round_trips::<Dense>(seed);
        round_trips::<Sparse>(seed);
    }
}

#[test]
fn texts_that_no_map_wrote_are_refused_with_the_id() {
    let backing = TestBacking::new();
    let one = 1_u64 << 32;
    for (text, said) in [
        ("[[5, 1]]".to_string(), "5 is not an id: its generation is 0"),
        (std::format!("[[{}, 1]]", one + 8), "names a slot beyond the 8 of its table"),
        (std::format!("[[{}, 1]]", one + u64::from(u32::MAX)), "beyond the 8 of its table"),
        (std::format!("[[{}, 1], [{}, 2]]", one + 3, one + 3), "that another id has named"),
        (std::format!("[[{}, 1], [{}, 2]]", one + 3, 2 * one + 3), "that another id has named"),
        (std::format!("[[{}]]", one + 3), "invalid length 1"),
        ("{}".to_string(), "invalid type: map, expected a sequence"),
    ] {
        let dense = read::<Dense>(&text, 8, &backing).map(drop).expect_err("it is refused");
        assert!(dense.contains(said), "`{said}` in `{dense}`");
        let sparse = read::<Sparse>(&text, 8, &backing).map(drop).expect_err("it is refused");
        assert!(sparse.contains(said), "`{said}` in `{sparse}`");
    }
    assert_eq!(loligo_allocators::Allocator::stats(&backing).live, 0, "nothing is left");
}

#[test]
fn without_memory_the_id_is_named() {
    let backing = TestBacking::new();
    backing.refuse_from(0);
    let text = std::format!("[[{}, 1]]", (1_u64 << 32) + 3);
    let refused = read::<Dense>(&text, 8, &backing).map(drop).expect_err("there is no memory");
    assert!(refused.contains("no place for the value of the id 4294967299"), "{refused}");
}

#[test]
fn an_id_of_32_bits_is_written_as_one() {
    let backing = TestBacking::new();
    let mut map: Secondary<'_, SmallId<u8>, u32, TestBacking> = Secondary::new_in(&backing);
    map.insert(SmallId::from_bits(3 << 20 | 4).expect("a generation"), 9).expect("memory");
    assert_eq!(serde_json::to_string(&map).expect("it can be written"), "[[3145732,9]]");
}
