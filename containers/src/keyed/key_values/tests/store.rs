//! One store against the model.

use std::vec;

use super::asked::with_notes;
use super::*;
use crate::testing::test_memory::with_memory;

#[test]
fn it_does_what_a_sorted_map_does() {
    for (seed, keys, longest, steps) in
        [(1, 8, 3, 3_000), (2, 40, 12, 6_000), (3, 300, 20, 4_000), (4, 30, 3_000, 2_000)]
    {
        std::println!("seed {seed}, {keys} keys, lengths to {longest}");
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut store = KeyValues::new_in(memory);
            let mut model = Model::new();
            for step in 0..steps {
                let key = key(random.below(keys));
                match random.below(100) {
                    0..70 => {
                        let value = Owned::drawn(&mut random, longest);
                        store.set(key, value.value());
                        model.insert(key.hash(), value);
                    }
                    70..98 => {
                        assert_eq!(store.remove(key), model.remove(&key.hash()).is_some());
                    }
                    98 => store.try_shrink().expect("there is memory"),
                    _ if random.below(8) == 0 => {
                        store.clear();
                        model.clear();
                    }
                    _ => {}
                }
                assert_eq!(store.validate(), Ok(()), "step {step}");
                assert_eq!(store.contains(key), model.contains_key(&key.hash()), "step {step}");
                if step % 16 == 0 {
                    assert_same(store.view(), &model);
                }
            }
            assert_same(store.view(), &model);
            let copy = KeyValues::try_from_ref_in(store.view(), memory).expect("there is memory");
            assert_eq!(copy.validate(), Ok(()));
            assert_same(copy.view(), &model);
        });
    }
}

#[test]
fn an_empty_store_takes_nothing() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        assert_eq!((store.len(), store.get(key(1))), (0, None));
        assert!(!store.remove(key(1)));
        store.try_reserve(0, 0).expect("nothing is needed");
        store.merge(KeyValuesRef::EMPTY);
        store.clear();
        store.try_shrink().expect("nothing is done");
        assert_eq!(store.clone().as_bytes(), store.as_bytes());
        assert_eq!(memory.stats().granted, 0);
        let opened = KeyValuesRef::open(store.as_bytes()).expect("an empty store is one");
        assert!(opened.is_empty());
        store.set(key(1), 1.0);
        store.remove(key(1));
        store.try_shrink().expect("the block goes back");
        assert_eq!(memory.stats().granted, 0);
    });
}

#[test]
fn the_same_contents_are_in_the_same_order() {
    with_memory(|memory| {
        let mut forth = KeyValues::new_in(memory);
        let mut back = KeyValues::new_in(memory);
        for number in 0..50 {
            forth.set(key(number), number as f32);
            back.set(key(49 - number), (49 - number) as f32);
        }
        assert_eq!(forth, back);
        assert_eq!(forth.as_bytes(), back.as_bytes(), "without texts not even their places differ");
        back.set(key(3), 4.0);
        assert_ne!(forth, back);
    });
}

#[test]
fn a_copy_has_the_same_bytes_and_goes_its_own_way() {
    with_memory(|memory| {
        let store = mixed(memory).expect("there is memory");
        let mut copy = store.clone();
        assert_eq!(copy.as_bytes(), store.as_bytes());
        assert_eq!(copy, store);
        // Both do the same from here on.
        let mut other = store.clone();
        for number in 0..100 {
            copy.set(key(number), "some text");
            other.set(key(number), "some text");
        }
        assert_eq!(copy.as_bytes(), other.as_bytes());
        assert_eq!(store.get_str(key(1)), Some("a first text that no longer fits"));
    });
}

#[test]
fn nothing_of_an_old_text_is_left_behind_a_shorter_one() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        store.set(key(1), "abcdefgh");
        store.set(key(1), "vwxyz");
        assert!(store.as_bytes().windows(8).any(|bytes| bytes == b"vwxyz\0\0\0"), "{store:?}");
    });
}

#[test]
fn blocks_may_be_granted_longer_than_was_asked_for() {
    with_notes(|generous| {
        // Each time more than the time before.
        generous.more.set(4);
        generous.step.set(4);
        let store = mixed(generous).expect("there is memory");
        let plain = mixed(generous.memory).expect("there is memory");
        assert_eq!(store, plain);
        let mut copy = store.clone();
        assert!(copy.as_bytes().len() > store.as_bytes().len(), "more was granted");
        assert_eq!(copy.validate(), Ok(()));
        assert_eq!(copy, plain);
        for number in 0..40 {
            copy.set(key(number), "another text");
            copy.try_shrink().expect("there is memory");
            assert_eq!(copy.validate(), Ok(()), "after {number} keys");
        }
        let again = KeyValues::try_from_ref_in(copy.view(), generous).expect("there is memory");
        assert_eq!(again.validate(), Ok(()));
        assert_eq!(again, copy);

        let mut set = KeyValuesSet::new_in(generous);
        let first = set.insert(store.view());
        for number in 0..40 {
            let id = set.insert(copy.view());
            set.set(first, key(number), [number as f32; 3].as_slice());
            assert!(number % 3 != 0 || set.remove(id), "it was just inserted");
            set.try_shrink().expect("there is memory");
            assert_eq!(set.validate(), Ok(()), "after {number} stores");
        }
        assert_eq!(set.get(first).and_then(|store| store.get_array(key(39))), Some(&[39.0; 3][..]));
    });
}

#[test]
fn garbage_is_reclaimed_before_the_block_grows() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        store.set(key(0), "stays");
        store.set(key(1), [7.0; 20].as_slice());
        store.set(key(2), "this text stays as well");
        let before = store.as_bytes().len();
        // The lengths take turns, so no value fits where the last one was, and another follows
        // each.
        for round in 0..1_000_usize {
            store.set(key(3), [1.0; 20].get(..round % 20 + 1).expect("short"));
            store.set(key(4), ["", "a", "some more", "the longest of all"][round % 4]);
        }
        assert!(store.as_bytes().len() <= before.max(256) * 4, "{}", store.as_bytes().len());
        assert_eq!(store.validate(), Ok(()));
        assert_eq!(store.get_str(key(0)), Some("stays"));
        assert_eq!(store.get_array(key(1)), Some([7.0; 20].as_slice()));
        assert_eq!(store.get_str(key(2)), Some("this text stays as well"));
    });
}

#[test]
fn what_came_last_leaves_no_garbage() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        store.try_reserve(4, 64).expect("there is memory");
        store.set(key(0), "first");
        let before = store.as_bytes().to_vec();
        store.set(key(1), "second");
        store.remove(key(1));
        assert_eq!(store.as_bytes(), before);
    });
}

#[test]
fn values_beyond_64_kib_are_long_and_become_short_again() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        let text = "x".repeat(70_000);
        let numbers = vec![0.5; 70_000];
        store.set(key(0), "before");
        store.set(key(1), text.as_str());
        store.set(key(2), "behind 64 KiB");
        store.set(key(3), numbers.as_slice());
        store.set(key(4), &[1.0, 2.0]);
        assert_eq!(store.validate(), Ok(()));
        assert_eq!(store.get_str(key(1)), Some(text.as_str()));
        assert_eq!(store.get_str(key(2)), Some("behind 64 KiB"));
        assert_eq!(store.get_array(key(3)), Some(numbers.as_slice()));
        assert_eq!(store.get_array(key(4)), Some([1.0, 2.0].as_slice()));
        assert_eq!(store.view().get_str(key(3)), None);
        assert_eq!(store.view().get_array(key(2)), None);
        // Over a long one a shorter, and one of the other type.
        store.set(key(1), "short");
        store.set(key(2), &[3.0]);
        assert_eq!(
            (store.get_str(key(1)), store.get_array(key(2))),
            (Some("short"), Some([3.0].as_slice()))
        );
        assert_eq!(store.validate(), Ok(()));
        store.remove(key(3));
        store.try_shrink().expect("there is memory");
        assert!(store.as_bytes().len() < 256, "{}", store.as_bytes().len());
        assert_eq!(store.get_str(key(1)), Some("short"));
        assert_eq!(store.get_array(key(4)), Some([1.0, 2.0].as_slice()));
        assert_eq!(store.validate(), Ok(()));
        let copy = KeyValues::try_from_ref_in(store.view(), memory).expect("there is memory");
        assert_eq!(copy, store);
    });
}

#[test]
fn the_other_store_wins_a_merge() {
    with_memory(|memory| {
        for seed in 0..200 {
            std::println!("seed {seed}");
            let mut random = Random::new(seed);
            let (mut ours, mut theirs) = (KeyValues::new_in(memory), KeyValues::new_in(memory));
            let (mut model, mut other) = (Model::new(), Model::new());
            for (store, model) in [(&mut ours, &mut model), (&mut theirs, &mut other)] {
                for _ in 0..random.below(30) {
                    let (key, value) = (key(random.below(30)), Owned::drawn(&mut random, 9));
                    store.set(key, value.value());
                    model.insert(key.hash(), value);
                }
            }
            ours.merge(theirs.view());
            model.extend(other.clone());
            assert_eq!(ours.validate(), Ok(()));
            assert_same(ours.view(), &model);
            assert_same(theirs.view(), &other);
        }
    });
}

#[test]
fn keys_of_paths_are_told_apart() {
    let keys = [
        path_key(&[]),
        path_key(&["a"]),
        path_key(&["a", "b"]),
        path_key(&["b", "a"]),
        path_key(&["a.b"]),
        path_key(&["ab"]),
        path_key(&["", "a"]),
        path_key(&["a", ""]),
        path_key(&["", ""]),
        path_key(&["a", "b", "c"]),
        path_key(&["a.b", "c"]),
        path_key(&["a", "b.c"]),
    ];
    for (place, key) in keys.iter().enumerate() {
        assert!(!keys[..place].contains(key), "{place}");
    }
    assert_eq!(path_key(&["name"]), IdString32::new("name"));
    assert_eq!(path_key(&["a", "b", "c"]), child_key(path_key(&["a", "b"]), "c"));
}

#[test]
fn bits_of_numbers_are_kept() {
    with_memory(|memory| {
        let mut store = KeyValues::new_in(memory);
        for bits in [0x7fc0_1234, 0xff80_0000, 0x8000_0000, 1] {
            store.set(key(1), f32::from_bits(bits));
            assert_eq!(store.get_f32(key(1)).map(f32::to_bits), Some(bits));
        }
    });
}
