//! Text for any hash, and all the text that there is where it is short.

use std::collections::BTreeSet;

use super::*;
use crate::hash::murmur::{murmur2_32, murmur2_64a};
use crate::hash::random::Random;

#[test]
fn the_alphabet_is_what_is_visible() {
    let letters: BTreeSet<u8> = ALPHABET.into_iter().collect();
    assert_eq!(letters.len(), 94, "each character once");
    assert!(is_visible(&ALPHABET), "and no other");
}

#[test]
fn eight_bytes_at_once_are_judged_as_one_by_one() {
    let mut random = Random::new(7);
    let mut seen = [0; 2];
    for _ in 0..20_000 {
        let mut bytes: [u8; 8] = *random.visible(8).as_bytes().as_array().expect("8 letters");
        if random.below(2) == 0 {
            bytes[random.below(8)] = [0, 1, 0x20, 0x21, 0x7e, 0x7f, 0x80, 0xff][random.below(8)];
            bytes[random.below(8)] = random.next_32() as u8;
        }
        let expected = is_visible(&bytes);
        assert_eq!(is_visible_word(u64::from_le_bytes(bytes)), expected, "{bytes:x?}");
        seen[usize::from(expected)] += 1;
    }
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
}

#[test]
fn any_32_bit_hash_has_text_of_any_length_from_six_on() {
    let mut random = Random::new(1);
    let mut buffer = [0xff; 70];
    for len in 6..70 {
        for _ in 0..50 {
            let (hash, seed) = (random.next_32(), random.next_32());
            let text = preimage_32(hash, seed, &mut buffer[..len]);
            let text = text.unwrap_or_else(|| panic!("{hash:#x}, seed {seed:#x}, {len} letters"));
            assert_eq!(text.len(), len);
            assert!(text.chars().all(|c| c.is_ascii_graphic()), "{text:?} is visible");
            assert_eq!(murmur2_32(text, seed), hash, "{text:?}, seed {seed:#x}");
        }
    }
}

#[test]
fn any_64_bit_hash_has_text_of_any_length_from_eleven_on() {
    let mut random = Random::new(2);
    let mut buffer = [0xff; 70];
    for len in 11..70 {
        for _ in 0..8 {
            let (hash, seed) = (random.next(), random.next());
            let text = preimage_64(hash, seed, &mut buffer[..len]);
            let text = text.unwrap_or_else(|| panic!("{hash:#x}, seed {seed:#x}, {len} letters"));
            assert_eq!(text.len(), len);
            assert!(text.chars().all(|c| c.is_ascii_graphic()), "{text:?} is visible");
            assert_eq!(murmur2_64a(text, seed), hash, "{text:?}, seed {seed:#x}");
        }
    }
}

/// Up to one block the text is the only one of its length; beyond, there is one, if not that one.
#[test]
fn what_exists_is_found() {
    let mut random = Random::new(3);
    let mut buffer = [0; 10];
    for len in 0..=5 {
        for _ in 0..2_000 {
            let (name, seed) = (random.visible(len), random.next_32());
            let text = preimage_32(murmur2_32(&name, seed), seed, &mut buffer[..len]);
            let text = text.unwrap_or_else(|| panic!("{name:?} has this hash, seed {seed:#x}"));
            assert_eq!(murmur2_32(text, seed), murmur2_32(&name, seed), "{text:?} for {name:?}");
            assert!(len > 4 || text == name, "{text:?} for {name:?}");
        }
    }
    for len in 0..=10 {
        for _ in 0..300 {
            let (name, seed) = (random.visible(len), random.next());
            let text = preimage_64(murmur2_64a(&name, seed), seed, &mut buffer[..len]);
            let text = text.unwrap_or_else(|| panic!("{name:?} has this hash, seed {seed:#x}"));
            assert_eq!(murmur2_64a(text, seed), murmur2_64a(&name, seed), "{text:?} for {name:?}");
            assert!(len > 8 || text == name, "{text:?} for {name:?}");
        }
    }
}

/// Counts the hashes that have text of a length, in thousandths.
fn share(draws: u32, mut has_text: impl FnMut(&mut Random) -> bool) -> u32 {
    let mut random = Random::new(4);
    (0..draws).filter(|_| has_text(&mut random)).count() as u32 * 1000 / draws
}

#[test]
fn shorter_text_exists_as_often_as_the_docs_say() {
    let mut buffer = [0; 16];
    let mut narrow =
        |len| share(4_000, |random| preimage_32(random.next_32(), 0, &mut buffer[..len]).is_some());
    assert!((790..850).contains(&narrow(5)), "82 % at 5 letters");
    assert!((12..25).contains(&narrow(4)), "1.8 % at 4 letters");
    assert_eq!(narrow(1) + narrow(0), 0, "hardly ever at 1 letter and at none");
    let mut wide =
        |len| share(1_000, |random| preimage_64(random.next(), 0, &mut buffer[..len]).is_some());
    assert!((920..980).contains(&wide(10)), "95 % at 10 letters");
    assert!((15..50).contains(&wide(9)), "3 % at 9 letters");
    assert_eq!(wide(7), 0, "hardly ever at 7 letters");
}

#[test]
fn the_empty_text_has_one_hash() {
    assert_eq!(preimage_32(murmur2_32("", 7), 7, &mut []), Some(""));
    assert_eq!(preimage_32(murmur2_32("", 7) ^ 1, 7, &mut []), None);
    assert_eq!(preimage_64(murmur2_64a("", 7), 7, &mut []), Some(""));
    assert_eq!(preimage_64(murmur2_64a("", 7) ^ 1, 7, &mut []), None);
}

#[test]
fn a_tail_with_more_than_its_bytes_is_no_text() {
    // The tail of one letter would have to be `a` and a bit above it.
    let seed = 0;
    let state = begin_32(1, seed);
    let (mut one, mut two) = ([0; 1], [0; 2]);
    let tail = u32::from(b'a') | 1 << 8;
    assert_eq!(fill_tail(&mut one, tail.into()), None);
    assert_eq!(fill_tail(&mut two, (tail | 0x6000).into()), Some(()));
    assert_eq!(fill_tail(&mut one, 0x20), None, "a space is not visible");
    assert_eq!(untail_32(crate::hash::murmur::tail_step_32(state, tail), state), tail);
}

/// Three letters before the solved ones or at the end are counted through, so all others are the
/// first letter.
#[test]
fn what_is_not_counted_is_the_first_letter() {
    let mut random = Random::new(5);
    for _ in 0..20 {
        let mut buffer = [0xff; 23];
        let text = preimage_32(random.next_32(), 1, &mut buffer[..13]).expect("long enough");
        assert!(text.starts_with("aaaaaa"), "{text}: a block, and half of that before the last");
        let mut buffer = [0xff; 23];
        let text = preimage_64(random.next(), 1, &mut buffer).expect("long enough");
        assert_eq!((&text[..8], &text[16..20]), ("aaaaaaaa", "aaaa"), "{text}");
    }
}

#[test]
fn the_same_call_gives_the_same_text() {
    let (mut one, mut two) = ([0; 13], [0xff; 13]);
    assert_eq!(preimage_32(99, 1, &mut one), preimage_32(99, 1, &mut two));
    assert_eq!(preimage_64(99, 1, &mut one), preimage_64(99, 1, &mut two));
}
