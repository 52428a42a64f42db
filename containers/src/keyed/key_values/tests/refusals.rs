//! Memory runs out at any request.

use super::*;
use crate::testing::test_memory::{every_refusal, with_memory};

/// Does `change` to `store` and checks that a refusal changed nothing.
fn attempt<'a, A: Allocator + ?Sized>(
    store: &mut KeyValues<'a, A>,
    change: impl FnOnce(&mut KeyValues<'a, A>) -> Result<(), GrowError>,
) -> Result<(), GrowError> {
    let before: Vec<_> = store.as_bytes().to_vec();
    let done = change(store);
    assert_eq!(store.validate(), Ok(()));
    if done.is_err() {
        assert_eq!(store.as_bytes(), before, "a refusal changed something");
    }
    done
}

#[test]
fn a_refused_value_changes_nothing() {
    every_refusal(|memory| {
        let mut store = KeyValues::new_in(memory);
        let mut first = Ok(());
        let mut random = Random::new(5);
        for number in 0..60 {
            let value = Owned::drawn(&mut random, 10);
            let done = attempt(&mut store, |store| store.try_set(key(number % 40), value.value()));
            first = first.and(done);
        }
        first
    });
}

#[test]
fn a_refused_merge_changes_nothing() {
    every_refusal(|memory| {
        let mut store = KeyValues::new_in(memory);
        let mut first = attempt(&mut store, |store| store.try_set(key(100), "mine"));
        match mixed(memory) {
            Ok(other) => {
                first = first.and(attempt(&mut store, |store| store.try_merge(other.view())))
            }
            Err(error) => first = first.and(Err(error)),
        }
        first
    });
}

#[test]
fn refused_copies_and_reservations_leave_the_store() {
    every_refusal(|memory| {
        let mut store = mixed(memory)?;
        let copy = store.try_clone().map(drop);
        let other = KeyValues::try_from_ref_in(store.view(), memory).map(drop);
        let with_room = KeyValues::try_with_capacity_in(10, 100, memory).map(drop);
        let room = attempt(&mut store, |store| store.try_reserve(1_000, 5_000));
        copy.and(other).and(with_room).and(room)
    });
}

#[test]
fn a_refused_shrink_loses_nothing() {
    every_refusal(|memory| {
        let mut store = mixed(memory)?;
        store.try_reserve(100, 1_000)?;
        let mut model = Model::new();
        model.insert(key(9).hash(), Owned::Str("last".into()));
        store.try_set(key(9), "last")?;
        let done = store.try_shrink();
        assert_eq!(store.validate(), Ok(()));
        assert_eq!(store.len(), 9);
        assert_eq!(store.get_str(key(9)), Some("last"));
        assert_eq!(store.get_str(key(7)), Some("zwölf Boxkämpfer"));
        done
    });
}

#[test]
fn garbage_serves_where_memory_is_refused() {
    with_memory(|memory| {
        let mut store = KeyValues::try_with_capacity_in(8, 100, memory).expect("there is memory");
        store.set(key(0), "first");
        store.set(key(1), "second");
        store.set(key(0), "a longer first");
        let room = store.view().block.len() - head_words(2) - 2 - 2 - 4;
        // What is free and what is garbage serve together: no memory is to be had.
        memory.refuse(loligo_allocators::Refusals::From(0));
        let numbers = std::vec![1.0; room + 2 - 3];
        store.try_set(key(2), numbers.as_slice()).expect("garbage is enough");
        assert!(memory.refused() > 0, "it was asked for first");
        assert_eq!(store.validate(), Ok(()));
        assert_eq!(store.get_str(key(0)), Some("a longer first"));
        assert_eq!(store.get_str(key(1)), Some("second"));
        assert_eq!(store.get_array(key(2)), Some(numbers.as_slice()));
    });
}

#[test]
fn more_than_a_block_may_have_is_refused_in_words() {
    with_memory(|memory| {
        let mut store = mixed(memory).expect("there is memory");
        for (keys, bytes) in
            [(usize::MAX, 0), (0, usize::MAX), (usize::MAX, usize::MAX), (1 << 29, 0)]
        {
            let error = store.try_reserve(keys, bytes).expect_err("nobody has so much");
            assert!(
                matches!(error, GrowError::Length { limit, .. } if limit == MOST as u64),
                "{error}"
            );
        }
        assert_eq!(store.validate(), Ok(()));
    });
}
