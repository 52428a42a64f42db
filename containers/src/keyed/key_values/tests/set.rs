//! Many stores in one allocation.

use super::*;
use crate::testing::test_memory::{every_refusal, with_memory};

#[track_caller]
fn assert_holds<A: Allocator + ?Sized>(
    set: &KeyValuesSet<'_, A>,
    models: &BTreeMap<u32, (StoreId, Model)>,
) {
    assert_eq!(set.validate(), Ok(()));
    assert_eq!(set.len(), models.len());
    for (id, model) in models.values() {
        assert_same(set.get(*id).expect("it is alive"), model);
    }
    for (id, store) in set.iter() {
        assert_eq!(store.len(), models[&id.index()].1.len());
    }
    assert_eq!(set.iter().count(), models.len());
}

#[test]
fn it_does_what_many_maps_do() {
    for (seed, stores, keys, longest) in
        [(1, 4, 6, 4), (2, 40, 10, 9), (3, 12, 60, 2_500), (4, 200, 3, 2)]
    {
        std::println!("seed {seed}, {stores} stores, {keys} keys, lengths to {longest}");
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut set = KeyValuesSet::new_in(memory);
            let mut models: BTreeMap<u32, (StoreId, Model)> = BTreeMap::new();
            let mut gone = Vec::new();
            for step in 0..4_000 {
                if models.len() < stores && random.below(10) < 3 {
                    let mut store = KeyValues::new_in(memory);
                    let mut model = Model::new();
                    for _ in 0..random.below(keys) {
                        let (key, value) =
                            (key(random.below(keys)), Owned::drawn(&mut random, longest));
                        store.set(key, value.value());
                        model.insert(key.hash(), value);
                    }
                    let id = set.insert(store.view());
                    assert!(models.insert(id.index(), (id, model)).is_none(), "an id of another");
                }
                let Some((&index, _)) = models.iter().nth(random.below(models.len().max(1))) else {
                    continue;
                };
                let (id, model) = models.get_mut(&index).expect("it was just seen");
                let (id, key) = (*id, key(random.below(keys)));
                match random.below(100) {
                    0..70 => {
                        let value = Owned::drawn(&mut random, longest);
                        set.set(id, key, value.value());
                        model.insert(key.hash(), value);
                    }
                    70..90 => {
                        assert_eq!(set.remove_key(id, key), model.remove(&key.hash()).is_some());
                    }
                    90..94 => {
                        assert!(set.remove(id) && !set.remove(id));
                        models.remove(&index);
                        gone.push(id);
                    }
                    94 => set.try_shrink().expect("there is memory"),
                    95 => {
                        let copy = set.try_duplicate(id).expect("there is memory");
                        let model = model.clone();
                        models.insert(copy.index(), (copy, model));
                    }
                    96 => {
                        let store = mixed(memory).expect("there is memory");
                        set.try_replace(id, store.view()).expect("there is memory");
                        *model =
                            store.iter().map(|(key, value)| (key.hash(), owned(value))).collect();
                    }
                    _ => {}
                }
                if step % 8 == 0 {
                    assert_holds(&set, &models);
                }
            }
            assert_holds(&set, &models);
            for id in gone {
                assert!(!set.contains(id) && set.get(id).is_none());
                assert_eq!(set.try_set(id, key(0), 1.0), Err(KeyValuesSetError::NoStore));
                assert_eq!(set.try_duplicate(id), Err(KeyValuesSetError::NoStore));
                assert!(!set.remove_key(id, key(0)));
            }
        });
    }
}

fn owned(value: Value<'_>) -> Owned {
    match value {
        Value::Bool(value) => Owned::Bool(value),
        Value::F32(value) => Owned::F32(value),
        Value::Str(value) => Owned::Str(value.into()),
        Value::Array(value) => Owned::Array(value.into()),
    }
}

#[test]
fn a_thousand_stores_of_one_float_take_24_bytes_each() {
    with_memory(|memory| {
        let health = key(1);
        let mut store = KeyValues::new_in(memory);
        store.set(health, 1.0);
        let mut set = KeyValuesSet::new_in(memory);
        for _ in 0..1_000 {
            set.insert(store.view());
        }
        let granted = memory.stats().granted - store.as_bytes().len();
        let all = granted + size_of_val(&set);
        assert!(all <= 24 * 1_000, "{all} bytes as inserted, the object and what was granted");
        assert_eq!(granted, set.bytes());

        // The same where each begins empty and is given its float later.
        let mut set = KeyValuesSet::new_in(memory);
        let ids: Vec<_> = (0..1_000).map(|_| set.insert(KeyValuesRef::EMPTY)).collect();
        for id in ids {
            set.set(id, health, 2.0);
        }
        assert!(set.bytes() <= 24 * 1_000, "{} bytes as set", set.bytes());
        set.try_shrink().expect("there is memory");
        assert!(set.bytes() <= 20 * 1_000 + 64, "{} bytes shrunk", set.bytes());
        assert_eq!(set.validate(), Ok(()));
    });
}

#[test]
fn a_store_that_grows_key_by_key_at_the_end_leaves_no_garbage() {
    with_memory(|memory| {
        let mut set = KeyValuesSet::new_in(memory);
        let id = set.insert(KeyValuesRef::EMPTY);
        for number in 0..100 {
            set.set(id, key(number), number as f32);
            assert_eq!(set.garbage, 0);
        }
        set.set(id, key(200), "a text");
        assert_eq!(set.garbage, 0);
        assert_eq!(set.validate(), Ok(()));
    });
}

#[test]
fn garbage_is_bounded_while_stores_change() {
    with_memory(|memory| {
        let mut set = KeyValuesSet::new_in(memory);
        let ids: Vec<_> = (0..50).map(|_| set.insert(KeyValuesRef::EMPTY)).collect();
        for round in 0..400 {
            for id in &ids {
                set.set(*id, key(round % 7), &"some text of any length"[..round % 20]);
            }
        }
        let before = set.bytes();
        set.try_shrink().expect("there is memory");
        assert!(before <= set.bytes() * 2, "{before} bytes, and {} when shrunk", set.bytes());
    });
}

#[test]
fn a_slot_is_retired_after_its_last_life() {
    with_memory(|memory| {
        let mut set = KeyValuesSet::new_in(memory);
        let mut ids = Vec::new();
        for _ in 0..4_095 {
            let id = set.insert(KeyValuesRef::EMPTY);
            assert_eq!(id.index(), 0);
            set.remove(id);
            ids.push(id);
        }
        let next = set.insert(KeyValuesRef::EMPTY);
        assert_eq!((next.index(), next.generation()), (1, 1));
        assert!(ids.iter().all(|id| !set.contains(*id)));
        assert_eq!(set.validate(), Ok(()));
        // Ids of any bits name nothing: one of a life that is to come, one of no slot.
        set.remove(next);
        for (generation, index) in [(2, 1), (4_095, 0), (1, 2), (1, 0xf_ffff)] {
            let id = StoreId::from_bits(generation << 20 | index).expect("it has a generation");
            assert!(!set.contains(id), "{id:?}");
        }
    });
}

#[test]
fn refusals_leave_the_set_as_it_was() {
    every_refusal(|memory| {
        let store = mixed(memory)?;
        let mut set = KeyValuesSet::new_in(memory);
        let mut models: BTreeMap<u32, (StoreId, Model)> = BTreeMap::new();
        let whole: Model = store.iter().map(|(key, value)| (key.hash(), owned(value))).collect();
        let mut first = Ok(());
        let mut random = Random::new(6);
        for round in 0..30 {
            match set.try_insert(store.view()) {
                Ok(id) => drop(models.insert(id.index(), (id, whole.clone()))),
                Err(error) => first = first.and(Err(error)),
            }
            let ids: Vec<_> = models.values().map(|(id, _)| *id).collect();
            for id in ids.iter().take(3) {
                let (key, value) = (key(random.below(12)), Owned::drawn(&mut random, 12));
                match set.try_set(*id, key, value.value()) {
                    Ok(()) => drop(
                        models.get_mut(&id.index()).expect("known").1.insert(key.hash(), value),
                    ),
                    Err(KeyValuesSetError::Grow(error)) => first = first.and(Err(error)),
                    Err(error) => panic!("{error}"),
                }
            }
            if round % 5 == 4
                && let Some(id) = ids.first()
            {
                match set.try_duplicate(*id) {
                    Ok(copy) => {
                        let model = models[&id.index()].1.clone();
                        models.insert(copy.index(), (copy, model));
                    }
                    Err(KeyValuesSetError::Grow(error)) => first = first.and(Err(error)),
                    Err(error) => panic!("{error}"),
                }
                match set.try_replace(*id, store.view()) {
                    Ok(()) => models.get_mut(&id.index()).expect("known").1 = whole.clone(),
                    Err(KeyValuesSetError::Grow(error)) => first = first.and(Err(error)),
                    Err(error) => panic!("{error}"),
                }
            }
            if round == 20 {
                first = first.and(set.try_shrink());
            }
            assert_holds(&set, &models);
        }
        first
    });
}

#[test]
fn more_keys_than_a_slot_counts_are_refused() {
    with_memory(|memory| {
        let (most, limit) = ((1 << 19) - 2, (1 << 19) - 2);
        let mut set = KeyValuesSet::new_in(memory);
        let words = of_bools(most + 1);
        let store = KeyValuesRef::open(bytemuck::cast_slice(&words)).expect("it is well made");
        let refused = GrowError::Length { wanted: limit + 1, limit };
        assert_eq!(set.try_insert(store), Err(refused));
        assert_eq!(memory.stats().granted, 0);

        let words = of_bools(most);
        let store = KeyValuesRef::open(bytemuck::cast_slice(&words)).expect("it is well made");
        let id = set.insert(store);
        let key = IdString32::from_hash(u32::MAX);
        assert_eq!(set.try_set(id, key, 1.0), Err(KeyValuesSetError::Grow(refused)));
        assert_eq!(set.get(id).map(|store| store.len()), Some(most as usize));
        assert_eq!(set.validate(), Ok(()));
    });
}

/// Returns a saved store with the given number of keys, all of them false.
fn of_bools(count: u32) -> Vec<u32> {
    let words = HEADER + head_words(count as usize);
    let mut store = std::vec![0; words];
    store[..HEADER].copy_from_slice(&[MARK, 4 * words as u32, count, 0]);
    for key in 0..count {
        store[HEADER + key as usize] = key;
    }
    let types = 4 * HEADER + 8 * count as usize;
    bytemuck::cast_slice_mut::<u32, u8>(&mut store)[types..types + count as usize].fill(1);
    store
}
