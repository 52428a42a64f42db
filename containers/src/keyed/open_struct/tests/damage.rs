//! Saved bytes that are cut, changed or made up.

use std::println;
use std::string::ToString;
use std::vec::Vec;

use loligo_ids::id32;

use super::{LAYOUTS, MORE, Open, sample, shown};
use crate::arrays::array::Array;
use crate::keyed::open_struct::{OpenArray, OpenError, OpenLayout, OpenStruct, OpenValue};
use crate::testing::test_memory::{Memory, Random, with_memory};

/// Returns the saved bytes of a sample with a dictionary in it.
fn saved(layout: OpenLayout, memory: &Memory<'_>) -> Vec<u8> {
    let mut array = sample(layout, memory).expect("there is memory");
    let json = br#"{"x": {"a": [1, [2, "three"], {"b": 4.5}], "c": "text"}}"#;
    let source = OpenStruct::try_from_json_in(json, memory).expect("sound");
    let value = source.value(id32!("x")).expect("it is there");
    assert_eq!(array.try_set_value(1, MORE, value), Ok(true));
    let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
    array.try_save(&mut bytes).expect("there is memory");
    let opened = OpenArray::try_open_in(&bytes, memory).expect("they are sound");
    assert_eq!(shown(&opened), shown(&array));
    bytes.to_vec()
}

/// Opens bytes; whatever opens is whole and can be used.
fn try_open(bytes: &[u8], memory: &Memory<'_>) -> bool {
    match Open::try_open_in(bytes, memory) {
        Ok(mut array) => {
            shown(&array);
            array.push();
            array.swap_remove(0);
            array.try_compact().expect("it is no longer than the bytes are");
            array.remove_field(MORE);
            array.validate().expect("the array is whole");
            true
        }
        Err(OpenError::Damage(damage)) => {
            assert!(damage.offset() <= bytes.len() as u64, "{damage}");
            false
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn every_truncation_is_refused() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut bytes = saved(layout, memory);
            for len in 0..bytes.len() {
                assert!(!try_open(&bytes[..len], memory), "{len} of {} bytes", bytes.len());
            }
            bytes.push(0);
            assert!(!try_open(&bytes, memory), "a byte too many");
            // They can have any alignment.
            bytes.rotate_right(1);
            assert!(try_open(&bytes[1..], memory), "an odd address");
        }
    });
}

#[test]
fn flipped_bits_are_refused_or_harmless() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let sound = saved(layout, memory);
            let mut refused = 0;
            for bit in 0..8 * sound.len() {
                let mut bytes = sound.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                refused += u32::from(!try_open(&bytes, memory));
            }
            assert!(refused > 500, "{refused} flips were refused");
            for seed in 0..2000 {
                let mut random = Random::new(seed);
                let mut bytes = sound.clone();
                for _ in 0..=random.below(4) {
                    let word = 4 * random.below(bytes.len() / 4);
                    let extreme = [0, 1, 2, 7, 8, 9, 0xffff, 0x7fff_ffff, u32::MAX];
                    let value = match random.below(3) {
                        0 => random.next() as u32,
                        1 => random.below(64) as u32,
                        _ => extreme[random.below(extreme.len())],
                    };
                    bytes[word..word + 4].copy_from_slice(&value.to_ne_bytes());
                }
                if try_open(&bytes, memory) {
                    println!("seed {seed} opens");
                }
            }
        }
    });
}

/// Changes a word of a saved struct and returns why it is refused.
fn refusal(json: &str, word: usize, value: u32) -> std::string::String {
    let mut reason = std::string::String::new();
    with_memory(|memory| {
        let open = OpenStruct::try_from_json_in(json.as_bytes(), memory).expect("sound");
        let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        open.try_save(&mut bytes).expect("there is memory");
        bytes[4 * word..4 * word + 4].copy_from_slice(&value.to_ne_bytes());
        let refused = Open::try_open_in(&bytes, memory).expect_err("it is damaged");
        reason = refused.to_string();
    });
    reason
}

/// Twenty bytes claimed more than a hundred million rows, which a reader then walked: a fuzzer
/// found it.
#[test]
fn rows_that_no_byte_stands_for_are_refused() {
    assert_eq!(refusal("{}", 3, 0x0714_0000), "at byte 12: there are rows without a field");
    assert_eq!(refusal("{}", 3, 2), "at byte 12: there are rows without a field");
}

#[test]
fn damage_is_named() {
    // Words 0 to 4 are the header, 5 and 6 the two values, 7 to 12 the two fields.
    let two = r#"{"a": 1, "b": 2}"#;
    assert_eq!(refusal(two, 0, 7), "at byte 0: this is no open array");
    let swapped = u32::from_be_bytes(*b"LoOp").swap_bytes();
    assert_eq!(refusal(two, 0, swapped), "at byte 0: this was saved in the other order of bytes");
    assert_eq!(refusal(two, 1, 2), "at byte 4: there is no such version or layout");
    assert_eq!(refusal(two, 2, 257), "at byte 8: there are more than 256 fields");
    assert_eq!(refusal(two, 2, 256), "at byte 52: the bytes end before the fields and the tail do");
    assert_eq!(refusal(two, 3, 3), "at byte 12: the rows do not make up the data");
    assert_eq!(refusal(two, 3, 2), "at byte 20: the fields and rows do not make up the bytes");
    assert_eq!(refusal(two, 8, 10), "at byte 32: there is no such type");
    assert_eq!(refusal(two, 10, id32!("a").hash()), "at byte 40: two fields have one name");
    assert_eq!(refusal(two, 12, 0), "at byte 48: a field does not follow the one before it");

    // Words 5 and 6 are the offset and the length, 7 to 9 the field, 10 on the tail.
    let text = r#"{"a": "some"}"#;
    assert_eq!(refusal(text, 5, 1), "at byte 20: a content lies beyond the tail");
    assert_eq!(refusal(text, 6, 5), "at byte 20: the contents are longer than the tail together");
    assert_eq!(refusal(text, 10, 0xff), "at byte 40: this is no text in UTF-8");
    // 10 is the type, 11 the value; then 12 the type, 13 the length of a list, 14 and 15 what is in
    // it.
    let list = r#"{"a": [1, ["b"]]}"#;
    assert_eq!(refusal(list, 10, 99), "at byte 40: this is no value of a list");
    assert_eq!(refusal(list, 13, 9), "at byte 48: this is no value of a list");
    // 5 and 6 are the first text, 7 and 8 the second.
    let texts = r#"{"a": "some", "b": "more"}"#;
    assert_eq!(refusal(texts, 8, 0), "at byte 28: an empty content has an offset");
}

#[test]
fn lists_that_lie_too_deep_are_refused() {
    with_memory(|memory| {
        for depth in [32, 33_u32] {
            // Lists in each other, as a text of such bytes; the outermost is the field itself.
            let words: Vec<u32> = (0..depth - 1).rev().flat_map(|inner| [8, 2 * inner]).collect();
            let text = core::str::from_utf8(bytemuck::cast_slice(&words)).expect("small numbers");
            let mut open = OpenStruct::new_in(memory);
            open.try_put(MORE, OpenValue::Text(text)).expect("there is memory");
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            open.try_save(&mut bytes).expect("there is memory");
            // The length in words, and the type.
            bytes[24..28].copy_from_slice(&(words.len() as u32).to_ne_bytes());
            bytes[32..36].copy_from_slice(&8_u32.to_ne_bytes());
            let opened = OpenStruct::try_open_in(&bytes, memory).map_err(|error| error.to_string());
            match opened {
                Ok(_) => assert_eq!(depth, 32),
                Err(error) => {
                    assert_eq!(
                        (depth, error.as_str()),
                        (33, "at byte 288: values are nested too deep")
                    );
                }
            }
        }
    });
}

#[test]
fn contents_may_not_share_what_would_grow() {
    with_memory(|memory| {
        let json = br#"[{"a": "a text of some length"}, {"a": "another such text here"}]"#;
        let array =
            Open::try_from_json_in(json, OpenLayout::ArrayOfStructs, memory).expect("sound");
        let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        array.try_save(&mut bytes).expect("there is memory");
        // Both rows name the first text: as long together as the tail, and so no harm.
        bytes.copy_within(20..28, 28);
        let mut shared = Open::try_open_in(&bytes, memory).expect("no harm");
        shared.try_compact().expect("there is memory");
        assert_eq!(shared.value(0, id32!("a")), Some(OpenValue::Text("a text of some length")));
        assert_eq!(shared.value(0, id32!("a")), shared.value(1, id32!("a")));
        shared.validate().expect("the array is whole");
    });
}
