//! Stores and names as others see them, keys that are not there, and damage.

use std::format;
use std::string::ToString;

use super::*;
use crate::error::GrowError;
use crate::keyed::key_values::value::kind as kinds;
use crate::testing::test_memory::with_memory;

#[test]
fn a_store_prints_its_keys_and_values() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        assert_eq!(format!("{store:?}"), "{}", "nothing");
        store.set(IdString32::from_hash(1), 0.5);
        store.set(IdString32::from_hash(2), "text");
        let said = format!(
            "{{{:?}: {:?}, {:?}: {:?}}}",
            IdString32::from_hash(1),
            Value::F32(0.5),
            IdString32::from_hash(2),
            Value::Str("text")
        );
        assert_eq!(format!("{store:?}"), said, "in order of the keys");
        assert_eq!(format!("{:?}", store.view()), said, "as its view");
    });
}

#[test]
fn keys_that_are_not_there_are_none() {
    with_memory(|memory| {
        for count in 0..40_u32 {
            let mut store = KeyValues::new_in(memory);
            // Odd keys are there, even ones are before, between and after them.
            (0..count).for_each(|n| store.set(IdString32::from_hash(2 * n + 1), n as f32));
            for number in 0..=2 * count {
                let key = IdString32::from_hash(number);
                let expected = (number % 2 == 1).then_some((number / 2) as f32);
                let view = store.view();
                assert_eq!(store.get_f32(key), expected, "{number} of {count}");
                assert_eq!(view.get_f32(key), expected, "{number} of {count}");
                assert_eq!(store.contains(key), expected.is_some(), "{number} of {count}");
                assert_eq!((store.get_bool(key), view.get_bool(key)), (None, None), "no bool");
                assert_eq!((store.get_str(key), store.get_array(key)), (None, None), "no other");
            }
            assert!(!store.contains(IdString32::from_hash(u32::MAX)), "far after the last");
        }
    });
}

#[test]
fn what_is_free_is_zero() {
    with_memory(|memory| {
        let mut store = KeyValues::try_with_capacity_in(20, 100, memory).expect("memory");
        store.set(IdString32::from_hash(1), 0.5);
        assert_eq!(store.validate(), Ok(()), "one number");
        let first = HEADER + head_words(1);
        let last = store.words.as_slice().len() - 1;
        assert!(first < last, "there is room for more");
        for at in [first, last] {
            store.words.as_mut_slice()[at] = 1;
            let damage = DamagedKeyValues::at_word(at, "what is free is not zero");
            assert_eq!(store.validate(), Err(damage), "word {at}");
            store.words.as_mut_slice()[at] = 0;
        }
        assert_eq!(store.validate(), Ok(()), "as it was");
        store.clear();
        assert!(store.is_empty() && store.validate().is_ok(), "nothing is left");
    });
}

#[test]
fn words_that_end_within_the_header_are_refused() {
    for count in 0..HEADER {
        let refused = checked(&EMPTY[..count]).err();
        let damage = DamagedKeyValues::at_word(count, "the words end within the header");
        assert_eq!(refused, Some(damage), "{count} words");
    }
    assert!(checked(&EMPTY).is_ok(), "a whole header");
    // A text or an array that takes no room, and yet says where.
    for kind in [kinds::STR, kinds::ARRAY] {
        let words = [MARK, 4 * 8, 1, 1, 1, 4, u32::from_ne_bytes([kind, 0, 0, 0]), 0];
        let refused = KeyValuesRef::open(bytemuck::cast_slice(&words)).err();
        let longer = DamagedKeyValues::at_word(HEADER + 1, "a value has a place and no length");
        let taken = KeyValuesRef::open(bytemuck::cast_slice(&words));
        assert!(refused.is_none_or(|refused| refused == longer), "{taken:?}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let grow = GrowError::Length { wanted: 2, limit: 1 };
    let finite = KeyValuesWriteError::NotFinite(IdString32::from_hash(0xab));
    let said = "a number of the key 000000ab is not finite, which JSON cannot say";
    assert_eq!(finite.to_string(), said, "which key");
    let error = KeyValuesWriteError::from(grow);
    assert_eq!((error, error.to_string()), (KeyValuesWriteError::Grow(grow), grow.to_string()));
    let error = PathNamesError::from(grow);
    assert_eq!((error, error.to_string()), (PathNamesError::Grow(grow), grow.to_string()));
    let text = |name: &str| {
        let mut text = PathText::default();
        fmt::Write::write_str(&mut text, name).expect("it takes anything");
        text
    };
    let key = IdString32::from_hash(0xab);
    let collision = PathCollision { key, first: text("a.b"), second: text("c") };
    let said = "a.b and c have one hash, 000000ab: one of them must be renamed";
    assert_eq!(PathNamesError::Collision(collision).to_string(), said, "both names");
}

#[test]
fn names_are_printed_as_paths() {
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        assert!(names.is_empty(), "no names");
        let key = names.try_insert(&["player", "health", ""]).expect("there is memory");
        assert_eq!((names.len(), names.is_empty()), (3, false), "each name on the way");
        let said = "[player, player.health, player.health.\"\"]";
        assert_eq!(format!("{names:?}"), said, "every path");
        let name = names.get(key).expect("it was inserted");
        assert_eq!(format!("{name:?}"), "player.health.\"\"", "the whole path");
        assert!(name.names().eq(["player", "health", ""]), "name by name");
        let again = names.try_insert(&["player", "health", ""]);
        assert_eq!((again, names.len()), (Ok(key), 3), "known already");
        assert!(names.get(IdString32::from_hash(1)).is_none(), "not known");
    });
}

#[test]
fn a_path_is_cut_where_its_text_ends() {
    let mut text = PathText::default();
    let write = |text: &mut PathText, piece: &str| {
        fmt::Write::write_str(text, piece).expect("it takes anything");
    };
    write(&mut text, &"x".repeat(44));
    assert_eq!(text.to_string(), "x".repeat(44), "it fits");
    write(&mut text, "y");
    assert_eq!((text.as_str().len(), text.to_string().len()), (45, 45), "just as long");
    write(&mut text, "z");
    assert_eq!(text.to_string(), format!("{}y...", "x".repeat(44)), "and no more");
    write(&mut text, "");
    assert_eq!(text.as_str().len(), 45, "nothing more");
    let mut text = PathText::default();
    write(&mut text, &"x".repeat(44));
    write(&mut text, "\u{f6}");
    assert_eq!(format!("{text:?}"), format!("{}...", "x".repeat(44)), "between letters");
    write(&mut text, "a");
    assert_eq!(text.as_str().len(), 44, "nothing follows the cut");
}

/// Stores are kept in files: each word stays in its place, now and in every version to come.
#[test]
fn a_saved_store_lies_as_drawn() {
    with_memory(|memory| {
        let (half, one, two) = (0.5_f32.to_bits(), 1.0_f32.to_bits(), 2.0_f32.to_bits());
        let words = [
            // The mark, the bytes, the keys and the words at the end.
            &[u32::from_le_bytes(*b"lkv1"), 64, 4, 3][..],
            &[1, 2, 3, 4],
            // A bool, a number, and of text and array where they begin from the end, and their
            // lengths.
            &[1, half, 4 | 2 << 16, 12 | 2 << 16],
            &[u32::from_ne_bytes([1, 2, 3, 4])],
            &[one, two, u32::from_ne_bytes(*b"ab\0\0")],
        ]
        .concat();
        let store = KeyValuesRef::open(bytemuck::cast_slice(&words)).expect("it is whole");
        let key = IdString32::from_hash;
        assert_eq!((store.get_bool(key(1)), store.get_f32(key(2))), (Some(true), Some(0.5)));
        assert_eq!(store.get_str(key(3)), Some("ab"), "a text");
        assert_eq!(store.get_array(key(4)), Some(&[1.0, 2.0][..]), "an array");
        // Rewritten it is the same, but for the order of what is at its end, and what is free.
        let mut copy = KeyValues::try_from_ref_in(store, memory).expect("there is memory");
        copy.try_shrink().expect("there is memory");
        let saved: &[u32] = bytemuck::cast_slice(copy.as_bytes());
        assert_eq!(saved[0], words[0], "the mark");
        assert_eq!((saved[2..10] == words[2..10], saved[3]), (true, 3), "counts, keys and numbers");
        assert!(KeyValuesRef::open(copy.as_bytes()) == Ok(store), "the same values");
    });
}
