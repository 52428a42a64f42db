//! What `validate` finds in a set, each rule by its own words and place; and its limits.

mod room;

use std::format;
use std::string::ToString;

use loligo_ids::IdString32;

use super::room::FREE;
use super::slots::{FREE_SLOT, KIND, NO_SLOT, Slot};
use super::{KeyValuesSet, KeyValuesSetError, StoreId};
use crate::error::GrowError;
use crate::keyed::key_values::{KeyValues, MOST, Value};
use crate::testing::test_memory::{Memory, with_memory};

type Set<'a> = KeyValuesSet<'a, Memory<'a>>;

fn key(number: u32) -> IdString32 {
    IdString32::from_hash(number)
}

/// A set of five stores: words 0 to 3 have a number, 3 to 8 a text, 8 to 11 were one that is gone,
/// 11 to 14 have a number, and the fifth is empty; after them at least 40 words are free.
fn sample<'a>(memory: &'a Memory<'a>) -> (Set<'a>, [StoreId; 5]) {
    let mut set = Set::new_in(memory);
    let mut text = KeyValues::new_in(memory);
    text.set(key(1), "abcd");
    let mut number = KeyValues::new_in(memory);
    number.set(key(2), 0.5);
    let empty = KeyValues::new_in(memory);
    let stores = [number.view(), text.view(), number.view(), number.view(), empty.view()];
    let ids = stores.map(|store| set.insert(store));
    set.make_room(40).expect("there is memory");
    assert!(set.remove(ids[2]), "it was there");
    (set, ids)
}

/// Breaks such a set; returns what is said of it and at which word, counted from the end where it
/// is negative.
fn found(damage: impl FnOnce(&mut Set<'_>)) -> Option<(&'static str, isize)> {
    let mut found = None;
    with_memory(|memory| {
        let (mut set, _) = sample(memory);
        assert_eq!(set.validate(), Ok(()), "whole before it is broken");
        damage(&mut set);
        let words = set.words.as_slice().len();
        found = set.validate().err().map(|damage| {
            assert_eq!(damage.offset % 4, 0, "{damage}");
            let word = damage.offset / 4;
            let shown = if word <= 14 { word as isize } else { word as isize - words as isize };
            (damage.reason, shown)
        });
    });
    found
}

fn word(set: &mut Set<'_>, at: usize, word: u32) {
    set.words.as_mut_slice()[at] = word;
}

/// Changes a slot.
fn slot(set: &mut Set<'_>, number: u32, change: impl FnOnce(&mut Slot)) {
    let mut slot = set.slot(number);
    change(&mut slot);
    set.set_slot(number, slot);
}

#[test]
fn the_slots_are_looked_at() {
    let overlap = "stores and slots overlap";
    let used = |set: &mut Set<'_>, more: u32| {
        set.used = (set.words.as_slice().len() - 2 * set.slots as usize) as u32 + more;
    };
    assert_eq!(found(|set| used(set, 1)), Some((overlap, -9)), "by a word");
    let to_the_slots = found(|set| used(set, 0));
    let overlaps = to_the_slots.is_some_and(|(what, _)| what == overlap);
    assert!(!overlaps, "just to the slots: {to_the_slots:?}");
    let none = "a slot has no generation";
    assert_eq!(found(|set| slot(set, 0, |slot| slot.meta &= KIND)), Some((none, -2)), "the first");
    assert_eq!(found(|set| slot(set, 4, |slot| slot.meta &= KIND)), Some((none, -10)), "the last");
    let count = Some(("the stores are miscounted", -12));
    assert_eq!(found(|set| set.live -= 1), count, "one less");
    assert_eq!(found(|set| set.live += 1), count, "one more");
    let astray = "the list of free slots leads astray";
    assert_eq!(found(|set| set.free = 5), Some((astray, -12)), "beyond the last slot");
    assert_eq!(found(|set| set.free = 1), Some((astray, -4)), "to a slot that lives");
    // What is before the slots may look like one that is free.
    let free = |set: &mut Set<'_>| {
        set.set_slot(5, Slot { at: NO_SLOT, meta: 1 << 20 | FREE_SLOT });
        set.free = 5;
    };
    assert_eq!(found(free), Some((astray, -12)), "to what looks like a slot");
    assert_eq!(found(|set| slot(set, 2, |slot| slot.at = 2)), Some((astray, -6)), "in a circle");
    assert_eq!(found(|set| set.free = NO_SLOT), None, "a slot that has lived all its lives");
}

#[test]
fn the_stores_are_looked_at() {
    let behind = Some(("a store ends behind the last one", 11));
    assert_eq!(found(|set| set.used = 13), behind, "by a word");
    // The type of a value is after a word for the key and one for the value.
    let kind = "there is no such type";
    assert_eq!(found(|set| word(set, 2, 0)), Some((kind, 2)), "of the first store");
    assert_eq!(found(|set| word(set, 6, 0)), Some((kind, 6)), "of the second, after its length");
    let neither = Some(("there is neither a store nor garbage", 8));
    assert_eq!(found(|set| word(set, 8, 3)), neither, "without a mark");
    assert_eq!(found(|set| word(set, 8, FREE)), neither, "of no length");
    let garbage = Some(("the garbage is miscounted", 14));
    assert_eq!(found(|set| set.garbage = 2), garbage, "one less");
    assert_eq!(found(|set| word(set, 8, FREE | 6)), garbage, "over the store after it");
    assert_eq!(found(|set| word(set, 8, FREE | 7)), garbage, "beyond the last store");
    // The garbage is as long as it was and yet ends after the last store.
    let beyond = |set: &mut Set<'_>| {
        slot(set, 3, |slot| *slot = Slot { at: 0, meta: 1 << 20 });
        set.used = 10;
    };
    assert_eq!(found(beyond), Some(("the garbage is miscounted", 10)), "over the end");
    let lost = Some(("a slot leads to no store", 14));
    let same = |set: &mut Set<'_>| {
        let Slot { at, meta } = set.slot(0);
        slot(set, 4, |slot| *slot = Slot { at, meta });
    };
    assert_eq!(found(same), lost, "two lead to one");
    let within =
        |set: &mut Set<'_>| slot(set, 4, |slot| *slot = Slot { at: 12, meta: 1 << 20 | 1 });
    assert_eq!(found(within), lost, "into the middle of one");
}

#[test]
fn limits_are_refused_with_their_numbers() {
    with_memory(|memory| {
        let (mut set, ids) = sample(memory);
        let used = 14 + 2 * 5;
        let refused = set.make_room(MOST);
        let expected = GrowError::Length { wanted: MOST as u64 + used, limit: MOST as u64 };
        assert_eq!(refused, Err(expected), "more words than can be counted");
        let refused = set.make_room(usize::MAX);
        let expected = GrowError::Length {
            wanted: (usize::MAX as u64).saturating_add(used),
            limit: MOST as u64,
        };
        assert_eq!(refused, Err(expected), "no sum overflows");
        assert_eq!(set.validate(), Ok(()), "as it was");
        let (slots, free) = (set.slots, set.free);
        let limit = 1 << 20;
        (set.slots, set.free) = (limit as u32, NO_SLOT);
        let refused = set.make_room_with_slot(0);
        (set.slots, set.free) = (slots, free);
        let expected = GrowError::Length { wanted: limit + 1, limit };
        assert_eq!(refused, Err(expected), "more stores than an id can name");
        assert!(ids.iter().filter(|&&id| set.contains(id)).count() == 4, "all are there");
    });
}

#[test]
fn a_slot_lives_4095_times() {
    with_memory(|memory| {
        let mut set = Set::new_in(memory);
        let empty = KeyValues::new_in(memory);
        let mut last = None;
        for life in 1..=4095 {
            let id = set.insert(empty.view());
            assert_eq!((id.index(), id.generation()), (0, life), "the same slot");
            assert!(set.remove(id) && !set.contains(id), "life {life} ends");
            last = Some(id);
        }
        assert_eq!(set.validate(), Ok(()), "whole at its end");
        let slot = set.slot(0);
        assert_eq!((slot.is_live(), slot.generation(), slot.at), (false, 4095, NO_SLOT), "retired");
        let next = set.insert(empty.view());
        assert_eq!((next.index(), next.generation()), (1, 1), "the next slot");
        assert!(last.is_some_and(|last| !set.contains(last)), "no id comes back");
        assert_eq!((set.len(), set.validate()), (1, Ok(())), "whole");
    });
}

#[test]
fn a_set_prints_its_stores_and_tells_whether_it_is_empty() {
    with_memory(|memory| {
        let none = Set::new_in(memory);
        assert_eq!((none.is_empty(), none.len()), (true, 0), "no stores");
        assert_eq!(format!("{none:?}"), "{}", "no stores");
        let (mut set, ids) = sample(memory);
        assert!(!set.is_empty() && set.len() == 4, "four stores");
        let number = format!("{{{:?}: {:?}}}", key(2), Value::F32(0.5));
        let text = format!("{{{:?}: {:?}}}", key(1), Value::Str("abcd"));
        let [a, b, _, d, e] = ids;
        let said = format!("{{{a:?}: {number}, {b:?}: {text}, {d:?}: {number}, {e:?}: {{}}}}");
        assert_eq!(format!("{set:?}"), said, "each store by its id");
        for id in [a, b, d, e] {
            assert!(set.remove(id), "it was there");
        }
        assert!(set.is_empty(), "none is left");
    });
}

#[test]
fn an_error_says_what_is_wrong() {
    let none = KeyValuesSetError::NoStore;
    assert_eq!(none.to_string(), "the set has no store of this id", "no store");
    let grow = GrowError::Length { wanted: 2, limit: 1 };
    let error = KeyValuesSetError::from(grow);
    assert_eq!(error, KeyValuesSetError::Grow(grow), "the cause is kept");
    assert_eq!(error.to_string(), grow.to_string(), "as the cause says it");
    with_memory(|memory| {
        let (mut set, ids) = sample(memory);
        let gone = ids[2];
        assert_eq!(set.try_set(gone, key(1), 0.5), Err(none), "it is gone");
        assert_eq!(set.try_duplicate(gone), Err(none), "it is gone");
        let other = KeyValues::new_in(memory);
        assert_eq!(set.try_replace(gone, other.view()), Err(none), "it is gone");
        assert!(!set.remove_key(gone, key(2)) && set.get(gone).is_none(), "it is gone");
        assert!(!set.remove_key(ids[0], key(3)), "there is no such key");
        assert_eq!(set.validate(), Ok(()), "nothing changed");
    });
}
