//! Bytes that are not a store: refused, or readable as a whole.

use super::*;
use crate::testing::test_memory::{Memory, with_memory};

/// Words, so that their bytes are aligned as they must be.
fn words_of(store: &KeyValues<'_, impl Allocator + ?Sized>) -> Vec<u32> {
    bytemuck::cast_slice(store.as_bytes()).to_vec()
}

/// Opens bytes and, if they are taken, reads everything in every way. Returns whether they were.
fn read_whole(bytes: &[u8], memory: &Memory<'_>) -> bool {
    let Ok(store) = KeyValuesRef::open(bytes) else { return false };
    let mut read = 0;
    for (key, value) in store.iter() {
        assert!(store.contains(key));
        if !matches!(value, Value::F32(number) if number.is_nan())
            && !matches!(value, Value::Array(numbers) if numbers.iter().any(|x| x.is_nan()))
        {
            assert_eq!(store.get(key), Some(value));
        }
        read += store.get_str(key).map_or(0, |text| text.chars().count());
        read +=
            store.get_array(key).map_or(0, |numbers| numbers.iter().filter(|x| **x > 0.0).count());
    }
    assert!(read <= bytes.len());
    let before = memory.stats().granted;
    let copy = KeyValues::try_from_ref_in(store, memory).expect("it is no larger than the bytes");
    assert_eq!(copy.validate(), Ok(()));
    assert_eq!(copy.len(), store.len());
    assert!(memory.stats().granted - before <= bytes.len() + 64);
    true
}

fn stores(test: impl Fn(Vec<u32>, &Memory<'_>)) {
    with_memory(|memory| {
        let store = mixed(memory).expect("there is memory");
        test(words_of(&store), memory);
        let mut store = KeyValues::new_in(memory);
        store.set(key(0), "short");
        store.set(key(1), "x".repeat(66_000).as_str());
        store.set(key(2), &[1.0, 2.0]);
        store.set(key(3), "behind");
        store.try_shrink().expect("there is memory");
        test(words_of(&store), memory);
    });
}

#[test]
fn saved_bytes_load_where_they_lie() {
    stores(|words, memory| {
        assert!(read_whole(bytemuck::cast_slice(&words), memory));
        assert!(read_whole(bytemuck::cast_slice(&EMPTY), memory));
    });
}

#[test]
fn every_flip_of_a_bit_is_refused_or_can_be_read() {
    stores(|words, memory| {
        let (mut refused, mut taken) = (0, 0);
        // All of the header and of the keys, and of a long text only some.
        let bytes = words.len() * 4;
        let places = (0..bytes).filter(|&at| at < 300 || at + 60 > bytes || at % 997 == 0);
        for at in places {
            for bit in 0..8 {
                let mut damaged = words.clone();
                bytemuck::cast_slice_mut::<u32, u8>(&mut damaged)[at] ^= 1 << bit;
                if read_whole(bytemuck::cast_slice(&damaged), memory) {
                    taken += 1
                } else {
                    refused += 1
                }
            }
        }
        assert!(refused > 200 && taken > 200, "{refused} refused, {taken} taken");
    });
}

#[test]
fn every_byte_may_be_any_byte() {
    with_memory(|memory| {
        let store = mixed(memory).expect("there is memory");
        let words = words_of(&store);
        for at in 0..words.len() * 4 {
            for byte in 0..=255 {
                let mut damaged = words.clone();
                bytemuck::cast_slice_mut::<u32, u8>(&mut damaged)[at] = byte;
                read_whole(bytemuck::cast_slice(&damaged), memory);
            }
        }
    });
}

#[test]
fn every_other_length_is_refused() {
    stores(|words, _| {
        let mut bytes: &[u8] = bytemuck::cast_slice(&words);
        let whole = bytes.len();
        for length in (0..whole).filter(|length| *length < 300 || length % 101 == 0) {
            let error = KeyValuesRef::open(&bytes[..length]).expect_err("the end is missing");
            assert!(error.offset <= length, "{error}");
        }
        let mut longer = words.clone();
        longer.extend([0, 0]);
        bytes = bytemuck::cast_slice(&longer);
        for length in whole + 1..=bytes.len() {
            KeyValuesRef::open(&bytes[..length]).expect_err("there is more than the store");
        }
    });
}

#[test]
fn bytes_that_are_no_header_are_refused_with_their_length() {
    let words = [MARK, 20, 0, 0, 0];
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    for length in 0..20 {
        let error = KeyValuesRef::open(&bytes[..length]).expect_err("the end is missing");
        let wanted = match length {
            0..16 => (length, "the bytes end within the header"),
            16 => (4, "the store is not as long as its bytes"),
            _ => (length, "the bytes are no whole words"),
        };
        assert_eq!((error.offset, error.reason), wanted, "{length} bytes");
    }
    with_memory(|memory| assert!(read_whole(bytes, memory), "all of them"));
    let other = [MARK + 1, 20, 0, 0, 0];
    let error = KeyValuesRef::open(bytemuck::cast_slice(&other)).expect_err("another mark");
    assert_eq!((error.offset, error.reason), (0, "the mark is not that of a store"));
}

#[test]
fn bytes_at_odd_places_are_refused() {
    let words = [0, MARK, 16, 0, 0, 0];
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    for shift in 1..4 {
        let error =
            KeyValuesRef::open(&bytes[shift..][..16]).expect_err("not at a multiple of four");
        assert_eq!((error.offset, error.reason), (0, "the bytes do not lie at a multiple of four"));
    }
    with_memory(|memory| assert!(read_whole(&bytes[4..20], memory)));
}

/// Opens a store of these words after a header that fits them.
#[track_caller]
fn refused(count: u32, tail: u32, block: &[u32], offset: usize, reason: &str) {
    let mut words = std::vec![MARK, 4 * (4 + block.len() as u32), count, tail];
    words.extend(block);
    let error = KeyValuesRef::open(bytemuck::cast_slice(&words)).expect_err("it is hostile");
    assert_eq!((error.offset, error.reason), (offset, reason));
    assert!(std::format!("{error}").contains(reason));
}

/// Returns the word that has the types of two keys, a byte each.
fn types([first, second]: [u8; 2]) -> u32 {
    u32::from_ne_bytes([first, second, 0, 0])
}

#[test]
fn hostile_bytes_are_refused_with_place_and_reason() {
    use value::kind;
    let text = types([kind::STR, 0]);
    let array = types([kind::ARRAY, 0]);
    let long_text = types([kind::LONG_STR, 0]);
    let long_array = types([kind::LONG_ARRAY, 0]);
    let number = types([kind::F32, 0]);
    let numbers = types([kind::F32; 2]);

    let mut other = EMPTY;
    other[0] = MARK.swap_bytes();
    let error = KeyValuesRef::open(bytemuck::cast_slice(&other)).expect_err("the other order");
    assert_eq!(error.reason, "the store is of the other byte order");

    let fits = "there are more keys than fit";
    refused(u32::MAX, 0, &[1, 0, number], 8, fits);
    refused(2, 0, &[1, 2, 0, 0], 8, fits);
    refused(u32::MAX / 2, u32::MAX, &[0; 9], 8, fits);
    refused(1, 1, &[1, 0, number], 12, "the values' ends overlap the keys");
    refused(0, u32::MAX, &[0; 9], 12, "the values' ends overlap the keys");
    refused(2, 0, &[7, 7, 0, 0, numbers], 20, "the keys do not ascend");
    refused(2, 0, &[8, 7, 0, 0, numbers], 20, "the keys do not ascend");
    refused(1, 0, &[1, 0, 0], 24, "there is no such type");
    refused(1, 0, &[1, 0, types([7, 0])], 24, "there is no such type");
    refused(2, 0, &[1, 2, 0, 0, number], 33, "there is no such type");
    refused(3, 0, &[1, 2, 3, 0, 0, 0, numbers], 42, "there is no such type");
    refused(1, 0, &[1, 2, types([kind::BOOL, 0])], 20, "a bool is neither 0 nor 1");

    let begin = "a value does not begin among the values' ends";
    refused(1, 1, &[1, 8 | 4 << 16, text, 0], 20, begin);
    refused(1, 1, &[1, 2 | 1 << 16, text, 0], 20, begin);
    refused(1, 1, &[1, 1 << 16, text, 0], 20, begin);
    refused(1, 0, &[1, 4 | 1 << 16, text, 0], 20, begin);
    refused(1, 1, &[1, 0, long_text, 0], 20, begin);
    refused(1, 1, &[1, 0xffff_fffc, long_array, 0], 20, begin);

    let longer = "a value is longer than the store";
    refused(1, 1, &[1, 4 | 5 << 16, text, 0], 20, longer);
    refused(1, 1, &[1, 4 | 2 << 16, array, 0], 20, longer);
    refused(1, 1, &[1, 4, long_text, u32::MAX], 20, longer);
    refused(1, 1, &[1, 4, long_array, u32::MAX], 20, longer);
    refused(1, 1, &[1, 4, long_array, 1], 20, longer);

    let both = [1, 2, 4 | 4 << 16, 4 | 4 << 16, types([kind::STR; 2]), 0];
    refused(2, 1, &both, 28, "values overlap each other");
    let deep = "a text is not UTF-8";
    refused(1, 1, &[1, 4 | 4 << 16, text, u32::from_ne_bytes(*b"ab\xffd")], 30, deep);
    refused(1, 2, &[1, 8, long_text, 3, u32::from_ne_bytes(*b"a\xc3\x28d")], 33, deep);
}

#[test]
fn garbage_of_all_lengths_never_panics() {
    std::println!("seed 9");
    let mut random = Random::new(9);
    let mut taken = 0;
    with_memory(|memory| {
        for _ in 0..20_000 {
            let count = random.below(4);
            let tail = random.below(4);
            let length = HEADER + head_words(count) + tail + random.below(3);
            let mut words = std::vec![MARK, 4 * length as u32, count as u32, tail as u32];
            let small = |random: &mut Random| match random.below(3) {
                0 => random.next() as u32,
                1 => random.below(8) as u32,
                _ => ((random.below(5) * 4) | (random.below(5) << 16)) as u32,
            };
            words.extend((HEADER..length).map(|_| small(&mut random)));
            taken += u32::from(read_whole(bytemuck::cast_slice(&words), memory));
        }
    });
    assert!(taken > 100, "only {taken} could be read");
}
