//! Values set over others: what is written where the old one was, and what of that is left.

use super::asked::{Noting, with_notes};
use super::*;

/// Returns the first of `length` letters.
fn letters(length: usize) -> &'static str {
    &"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"[..length]
}

/// What a store takes of its block's end.
fn tail(store: &KeyValues<'_, Noting<'_>>) -> usize {
    store.words.as_slice()[AT_TAIL] as usize
}

/// Checks that a text is in whole words, with zeros after it.
fn assert_padded(store: &KeyValues<'_, Noting<'_>>, key: IdString32, text: &str) {
    let view = store.view();
    let place = view.find(key).expect("it is there");
    let block: &[u8] = bytemuck::cast_slice(view.block);
    let start = block.len() - view.word(place) as usize % 0x1_0000;
    let bytes = &block[start..][..text.len().next_multiple_of(4)];
    let (said, behind) = bytes.split_at(text.len());
    assert_eq!(said, text.as_bytes(), "the text");
    assert!(behind.iter().all(|&byte| byte == 0), "after {text}: {behind:?}");
}

#[test]
fn a_text_over_another_takes_its_words_or_new_ones() {
    with_notes(|memory| {
        for number in 0..25 * 25 * 2 {
            let (old, new, is_last) = (number % 25, number / 25 % 25, number < 625);
            let place = std::format!("{new} over {old}, the last: {is_last}");
            let mut store = KeyValues::try_with_capacity_in(2, 100, memory).expect("memory");
            store.set(key(1), letters(old).to_uppercase().as_str());
            store.set(key(2), if is_last { "" } else { "behind" });
            memory.asked();
            let before = tail(&store);
            store.set(key(1), letters(new));
            let (was, needed) = (old.div_ceil(4), new.div_ceil(4));
            let wanted = if (1..=was).contains(&needed) {
                before
            } else if is_last {
                before - was + needed
            } else {
                before + needed
            };
            assert_eq!((tail(&store), memory.asked().len()), (wanted, 0), "{place}");
            assert_eq!(store.validate(), Ok(()), "{place}");
            assert_padded(&store, key(1), letters(new));
            assert_eq!(store.get_str(key(2)).is_some_and(str::is_empty), is_last, "{place}");
        }
    });
}

#[test]
fn a_number_over_a_text_gives_its_words_back_where_they_are_the_last() {
    with_notes(|memory| {
        let mut store = KeyValues::new_in(memory);
        store.set(key(1), "a text");
        store.set(key(2), "another");
        store.set(key(2), 0.5);
        assert_eq!(tail(&store), 2, "those of the first are left");
        store.set(key(1), true);
        assert_eq!((tail(&store), store.validate()), (0, Ok(())), "none is left");
        store.set(key(2), &[1.0, 2.0]);
        store.set(key(1), "a text");
        store.set(key(2), "longer than two");
        assert_eq!(tail(&store), 2 + 2 + 4, "those between are garbage");
        assert_eq!(store.validate(), Ok(()), "whole");
    });
}

/// A store with a text of 70000 bytes between two others.
fn long<'a>(memory: &'a Noting<'a>) -> KeyValues<'a, Noting<'a>> {
    let mut store = KeyValues::try_with_capacity_in(3, 200_000, memory).expect("memory");
    store.set(key(0), "before");
    store.set(key(1), "x".repeat(70_000).as_str());
    store.set(key(2), "behind");
    assert_eq!(tail(&store), 2 + 17_501 + 3, "two have a length of their own");
    store
}

#[test]
fn a_long_text_is_written_over_one_as_long() {
    with_notes(|memory| {
        for length in [70_001, 70_000, 69_997, 69_996, 66_000, 65_536, 65_535, 5, 1, 0] {
            let mut store = long(memory);
            let before = tail(&store);
            let text = "y".repeat(length);
            store.set(key(1), text.as_str());
            let wanted = before + if length == 70_001 { 17_502 } else { 0 };
            assert_eq!((tail(&store), store.validate()), (wanted, Ok(())), "{length} bytes");
            assert!(store.get_str(key(1)) == Some(text.as_str()), "{length} bytes are read");
            let others = (store.get_str(key(0)), store.get_str(key(2)));
            assert_eq!(others, (Some("before"), Some("behind")), "next to {length} bytes");
            assert_eq!(memory.asked().len(), 1, "in one block");
        }
    });
}
