//! There and back, both ways.

use super::*;
use crate::hash::murmur::{murmur2_32, murmur2_64a, step_32, step_64, tail_step_32, tail_step_64};
use crate::hash::random::Random;

#[test]
fn inverses_multiply_to_one() {
    assert_eq!(M_32_INVERSE.wrapping_mul(M_32), 1);
    assert_eq!(M_64_INVERSE.wrapping_mul(M_64), 1);
    assert_eq!((M_32_INVERSE, M_64_INVERSE), (0xe59b_19bd, 0x5f7a_0ea7_e59b_19bd));
}

#[test]
fn any_odd_number_has_an_inverse() {
    let mut random = Random::new(5);
    let edges = [1, 3, u64::MAX, u64::MAX - 2, 1 << 63 | 1, u64::from(M_32), M_64];
    for odd in edges.into_iter().chain((0..10_000).map(|_| random.next() | 1)) {
        assert_eq!(inverse_64(odd).wrapping_mul(odd), 1, "the inverse of {odd:#x}");
    }
}

#[test]
fn shifts_are_undone() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let value = random.next_32();
        for shift in 11..32 {
            assert_eq!(unshift_32(value ^ value >> shift, shift), value, "{value:#x} by {shift}");
        }
    }
}

#[test]
fn hashes_lead_back_to_their_keys() {
    let mut random = Random::new(2);
    for _ in 0..200_000 {
        let (key, seed) = (random.next_32().to_le_bytes(), random.next_32());
        assert_eq!(murmur2_32_inverse(murmur2_32(&key, seed), seed), key, "seed {seed:#x}");
        let (key, seed) = (random.next().to_le_bytes(), random.next());
        assert_eq!(murmur2_64a_inverse(murmur2_64a(&key, seed), seed), key, "seed {seed:#x}");
    }
}

#[test]
fn every_hash_has_a_key() {
    let mut random = Random::new(3);
    for hash in [0, 1, u32::MAX, 0x5e43_bd96] {
        assert_eq!(murmur2_32(&murmur2_32_inverse(hash, 0), 0), hash);
    }
    for _ in 0..200_000 {
        let (hash, seed) = (random.next_32(), random.next_32());
        assert_eq!(murmur2_32(&murmur2_32_inverse(hash, seed), seed), hash, "seed {seed:#x}");
        let (hash, seed) = (random.next(), random.next());
        assert_eq!(murmur2_64a(&murmur2_64a_inverse(hash, seed), seed), hash, "seed {seed:#x}");
    }
}

#[test]
fn steps_go_backwards() {
    let mut random = Random::new(4);
    for _ in 0..10_000 {
        let (state, block) = (random.next_32(), random.next_32());
        assert_eq!(block_between_32(state, step_32(state, block)), block);
        let after = tail_step_32(state, block & 0xff_ffff);
        assert_eq!(untail_32(after, block & 0xff_ffff), state);
        assert_eq!(untail_32(after, state), block & 0xff_ffff);
        let (state, block) = (random.next(), random.next());
        assert_eq!(block_between_64(state, step_64(state, block)), block);
        let after = tail_step_64(state, block >> 8);
        assert_eq!(untail_64(after, block >> 8), state);
        assert_eq!(untail_64(after, state), block >> 8);
    }
}

#[test]
fn the_compiler_inverts_too() {
    const KEY: [u8; 4] = murmur2_32_inverse(murmur2_32("bone", 3), 3);
    const WIDE: [u8; 8] = murmur2_64a_inverse(murmur2_64a("skeleton", 3), 3);
    assert_eq!((&KEY, &WIDE), (b"bone", b"skeleton"));
}
