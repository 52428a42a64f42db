//! Where a store is before and after a change, what is garbage then, and what is asked for: to the
//! word.

use std::vec;
use std::vec::Vec;

use super::{Set, key};
use crate::error::GrowError;
use crate::keyed::key_values::set::slots::NO_SLOT;
use crate::keyed::key_values::tests::asked::{Noting, possible, with_notes};
use crate::keyed::key_values::view::head_words;
use crate::keyed::key_values::{KeyValues, KeyValuesRef, KeyValuesSet, MOST, StoreId};
use crate::testing::test_memory::with_memory;

/// Puts in a store of one number.
fn insert<'a>(set: &mut KeyValuesSet<'a, Noting<'a>>, memory: &'a Noting<'a>) -> StoreId {
    let mut number = KeyValues::new_in(memory);
    number.set(key(2), 0.5);
    set.insert(number.view())
}

/// Returns the first of `length` letters.
fn letters(length: usize) -> &'static str {
    &"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"[..length]
}

#[test]
fn a_text_over_one_of_as_many_words_is_written_in_place() {
    with_memory(|memory| {
        let lengths = (0..49).flat_map(|old| (0..49).map(move |new| (old, new)));
        for (old, new) in lengths {
            let mut set = Set::new_in(memory);
            let id = set.insert(KeyValuesRef::EMPTY);
            set.set(id, key(1), letters(old));
            let other = set.insert(KeyValuesRef::EMPTY);
            set.set(other, key(1), 0.5);
            let (before, used) = (set.slot(0), set.used);
            let size = set.block_words(before) as u32;
            set.set(id, key(1), letters(new));
            let (was, needed) = (old.div_ceil(4), new.div_ceil(4));
            let stays = was == needed || (needed > 0 && was == needed + 1);
            let wanted = if stays { (before.at, 0) } else { (used, size) };
            assert_eq!((set.slot(0).at, set.garbage), wanted, "{new} over {old}");
            let text = set.get(id).and_then(|store| store.get_str(key(1)));
            assert_eq!((text, set.validate()), (Some(letters(new)), Ok(())), "{new} over {old}");
        }
    });
}

#[test]
fn a_number_over_a_number_is_written_in_place() {
    with_memory(|memory| {
        let mut set = Set::new_in(memory);
        let ids = [set.insert(KeyValuesRef::EMPTY), set.insert(KeyValuesRef::EMPTY)];
        ids.iter().for_each(|id| set.set(*id, key(1), 0.5));
        assert_eq!((set.slot(0).at, set.slot(1).at, set.used, set.garbage), (0, 3, 6, 0));
        set.set(ids[0], key(1), 0.25);
        set.set(ids[0], key(1), true);
        set.set(ids[0], key(1), "");
        set.set(ids[0], key(1), &[]);
        assert_eq!((set.slot(0).at, set.used, set.garbage), (0, 6, 0), "where it was");
        set.set(ids[0], key(1), "text");
        assert_eq!((set.slot(0).at, set.used, set.garbage), (6, 11, 3), "after all others");
        set.set(ids[0], key(1), 0.5);
        assert_eq!((set.slot(0).at, set.used, set.garbage), (6, 9, 3), "it was the last");
        assert_eq!(set.validate(), Ok(()), "whole");
    });
}

#[test]
fn a_long_text_is_written_in_place() {
    with_memory(|memory| {
        let mut set = Set::new_in(memory);
        let ids = [set.insert(KeyValuesRef::EMPTY), set.insert(KeyValuesRef::EMPTY)];
        let texts = ["x", "y"].map(|letter| letter.repeat(70_000));
        set.set(ids[0], key(1), texts[0].as_str());
        set.set(ids[1], key(1), 0.5);
        let at = set.slot(0).at;
        set.set(ids[0], key(1), texts[1].as_str());
        assert_eq!((set.slot(0).at, set.garbage), (at, 0), "where it was");
        let found = set.get(ids[0]).and_then(|store| store.get_str(key(1)));
        assert!(found == Some(texts[1].as_str()) && set.validate().is_ok(), "the other text");
    });
}

#[test]
fn what_comes_last_leaves_no_garbage() {
    with_memory(|memory| {
        let mut set = Set::new_in(memory);
        let ids = [set.insert(KeyValuesRef::EMPTY), set.insert(KeyValuesRef::EMPTY)];
        set.set(ids[0], key(1), 0.5);
        set.set(ids[1], key(1), "first");
        set.set(ids[1], key(2), "second");
        assert_eq!((set.used, set.slot(1).at), (3 + 1 + 5 + 4, 3), "two keys and their texts");
        assert!(set.remove_key(ids[1], key(1)), "it was there");
        assert_eq!((set.used, set.garbage), (3 + 1 + 3 + 2, 0), "a key and its text");
        let text = set.get(ids[1]).and_then(|store| store.get_str(key(2)));
        assert_eq!((text, set.validate()), (Some("second"), Ok(())), "what is left");
        assert!(set.remove_key(ids[1], key(2)), "it was there");
        assert_eq!((set.used, set.garbage, set.slot(1).at), (3, 0, 0), "a store without keys");
        set.set(ids[1], key(1), true);
        assert!(set.remove(ids[1]), "it was there");
        assert_eq!((set.used, set.garbage, set.validate()), (3, 0, Ok(())), "a store less");
    });
}

#[test]
fn a_key_removed_leaves_its_words_as_garbage() {
    with_notes(|memory| {
        let mut set = KeyValuesSet::new_in(memory);
        let ids = [set.insert(KeyValuesRef::EMPTY), set.insert(KeyValuesRef::EMPTY)];
        for number in 1..4 {
            set.set(ids[0], key(number), letters(4 * number as usize));
        }
        set.set(ids[1], key(1), 0.5);
        set.try_shrink().expect("there is memory");
        let used = 1 + 7 + 6 + 3;
        assert_eq!((set.used, set.garbage, set.bytes()), (used, 0, 4 * (used as usize + 4)));
        assert!(set.remove_key(ids[0], key(2)), "it was there");
        assert_eq!((set.used, set.garbage), (used, 2 + 2), "a key, its type, and its text");
        assert!(set.remove_key(ids[0], key(1)), "it was there");
        assert_eq!((set.used, set.garbage), (used, 4 + 2 + 1), "another");
        assert!(set.remove_key(ids[0], key(3)), "it was there");
        assert_eq!((set.used, set.garbage, set.slot(0).at), (used, 14, 0), "all of it");
        assert_eq!(set.validate(), Ok(()), "whole");
        set.try_shrink().expect("there is memory");
        assert_eq!((set.used, set.garbage, set.bytes()), (3, 0, 4 * (3 + 4)), "just what is left");
        assert_eq!(set.get(ids[1]).and_then(|store| store.get_f32(key(1))), Some(0.5));
    });
}

#[test]
fn ids_beyond_the_slots_name_nothing() {
    with_notes(|memory| {
        let mut set = KeyValuesSet::new_in(memory);
        for count in 1..4 {
            set.insert(KeyValuesRef::EMPTY);
            set.try_shrink().expect("there is memory");
            assert_eq!(set.bytes(), 8 * count, "slots alone");
            let id = StoreId::from_bits(1 << 20 | count as u32).expect("it has a generation");
            assert!(!set.contains(id) && set.get(id).is_none(), "after {count} slots");
        }
    });
}

/// A store written over garbage has zeros after its types, as a separate store has.
#[test]
fn nothing_of_garbage_is_left_behind_the_types() {
    with_memory(|memory| {
        for keys in 1..9_u32 {
            let mut set = Set::new_in(memory);
            let ids = [set.insert(KeyValuesRef::EMPTY), set.insert(KeyValuesRef::EMPTY)];
            set.set(ids[0], key(1), &[f32::from_bits(u32::MAX); 200]);
            set.remove_key(ids[0], key(1));
            for number in 0..keys {
                set.set(ids[1], key(number), number as f32);
                let store = set.get(ids[1]).expect("it is alive");
                let types: &[u8] = bytemuck::cast_slice(&store.block[..head_words(store.count)]);
                let behind = &types[9 * store.count..];
                assert!(behind.iter().all(|&byte| byte == 0), "{number} of {keys}: {behind:?}");
            }
        }
    });
}

/// A set of `stores` of three words, after which `room` more words were free; then some of the
/// first were removed.
fn sparse<'a>(
    [stores, removed, room]: [usize; 3],
    memory: &'a Noting<'a>,
) -> KeyValuesSet<'a, Noting<'a>> {
    let mut set = KeyValuesSet::new_in(memory);
    let ids: Vec<_> = (0..stores).map(|_| insert(&mut set, memory)).collect();
    set.make_room(room).expect("there is memory");
    ids[..removed].iter().for_each(|id| assert!(set.remove(*id), "it was there"));
    memory.asked();
    set
}

/// What is done to have room: nothing if there is some; else garbage is reclaimed if that is enough
/// and it is a fourth of what stores take; else an eighth more than is needed is asked for, 16
/// words at least, then what is needed; and where that is refused, garbage is reclaimed if it is
/// enough.
fn assert_room_made(
    memory: &Noting<'_>,
    shape: [usize; 3],
    words: usize,
    [with_slot, refused]: [bool; 2],
) -> usize {
    let place = std::format!("{shape:?}, {words} words, slot: {with_slot}, refused: {refused}");
    let mut kind = 0;
    memory.most.set(usize::MAX);
    let mut set = sparse(shape, memory);
    memory.most.set(if refused { 0 } else { usize::MAX });
    let (old, used, garbage) =
        (set.words.as_slice().len(), set.used as usize, set.garbage as usize);
    let slot = if with_slot && set.free == NO_SLOT { 2 } else { 0 };
    let needed = used + 2 * set.slots as usize + words + slot;
    let roomy = needed + (old / 8).max(16);
    let compacted = (vec![], Ok(()), used - garbage);
    let wanted = if needed <= old {
        (vec![], Ok(()), used)
    } else if needed - garbage <= old && 4 * garbage >= used {
        kind = 1;
        compacted
    } else if !refused {
        kind = 2;
        (vec![4 * roomy], Ok(()), used)
    } else {
        kind = 3;
        let (elements, bytes) = (needed as u64, 4 * needed as u64);
        let error = Err(GrowError::Memory { elements, bytes });
        let asked = vec![4 * roomy, 4 * needed];
        if needed - garbage <= old { (asked, Ok(()), compacted.2) } else { (asked, error, used) }
    };
    let done = if with_slot { set.make_room_with_slot(words) } else { set.make_room(words) };
    assert_eq!((memory.asked(), done, set.used as usize), wanted, "{place}");
    assert_eq!(set.validate(), Ok(()), "{place}");
    let numbers = set.iter().map(|(_, store)| store.get_f32(key(2)));
    assert!(numbers.eq(vec![Some(0.5); shape[0] - shape[1]]), "{place}");
    kind
}

#[test]
fn room_is_made_by_rule() {
    let mut kinds = [0; 4];
    with_notes(|memory| {
        for stores in 1..7 {
            for removed in 0..stores {
                for room in [0, 7, 200] {
                    let from = if room == 200 { 190 } else { 0 };
                    for words in from..from + 60 {
                        for flags in 0..4 {
                            let shape = [stores, removed, room];
                            let flags = [flags & 1 == 0, flags & 2 == 0];
                            let kind = assert_room_made(memory, shape, words, flags);
                            kinds[kind] += 1;
                        }
                    }
                }
            }
        }
    });
    assert!(kinds.iter().all(|&kind| kind > 100), "{kinds:?} of each kind");
}

#[test]
fn a_first_store_takes_what_it_needs_and_a_slot() {
    with_notes(|memory| {
        let mut set = KeyValuesSet::new_in(memory);
        set.insert(KeyValuesRef::EMPTY);
        assert_eq!((memory.asked(), set.bytes()), (vec![4 * (2 + 16)], 72), "16 words more");
        set.make_room(16).expect("there is room");
        assert!(memory.asked().is_empty(), "just as many");
        set.make_room(17).expect("there is memory");
        assert_eq!(memory.asked(), [4 * (2 + 17 + 16)], "one more");
    });
}

#[test]
fn the_longest_set_is_asked_for_and_none_longer() {
    with_notes(|memory| {
        let mut set = sparse([2, 0, 0], memory);
        memory.most.set(1 << 20);
        let taken = 2 * 5;
        for less in [0, 5] {
            let words = MOST - less;
            let bytes = 4 * words as u64;
            let refused = Err(GrowError::Memory { elements: words as u64, bytes });
            assert_eq!(set.make_room(words - taken), refused, "{less} less than the longest");
            let expected = possible([4 * MOST, 4 * words]);
            assert_eq!(memory.asked(), expected, "slack for the longest, and none");
        }
        let longer = GrowError::Length { wanted: MOST as u64 + 1, limit: MOST as u64 };
        let asked = set.make_room(MOST + 1 - taken);
        assert_eq!((asked, memory.asked()), (Err(longer), vec![]), "a word more");
        assert_eq!((set.len(), set.validate()), (2, Ok(())), "as it was");
    });
}
