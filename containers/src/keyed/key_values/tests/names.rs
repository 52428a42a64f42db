//! What names take, and that nothing is left of those that are taken out again.

use std::format;
use std::string::ToString;
use std::vec;

use super::asked::with_notes;
use super::*;
use crate::keyed::key_values::names::ROOT;
use crate::testing::test_memory::{every_refusal, with_memory};

const NO_KEY: IdString32 = IdString32::from_hash(0);

/// Slots are 16 at first and then twice as many, so that half of them are free.
#[test]
fn slots_are_made_when_half_are_taken() {
    with_notes(|memory| {
        let mut names = PathNames::new_in(memory);
        let mut slots = 0;
        for count in 0..70 {
            // An entry takes 16 bytes and each name one, of which the first blocks hold eight and
            // 16.
            let name = char::from_u32(u32::from('0') + count).expect("it is ASCII").to_string();
            names.try_insert(&[&name]).expect("there is memory");
            let entries = (count.is_power_of_two() && count >= 8).then_some(2 * count * 16);
            let text = (count.is_power_of_two() && count >= 16).then_some(2 * count);
            let mut wanted = vec![];
            if 2 * (count + 1) > slots {
                slots = (2 * slots).max(16);
                wanted.push(4 * slots as usize);
            }
            let first = [8 * 16, 16];
            wanted.extend(first.into_iter().filter(|_| count == 0));
            wanted.extend([entries, text].into_iter().flatten().map(|bytes| bytes as usize));
            assert_eq!(memory.asked(), wanted, "after {count} names");
        }
    });
}

/// Takes names out again and checks that they are gone and all others found; then puts them in
/// again.
#[test]
fn names_that_are_taken_out_leave_nothing() {
    with_memory(|memory| {
        for seed in 0..200 {
            for (kept, gone) in [(0, 1), (0, 7), (1, 6), (3, 4), (4, 3), (20, 11), (1, 30)] {
                let mut names = PathNames::new_in(memory);
                let place = format!("seed {seed}, {kept} stay and {gone} go");
                let name = |number: usize| format!("{seed}.{number}");
                let add = |names: &mut PathNames<'_, _>, number: usize| {
                    names.try_insert(&[&name(number)]).expect("there is memory")
                };
                let mut keys: Vec<_> = (0..kept).map(|number| add(&mut names, number)).collect();
                let mark = names.mark();
                keys.extend((kept..kept + gone).map(|number| add(&mut names, number)));
                names.back_to(mark);
                assert_eq!(names.mark(), mark, "{place}: as many as before, and their bytes");
                for (number, key) in keys.iter().enumerate() {
                    let found = names.get(*key).map(|path| path.names().eq([name(number)]));
                    assert_eq!(found, (number < kept).then_some(true), "{place}: {number}");
                }
                for (number, key) in keys.iter().enumerate() {
                    assert_eq!(add(&mut names, number), *key, "{place}: {number} again");
                    assert!(names.get(*key).is_some(), "{place}: {number} again");
                }
                assert_eq!(names.len(), kept + gone, "{place}: all are there again");
            }
        }
    });
}

#[test]
fn a_name_that_is_refused_leaves_nothing() {
    every_refusal(|memory| {
        let mut names = PathNames::new_in(memory);
        for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"] {
            let before = names.mark();
            let done = names.child(ROOT, NO_KEY, name);
            let added = names.mark();
            if let Err(refused) = done {
                assert_eq!(added, before, "{name} was refused");
                return Err(refused);
            }
            assert_eq!(added, (before.0 + 1, before.1 + 1), "{name} was added");
        }
        Ok(())
    });
}

#[test]
fn paths_of_one_hash_are_told_apart_by_object_and_name() {
    let mut twin = [0; 8];
    let twin = loligo_ids::preimage_32(IdString32::new("health").hash(), 0, &mut twin);
    let twin = twin.expect("there is one of eight bytes");
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        let key = names.try_insert(&["health"]).expect("there is memory");
        assert_eq!(IdString32::new(twin), key, "the names have one hash");
        let refused = names.try_insert(&[twin]).map_err(|error| error.to_string());
        let said = format!("health and {twin} have one hash, {key}: one of them must be renamed");
        assert_eq!(refused, Err(said), "another name in the same object");
        // The second object is said to have the first one's key: so the same name in both has one
        // key.
        let (first, key) = names.child(ROOT, NO_KEY, "first").expect("there is memory");
        let (second, _) = names.child(ROOT, NO_KEY, "second").expect("there is memory");
        let (within, _) = names.child(first, key, "name").expect("there is memory");
        let again = names.child(first, key, "name").map(|(entry, _)| entry);
        assert_eq!(again, Ok(within), "known already");
        let refused = names.child(second, key, "name").map_err(|error| error.to_string());
        let name = child_key(key, "name");
        let said = format!(
            "first.name and second.name have one hash, {name}: one of them must be renamed"
        );
        assert_eq!(refused, Err(said), "the same name in another object");
    });
}
