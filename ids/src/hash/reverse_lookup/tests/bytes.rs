//! Bytes that are not a table, or were damaged: refused with place and reason, never accepted.

use std::string::ToString;

use super::*;
use crate::hash::id_string::{IdString32, IdString64};
use crate::hash::reverse_lookup::image::{
    AT_BYTES, AT_CHECKSUM, AT_HASH_BYTES, AT_NAMES, AT_SEED, AT_TEXT_BYTES, AT_VERSION,
    HEADER_BYTES, checksum,
};

/// Three names with letters of more than one byte: 52 + 3 * 8 bytes and the text.
fn small() -> Vec<u8> {
    let names = ["l\u{e4}rche", "root_point", "\u{6728}"].map(ToString::to_string);
    saved::<IdString32>(&names, 0)
}

/// Makes the checksum of changed bytes right again.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    bytes[AT_CHECKSUM..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn refusal<I: IdString>(bytes: &[u8]) -> DamagedLookup {
    match ReverseLookup::<I>::open(bytes) {
        Ok(table) => panic!("{table:?} was believed"),
        Err(damage) => {
            assert!(damage.offset <= bytes.len(), "{damage} of {} bytes", bytes.len());
            damage
        }
    }
}

/// Writes `field` at an offset, makes the checksum right, and returns where and why it is refused.
fn changed(at: usize, field: &[u8]) -> (usize, &'static str) {
    let mut bytes = small();
    bytes[at..][..field.len()].copy_from_slice(field);
    let damage = refusal::<IdString32>(&sealed(bytes));
    assert!(damage.to_string().contains(damage.reason), "{damage}");
    (damage.offset, damage.reason)
}

#[test]
fn every_truncation_is_refused() {
    let bytes = small();
    for len in 0..bytes.len() {
        let damage = refusal::<IdString32>(&bytes[..len]);
        assert_eq!(damage.offset, len, "{damage}");
    }
}

#[test]
fn a_header_alone_ends_before_the_table_does() {
    let reason = |len: usize| refusal::<IdString32>(&small()[..len]).reason;
    assert_eq!(reason(HEADER_BYTES - 1), "the bytes end within the header", "a byte less");
    assert_eq!(reason(HEADER_BYTES), "the bytes end before the table does", "all of it");
}

#[test]
fn more_bytes_are_refused() {
    let mut bytes = small();
    bytes.push(0);
    assert_eq!(refusal::<IdString32>(&bytes).offset, AT_BYTES);
}

/// Every other value of every byte.
#[test]
fn every_changed_byte_is_refused() {
    let mut bytes = small();
    for at in 0..bytes.len() {
        let kept = bytes[at];
        for other in 1..=255 {
            bytes[at] = kept ^ other;
            refusal::<IdString32>(&bytes);
        }
        bytes[at] = kept;
    }
    assert!(ReverseLookup::<IdString32>::open(&bytes).is_ok(), "and unchanged it is taken");
}

#[test]
fn lengths_are_not_trusted() {
    for huge in [u32::MAX, u32::MAX / 12, 1 << 31, 4, 2, 0] {
        assert_eq!(changed(AT_NAMES, &huge.to_le_bytes()).0, AT_NAMES, "{huge} names");
        assert_eq!(changed(AT_TEXT_BYTES, &huge.to_le_bytes()).0, AT_NAMES, "{huge} bytes");
    }
    for huge in [u64::MAX, 1 << 63, 1 << 32] {
        let (at, reason) = changed(AT_BYTES, &huge.to_le_bytes());
        assert_eq!((at, reason), (small().len(), "the bytes end before the table does"));
    }
}

#[test]
fn the_reason_is_the_right_one() {
    let all = small();
    let offsets = HEADER_BYTES + 3 * 4;
    let text = offsets + 4 * 4;
    assert_eq!(changed(0, b"L"), (0, "the first eight bytes are not those of a table"));
    assert_eq!(changed(AT_VERSION, &[2]), (AT_VERSION, "the version is not 1"));
    assert_eq!(refusal::<IdString64>(&all).offset, AT_HASH_BYTES);
    assert_eq!(changed(AT_SEED + 7, &[1]), (AT_SEED, "the seed is wider than the ids"));
    assert_eq!(changed(AT_SEED, &[1]), (HEADER_BYTES, "the name does not have this hash"));
    assert_eq!(changed(offsets, &[1]).0, offsets);
    assert_eq!(changed(offsets + 3 * 4, &[1]).0, offsets + 3 * 4);
    assert_eq!(changed(offsets + 4, &[0xff; 4]).0, offsets + 4, "a name beyond the text");
    assert_eq!(changed(text, &[0xff]), (text, "the text is not UTF-8"));
    let mut bytes = small();
    bytes[AT_CHECKSUM] ^= 1;
    assert_eq!(refusal::<IdString32>(&bytes).reason, "the checksum is another");
}

#[test]
fn text_that_is_no_name_is_refused() {
    let mut bytes = small();
    bytes.extend_from_slice(b"hidden");
    bytes[AT_TEXT_BYTES] += 6;
    bytes[AT_BYTES] = bytes.len() as u8;
    let damage = refusal::<IdString32>(&sealed(bytes));
    let last = HEADER_BYTES + 3 * 4 + 3 * 4;
    assert_eq!(damage, DamagedLookup::new(last, "the last name does not end where the text does"));
}

#[test]
fn hashes_that_do_not_ascend_are_refused() {
    // Both tables say the same name twice, with its right hash.
    let one = saved::<IdString32>(&["larch".to_string()], 0);
    let mut twice = Vec::from(&one[..HEADER_BYTES]);
    twice[AT_NAMES] = 2;
    twice[AT_TEXT_BYTES] = 10;
    let hash = &one[HEADER_BYTES..][..4];
    let offsets = [0_u32, 5, 10].map(u32::to_le_bytes);
    let parts = [hash, hash, offsets.as_flattened(), b"larchlarch"];
    twice.extend_from_slice(&parts.concat());
    twice[AT_BYTES] = twice.len() as u8;
    let damage = refusal::<IdString32>(&sealed(twice));
    assert_eq!(damage, DamagedLookup::new(HEADER_BYTES + 4, "the hashes do not ascend"));
}

#[test]
fn a_name_that_ends_within_a_letter_is_refused() {
    // The offsets of all names are moved through the text, ascending: none but the right ones hold.
    let all = small();
    let offsets = HEADER_BYTES + 3 * 4;
    let text_bytes = all[AT_TEXT_BYTES];
    let right = [all[offsets + 4], all[offsets + 8]];
    for first in 0..=text_bytes {
        for second in 0..=text_bytes {
            let mut bytes = all.clone();
            (bytes[offsets + 4], bytes[offsets + 8]) = (first, second);
            let opened = ReverseLookup::<IdString32>::open(&sealed(bytes)).is_ok();
            assert_eq!(opened, [first, second] == right, "offsets {first}, {second}");
        }
    }
}

#[test]
fn the_bytes_may_lie_anywhere() {
    let names = names(1, 100);
    let bytes = saved::<IdString64>(&names, 0);
    for shift in 0..16 {
        let mut moved = std::vec![0xee; shift];
        moved.extend_from_slice(&bytes);
        let table = ReverseLookup::<IdString64>::open(&moved[shift..]).expect("only moved");
        assert_eq!(table.len(), names.len());
        assert_eq!(table.get(IdString64::new(&names[7])), Some(names[7].as_str()));
    }
}

/// Changes some bytes of a table, and in every second case makes the checksum right again: a table
/// that is still accepted has only names that hash to their ids.
fn survives_damage<I: IdString>(seed: u64) {
    let bytes = saved::<I>(&names(seed, 40), seed);
    let mut random = Random::new(seed);
    let mut refused = 0;
    for round in 0..4000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(damaged.len());
            damaged[at] = match random.below(3) {
                0 => damaged[at] ^ 1 << random.below(8),
                1 => random.next_32() as u8,
                _ => damaged[random.below(bytes.len())],
            };
        }
        if random.below(4) == 0 {
            damaged.truncate(random.below(damaged.len()));
        }
        let is_sealed = random.below(2) == 0 && damaged.len() >= HEADER_BYTES;
        if is_sealed {
            damaged = sealed(damaged);
        }
        let place = std::format!("seed {seed}, round {round}");
        match ReverseLookup::<I>::open(&damaged) {
            Ok(table) => {
                assert!(is_sealed || damaged == bytes, "{place}: damage was believed");
                for (id, name) in table.iter() {
                    assert_eq!(I::with_seed(name, table.seed()), id, "{place}: {name}");
                    assert_eq!(table.get(id), Some(name), "{place}");
                }
            }
            Err(damage) => {
                refused += 1;
                assert!(damage.offset <= damaged.len(), "{place}: {damage}");
            }
        }
    }
    assert!(refused > 3000, "{refused} tables were refused");
}

#[test]
fn random_damage_never_gives_a_wrong_name() {
    for seed in 1..6 {
        survives_damage::<IdString32>(seed);
        survives_damage::<IdString64>(seed);
    }
}

#[test]
fn noise_is_no_table() {
    let mut random = Random::new(9);
    for len in 0..300 {
        let mut bytes = random.bytes(len);
        refusal::<IdString32>(&bytes);
        let start = small();
        let kept = len.min(random.below(HEADER_BYTES + 1));
        bytes[..kept].copy_from_slice(&start[..kept]);
        refusal::<IdString32>(&bytes);
    }
}

/// Tables are kept in files: each byte is where the layout says, now and in every version to come.
fn lies_as_drawn<I: IdString>(seed: u64) {
    let mut names = ["larch", "", "root_point"].map(ToString::to_string);
    names.sort_by_key(|name| I::with_seed(name, seed));
    let mut expected = Vec::from(*b"lolnames");
    expected.extend(1_u32.to_le_bytes());
    expected.extend((I::BYTES as u32).to_le_bytes());
    let bytes = 48 + 3 * I::BYTES + 4 * 4 + 15;
    expected.extend((bytes as u64).to_le_bytes());
    expected.extend(3_u32.to_le_bytes());
    expected.extend(15_u32.to_le_bytes());
    expected.extend(seed.to_le_bytes());
    let mut rest = Vec::new();
    for name in &names {
        rest.extend(&I::with_seed(name, seed).to_u64().to_le_bytes()[..I::BYTES]);
    }
    let mut end = 0_u32;
    rest.extend(end.to_le_bytes());
    for name in &names {
        end += name.len() as u32;
        rest.extend(end.to_le_bytes());
    }
    names.iter().for_each(|name| rest.extend(name.as_bytes()));
    let head = crate::murmur2_64a(&expected[..], u64::from_be_bytes(*b"lolnames"));
    expected.extend(crate::murmur2_64a(&rest[..], head).to_le_bytes());
    expected.extend(rest);
    assert_eq!(saved::<I>(&names, seed), expected, "seed {seed}");
}

#[test]
fn a_table_lies_as_drawn() {
    lies_as_drawn::<IdString32>(0);
    lies_as_drawn::<IdString32>(7);
    lies_as_drawn::<IdString64>(0);
    lies_as_drawn::<IdString64>(u64::MAX - 1);
}
