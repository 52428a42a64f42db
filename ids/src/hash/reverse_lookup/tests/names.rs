//! What was put in comes out, for both widths.

use std::collections::BTreeMap;
use std::format;
use std::string::ToString;

use loligo_allocators::Allocator;

use super::*;
use crate::hash::id_string::{IdString32, IdString64};
use crate::hash::murmur::murmur2_32;
use crate::hash::preimage::preimage_32;

fn round_trip<I: IdString>(seed: u64) {
    for count in [0, 1, 2, 3, 100, 3000] {
        let names = names(count as u64, count);
        let bytes = saved::<I>(&names, seed);
        let table = ReverseLookup::<I>::open(&bytes).expect("just saved");
        let model: BTreeMap<I, &str> =
            names.iter().map(|name| (I::with_seed(name, seed), name.as_str())).collect();
        assert_eq!((table.len(), table.is_empty()), (count, count == 0));
        assert_eq!(table.seed(), seed);
        assert!(table.iter().eq(model.iter().map(|(&id, &name)| (id, name))), "in order");
        assert!(table.iter().rev().eq(model.iter().rev().map(|(&id, &name)| (id, name))));
        for (&id, &name) in &model {
            assert_eq!(table.get(id), Some(name));
        }
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let id = I::from_u64(random.next());
            assert_eq!(table.get(id), model.get(&id).copied(), "{id}");
        }
        for id in [0, u64::MAX].map(I::from_u64) {
            assert_eq!(table.get(id), model.get(&id).copied(), "{id}");
        }
    }
}

#[test]
fn names_come_back() {
    round_trip::<IdString32>(0);
    round_trip::<IdString32>(0xffff_fff0);
    round_trip::<IdString32>(u32::MAX.into());
    round_trip::<IdString64>(0);
    round_trip::<IdString64>(u64::MAX);
}

/// Names whose hashes crowd at both ends and in the middle, far from where an even spread has them.
#[test]
fn crowded_hashes_are_found_too() {
    let crowds = [0..150_u32, 0x8000_0000..0x8000_0007, u32::MAX - 90..u32::MAX];
    let hashes: Vec<u32> = crowds.into_iter().flatten().collect();
    for hashes in [&hashes[..], &hashes[..150], &hashes[150..], &hashes[155..157]] {
        let mut text = [0; 12];
        let names: Vec<String> = hashes
            .iter()
            .map(|&hash| preimage_32(hash, 0, &mut text).expect("it is long enough").to_string())
            .collect();
        let bytes = saved::<IdString32>(&names, 0);
        let table = ReverseLookup::<IdString32>::open(&bytes).expect("just saved");
        for (&hash, name) in hashes.iter().zip(&names) {
            assert_eq!(table.get(IdString32::from_hash(hash)), Some(name.as_str()), "{hash:#x}");
        }
        let edges = [150, 151, 1 << 20, 0x7fff_ffff, 0x8000_0007, 0xf000_0000, u32::MAX];
        for hash in edges {
            assert_eq!(table.get(IdString32::from_hash(hash)), None, "{hash:#x}");
        }
    }
}

#[test]
fn the_bytes_do_not_tell_how_the_names_came() {
    let mut names = names(1, 500);
    let one = saved::<IdString64>(&names, 3);
    names.reverse();
    names.extend(names.clone());
    assert_eq!(saved::<IdString64>(&names, 3), one);
}

#[test]
fn the_bytes_are_as_many_as_said() {
    let names = names(2, 1000);
    let text: usize = names.iter().map(String::len).sum();
    assert_eq!(saved::<IdString32>(&names, 0).len(), 52 + 8 * names.len() + text);
    assert_eq!(saved::<IdString64>(&names, 0).len(), 52 + 12 * names.len() + text);
}

#[test]
fn a_builder_goes_on_after_saving() {
    let (one, two) = (names(3, 200), names(4, 200));
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
        for name in &one {
            builder.insert(name).expect("enough memory");
        }
        let first = builder.save().expect("enough memory");
        for name in &two {
            let id = builder.insert(name).expect("enough memory");
            assert_eq!(builder.get(id), Some(name.as_str()));
        }
        let second = builder.save().expect("enough memory");
        builder.validate();
        assert_eq!(*first, saved::<IdString32>(&one, 0));
        let both = [one.clone(), two.clone()].concat();
        assert_eq!(*second, saved::<IdString32>(&both, 0));
        assert_eq!(builder.saved_bytes(), second.len());
    });
}

#[test]
fn a_collision_names_both_and_changes_nothing() {
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
        let id = builder.insert("root_point").expect("enough memory");
        let mut text = [0; 12];
        let other = preimage_32(id.hash(), 0, &mut text).expect("12 letters are enough");
        let error = builder.insert(other).expect_err("both have one hash");
        assert_eq!(
            error,
            LookupError::Collision { hash: 0x5e43_bd96, first: "root_point", second: other }
        );
        let said = error.to_string();
        for part in ["root_point", other, "5e43bd96"] {
            assert!(said.contains(&format!("{part:?}")[1..part.len()]), "{part} is in {said}");
        }
        assert_eq!((builder.len(), builder.get(id)), (1, Some("root_point")));
    });
}

#[test]
fn merged_tables_are_the_table_of_all() {
    let all = names(5, 1500);
    for (left, right) in [(0..800, 700..1500), (0..0, 0..1500), (0..1500, 3..3), (0..9, 2..5)] {
        let other = saved::<IdString64>(&all[right.clone()], 9);
        let other = ReverseLookup::open(&other).expect("just saved");
        with_memory(|memory| {
            let mut builder = ReverseLookupBuilder::<IdString64>::with_seed_in(memory, 9);
            for name in &all[left.clone()] {
                builder.insert(name).expect("enough memory");
            }
            builder.merge(&other).expect("no collision");
            let merged = builder.save().expect("enough memory");
            let both = [&all[left.clone()], &all[right.clone()]].concat();
            assert_eq!(*merged, saved::<IdString64>(&both, 9), "{left:?} and {right:?}");
        });
    }
}

/// As much as the documents say: 12 bytes and the text for each name, and 4 for each of twice as
/// many slots, each in a block that doubles.
#[test]
fn a_builder_takes_the_memory_that_it_says() {
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
        for number in 0..43 {
            builder.insert(&format!("name {number:03}")).expect("memory");
            builder.validate();
        }
        let (bytes, taken) = (84 * 12 + 512 + 128 * 4, memory.stats().requested);
        // The heap may round up.
        assert!((bytes..bytes + 64).contains(&taken), "{taken} bytes for 43 names of 8");
    });
}

/// A merge takes the memory that the new names need, and none where there are none.
#[test]
fn a_merge_takes_no_more_than_it_needs() {
    // Names of eight bytes, so that the text is as long as its block now and then.
    let names: Vec<String> = (0..70).map(|number| format!("name {number:03}")).collect();
    for count in 1..names.len() {
        let bytes = saved::<IdString32>(&names[..count], 0);
        let table = ReverseLookup::open(&bytes).expect("just saved");
        let mut taken = 0;
        with_memory(|memory| {
            let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
            for name in &names[..count] {
                builder.insert(name).expect("memory");
            }
            taken = memory.stats().requested;
            builder.merge(&table).expect("all are there");
            assert_eq!(memory.stats().requested, taken, "{count} names that are there");
        });
        with_memory(|memory| {
            let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
            for name in &names[1..count] {
                builder.insert(name).expect("memory");
            }
            builder.merge(&table).expect("all but one are there");
            assert_eq!(memory.stats().requested, taken, "{count} names, of which one is new");
        });
    }
}

#[test]
fn a_table_without_names_goes_with_any_seed() {
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::with_seed_in(memory, 5);
        let none = ReverseLookup::default();
        assert_eq!((none.seed(), builder.merge(&none)), (0, Ok(())), "nothing is of another seed");
        assert!(builder.is_empty(), "nothing was added");
    });
}

#[test]
fn a_merge_that_is_refused_adds_nothing() {
    let mut text = [0; 12];
    let hash = murmur2_32("root_point", 0);
    let other = preimage_32(hash, 0, &mut text).expect("12 letters are enough");
    let mut theirs = names(6, 100);
    theirs.push(other.to_string());
    let bytes = saved::<IdString32>(&theirs, 0);
    let theirs = ReverseLookup::<IdString32>::open(&bytes).expect("just saved");
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
        builder.insert("root_point").expect("enough memory");
        let expected =
            LookupError::Collision { hash: hash.into(), first: "root_point", second: other };
        assert_eq!(builder.merge(&theirs), Err(expected));
        assert_eq!(builder.len(), 1);
        let mut seeded = ReverseLookupBuilder::<IdString32>::with_seed_in(memory, 4);
        assert_eq!(seeded.merge(&theirs), Err(LookupError::OtherSeed { ours: 4, theirs: 0 }));
        assert!(seeded.is_empty(), "nothing was added");
    });
}

#[test]
fn more_than_the_numbers_hold_is_refused() {
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
        builder.insert("larch").expect("enough memory");
        let before = memory.stats().granted_total;
        for (names, bytes) in [(1, u32::MAX as usize - 4), (u32::MAX as usize - 1, 0)] {
            let error = builder.reserve(names, bytes).expect_err("more than 4 GiB, or 4 billion");
            assert_eq!(error, LookupError::TooLarge { text_bytes: 5 + bytes as u64 });
        }
        assert_eq!(memory.stats().granted_total, before, "nothing was asked for");
    });
}

#[test]
fn the_table_without_names_shows_hashes() {
    let none = ReverseLookup::<IdString32>::default();
    let root = crate::id32!("root_point");
    assert_eq!((none.len(), none.get(root), none.iter().count()), (0, None, 0));
    assert_eq!(none.show(root).to_string(), "#5e43bd96");
    let bytes = saved::<IdString32>(&["root_point".to_string()], 0);
    let table = ReverseLookup::open(&bytes).expect("just saved");
    assert_eq!(table.show(root).to_string(), "root_point");
    assert_eq!(format!("{:>12}", table.show(root)), "  root_point");
}

#[test]
fn a_seed_of_a_short_hash_is_its_lower_half() {
    with_memory(|memory| {
        let builder = ReverseLookupBuilder::<IdString32>::with_seed_in(memory, 7 << 32 | 5);
        let same = saved::<IdString32>(&[], 5);
        let mut builder = builder;
        assert_eq!(*builder.save().expect("enough memory"), same);
    });
}

#[test]
#[should_panic(expected = "as long as `saved_bytes` says")]
fn memory_of_another_length_is_a_bug() {
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
        builder.save_into(&mut [0; 53]);
    });
}

#[test]
fn an_error_names_both_sides_and_the_remedy() {
    let seeds = LookupError::OtherSeed { ours: 10, theirs: 255 };
    let said = "the names to be added were hashed with seed 0xff, those here with 0xa";
    assert_eq!(seeds.to_string(), said, "both seeds");
    let large = LookupError::TooLarge { text_bytes: 1 << 32 };
    let said = "4294967296 bytes of names are more than one table holds; make several";
    assert_eq!(large.to_string(), said, "what there would be");
    let memory = LookupError::from(loligo_allocators::AllocError);
    let said = format!("no memory for the names: {}", loligo_allocators::AllocError);
    assert_eq!(memory.to_string(), said, "and the reason");
    let pair = LookupError::Collision { hash: 0xab, first: "a", second: "b" };
    let said =
        "\"a\" and \"b\" have one hash, 000000ab: rename one, take 64-bit ids, or another seed";
    assert_eq!(pair.to_string(), said, "both names");
    let damage = DamagedLookup::new(40, "the checksum is another");
    let said = "not a table of names: at byte 40, the checksum is another";
    assert_eq!(damage.to_string(), said, "place and reason");
}

#[test]
fn they_print_what_they_hold_in_short() {
    with_memory(|memory| {
        let mut builder = ReverseLookupBuilder::<IdString32>::with_seed_in(memory, 3);
        assert!(builder.is_empty(), "no names yet");
        builder.insert("larch").expect("enough memory");
        builder.insert("oak").expect("enough memory");
        assert!(!builder.is_empty(), "two names");
        let said = "ReverseLookupBuilder { names: 2, text_bytes: 8, seed: 3, .. }";
        assert_eq!(format!("{builder:?}"), said, "counts");
        let bytes = builder.save().expect("enough memory");
        assert_eq!(bytes.as_ref(), &*bytes, "the same bytes");
        assert_eq!(bytes.as_ref().len(), 52 + 2 * 8 + 8, "all of them");
        assert_eq!(format!("{bytes:?}"), "LookupBytes(76 bytes)", "their number");
        let table = ReverseLookup::<IdString32>::open(&bytes).expect("just saved");
        assert_eq!(format!("{table:?}"), "ReverseLookup { names: 2, seed: 3, .. }", "counts");
        assert!(!table.is_empty(), "two names");
        assert!(ReverseLookup::<IdString32>::default().is_empty(), "none");
    });
}

/// One more name or byte than the numbers hold is refused, and the last that they hold is only
/// refused by the memory.
#[test]
fn the_last_number_is_still_taken() {
    crate::hash::test_memory::with_bytes(10_000, |memory| {
        let mut builder = ReverseLookupBuilder::<IdString64>::new_in(memory);
        builder.insert("larch").expect("enough memory");
        for (names, bytes) in [(1, u32::MAX as usize - 5), (u32::MAX as usize - 2, 0)] {
            let error = builder.reserve(names, bytes).expect_err("so much is not there");
            assert_eq!(error, LookupError::Memory(loligo_allocators::AllocError), "{names} names");
            let id = IdString64::new("larch");
            assert_eq!((builder.len(), builder.get(id)), (1, Some("larch")), "as it was");
        }
        assert!(!builder.is_empty(), "it goes on");
        builder.insert("oak").expect("enough memory");
    });
}

#[test]
fn they_cross_threads() {
    fn assert_send<T: Send>() {}
    fn assert_send_and_sync<T: Send + Sync>() {}
    assert_send::<ReverseLookupBuilder<'_, IdString32, dyn Allocator + Sync>>();
    assert_send_and_sync::<LookupBytes<'_, dyn Allocator + Sync>>();
    assert_send_and_sync::<ReverseLookup<'_, IdString64>>();
}
