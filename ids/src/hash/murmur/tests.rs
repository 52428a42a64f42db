//! Known answers, and the same values as two implementations of other people.

use core::hint::black_box;
use std::vec::Vec;

use super::*;
use crate::hash::random::Random;

/// The article's known answer, by the compiler.
const ROOT_POINT: u32 = murmur2_32("root_point", 0);

#[test]
fn gives_the_known_answers() {
    assert_eq!(ROOT_POINT, 0x5e43_bd96);
    assert_eq!(murmur2_32("root_point", 0), ROOT_POINT, "as the compiler");
    assert_eq!(murmur2_32("", 0), 0);
    assert_eq!(murmur2_64a("", 0), 0);
}

#[test]
fn compiler_and_machine_agree() {
    const TEXT: &str = "vegetation/trees/larch_3.mesh";
    const SHORT: [u32; 6] = [
        murmur2_32("", 9),
        murmur2_32("l", 9),
        murmur2_32("la", 9),
        murmur2_32("lar", 9),
        murmur2_32("larc", 9),
        murmur2_32("larch", 9),
    ];
    const LONG: (u32, u64) = (murmur2_32(TEXT, 1), murmur2_64a(TEXT, 1));
    let text = black_box(TEXT);
    assert_eq!(LONG, (murmur2_32(text, 1), murmur2_64a(text, 1)));
    for (len, hash) in SHORT.into_iter().enumerate() {
        assert_eq!(murmur2_32(&black_box("larch")[..len], 9), hash, "{len} letters");
    }
}

#[test]
fn a_few_bytes_are_a_number() {
    let bytes = black_box([0x11, 0x22, 0x33, 0x44]);
    let numbers = [0, 0x11, 0x2211, 0x33_2211];
    for (len, number) in numbers.into_iter().enumerate() {
        assert_eq!(few(&bytes[..len]), number, "{len} bytes, the first one lowest");
    }
}

/// Every length to 100 at every alignment to 16, many contents and seeds.
#[test]
fn agrees_with_other_implementations() {
    let mut random = Random::new(1);
    let mut buffer: Vec<u8>;
    for round in 0..40 {
        for len in 0..=100 {
            let (seed, wide) = (random.next_32(), random.next());
            let key = random.bytes(len);
            for align in 0..16 {
                buffer = random.bytes(align);
                buffer.extend_from_slice(&key);
                let key = &buffer[align..];
                let place = std::format!("round {round}, {len} bytes, alignment {align}");
                assert_eq!(murmur2_32(key, seed), ::murmur2::murmur2(key, seed), "{place}");
                assert_eq!(murmur2_64a(key, wide), ::murmur2::murmur64a(key, wide), "{place}");
            }
        }
    }
}

#[test]
fn agrees_with_one_whose_seed_is_a_constant() {
    let mut random = Random::new(2);
    for len in 0..=100 {
        let key = random.bytes(len);
        assert_eq!(murmur2_32(&key, 0), murmurhash32::murmurhash2_with_seed::<0>(&key));
        assert_eq!(
            murmur2_32(&key, 0xc13f_64af),
            murmurhash32::murmurhash2_with_seed::<0xc13f_64af>(&key)
        );
    }
}

#[test]
fn agrees_on_long_keys() {
    let mut random = Random::new(3);
    for len in [4095, 65_536, 1_000_003] {
        let key = random.bytes(len);
        assert_eq!(murmur2_32(&key, 5), ::murmur2::murmur2(&key, 5));
        assert_eq!(murmur2_64a(&key, 5), ::murmur2::murmur64a(&key, 5));
    }
}
