//! How much a store asks for, and when it needs not: to the word.

use std::vec;

use super::asked::{Noting, possible, with_notes};
use super::*;

/// What a store takes of its block's end.
fn tail(store: &KeyValues<'_, Noting<'_>>) -> usize {
    store.words.as_slice()[AT_TAIL] as usize
}

#[test]
fn a_first_block_is_as_long_as_was_said() {
    with_notes(|memory| {
        for keys in 0..10 {
            for bytes in 0..20_usize {
                let store = KeyValues::try_with_capacity_in(keys, bytes, memory).expect("memory");
                let words = HEADER + head_words(keys) + bytes.div_ceil(4);
                let wanted = if keys + bytes == 0 { vec![] } else { vec![4 * words] };
                assert_eq!(memory.asked(), wanted, "{keys} keys and {bytes} bytes");
                assert_eq!(store.words.as_slice().len(), wanted.len() * words, "just as long");
            }
        }
        let mut store = KeyValues::new_in(memory);
        store.merge(KeyValuesRef::EMPTY);
        assert!(memory.asked().is_empty(), "nothing is merged");
        let copy = KeyValues::try_from_ref_in(store.view(), memory).expect("nothing is needed");
        assert_eq!((copy.len(), memory.asked()), (0, vec![]), "nothing is copied");
    });
}

#[test]
fn a_first_value_takes_what_it_needs() {
    with_notes(|memory| {
        // Up to 16383 words are reported in 16 bits; beyond, the length is stored with the text.
        for (bytes, words) in [(4, 1), (65_532, 16_383), (65_533, 16_385), (65_536, 16_385)] {
            let mut store = KeyValues::new_in(memory);
            store.set(key(1), "x".repeat(bytes).as_str());
            assert_eq!(memory.asked(), [4 * (HEADER + 3 + words)], "{bytes} bytes");
            let copy = KeyValues::try_from_ref_in(store.view(), memory).expect("memory");
            assert_eq!(memory.asked(), [4 * (HEADER + 3 + words)], "{bytes} bytes are copied");
            assert_eq!((copy.validate(), tail(&copy)), (Ok(()), words), "{bytes} bytes");
        }
    });
}

/// A store of two keys: one had `garbage` numbers and has one, after which `live` more were set;
/// `free` words are free.
fn two<'a>([garbage, live, free]: [usize; 3], memory: &'a Noting<'a>) -> KeyValues<'a, Noting<'a>> {
    let numbers = [0.5; 16];
    let mut store = KeyValues::try_with_capacity_in(2, 4 * (garbage + live + free), memory)
        .expect("there is memory");
    store.set(key(0), &numbers[..garbage]);
    store.set(key(1), &numbers[..live]);
    store.set(key(0), 0.25);
    assert_eq!(store.words.as_slice().len(), HEADER + 5 + garbage + live + free, "as asked for");
    memory.asked();
    store
}

/// What is done to have room: nothing if there is some; else garbage is reclaimed if that is enough
/// and it is a fourth of all; else all that there is and is needed is asked for, and as much again
/// as there is.
#[test]
fn room_is_made_by_rule() {
    let numbers = [2.0; 16];
    let mut kinds = [0; 3];
    with_notes(|memory| {
        for number in 0..4 * 9 * 7 * 10 {
            let (live, garbage) = (number % 4, number / 4 % 9);
            let (free, new) = (number / 36 % 7, number / 252 + 1);
            let place = std::format!("{live} live, {garbage} garbage, {free} free, {new} new");
            let mut store = two([garbage, live, free], memory);
            let old = store.words.as_slice().len();
            // What was set last leaves no garbage.
            let garbage = if live == 0 { 0 } else { garbage };
            let needed = HEADER + 7 + live + new;
            let (kind, asked, taken) = if needed + garbage <= old {
                (0, vec![], live + garbage + new)
            } else if needed <= old && 4 * garbage >= old {
                (1, vec![], live + new)
            } else {
                (2, vec![4 * (needed + garbage + old)], live + garbage + new)
            };
            kinds[kind] += 1;
            store.set(key(2), &numbers[..new]);
            assert_eq!(memory.asked(), asked, "{place}");
            let words = asked.first().map_or(old, |bytes| bytes / 4);
            assert_eq!((store.words.as_slice().len(), tail(&store)), (words, taken), "{place}");
            assert_eq!(store.validate(), Ok(()), "{place}");
            assert_eq!(store.get_f32(key(0)), Some(0.25), "{place}");
            assert_eq!(store.get_array(key(1)).map(<[f32]>::len), Some(live), "{place}");
            assert_eq!(store.get_array(key(2)), Some(&numbers[..new]), "{place}");
        }
    });
    assert!(kinds.iter().all(|&kind| kind > 20), "{kinds:?} of each kind");
}

#[test]
fn a_value_that_is_set_again_asks_for_no_key() {
    with_notes(|memory| {
        let mut store = two([0, 1, 2], memory);
        store.set(key(1), &[1.0, 2.0]);
        assert_eq!((memory.asked(), tail(&store)), (vec![], 2), "the last: in place of the old");
        let mut store = two([0, 1, 3], memory);
        store.set(key(0), &[1.0]);
        memory.asked();
        store.set(key(1), &[1.0, 2.0]);
        assert_eq!((memory.asked(), tail(&store)), (vec![], 4), "just what is free");
        assert_eq!(store.validate(), Ok(()), "whole");
    });
}

#[test]
fn the_longest_block_is_asked_for_and_none_longer() {
    with_notes(|memory| {
        memory.most.set(1 << 20);
        let refused = |words: usize| {
            let bytes = 4 * words as u64;
            Err(GrowError::Memory { elements: words as u64, bytes })
        };
        let mut store = KeyValues::new_in(memory);
        assert_eq!(store.try_reserve(0, 4 * (MOST - HEADER)), refused(MOST), "the longest");
        assert_eq!(memory.asked(), possible([4 * MOST; 2]), "with no slack, and without");
        let longer = GrowError::Length { wanted: MOST as u64 + 1, limit: MOST as u64 };
        let asked = store.try_reserve(0, 4 * (MOST - HEADER) + 1);
        assert_eq!((asked, memory.asked()), (Err(longer), vec![]), "a word more");
        let mut store = two([0, 3, 9], memory);
        let wanted = MOST - 10;
        let asked = store.try_reserve(0, 4 * (wanted - HEADER - 5 - 3));
        assert_eq!(asked, refused(wanted), "ten words less");
        let expected = possible([4 * MOST, 4 * wanted]);
        assert_eq!(memory.asked(), expected, "slack for the longest, and none");
        assert_eq!((store.len(), store.validate()), (2, Ok(())), "as it was");
    });
}
