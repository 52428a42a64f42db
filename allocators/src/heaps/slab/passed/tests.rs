//! The table against a map, long runs of slots that wrap around, and planted damage.

use core::ptr::{self, NonNull};
use std::collections::BTreeMap;
use std::println;
use std::vec::Vec;

use super::{FREED, Memory, Passed, PassedOn, SLOTS_MIN};
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{Random, TestBacking};

/// A block that is only looked up, never touched.
fn block(address: usize, bytes: usize) -> PassedOn {
    PassedOn {
        address: NonNull::new(ptr::without_provenance_mut(address)).expect("an address"),
        bytes,
    }
}

/// Moves a table to memory for `count` blocks and as many bytes more.
fn move_for(passed: &Passed, backing: &TestBacking, count: usize) {
    let layout = Passed::layout_for(count).expect("a few");
    let memory = Memory { block: backing.allocate(layout).expect("room"), layout };
    // SAFETY: the block was just handed out for this count and goes back in `give` alone.
    let old = unsafe { passed.move_to(memory) };
    give(old, backing);
}

fn give(memory: Option<Memory>, backing: &TestBacking) {
    if let Some(Memory { block, layout }) = memory {
        // SAFETY: the table has left the block.
        unsafe { backing.deallocate_sized(block.cast(), layout) };
    }
}

fn check(passed: &Passed, model: &BTreeMap<usize, usize>) {
    passed.validate().expect("sound");
    assert_eq!(passed.count(), model.len(), "blocks");
    let mut shown = BTreeMap::new();
    let mut from = 0;
    while let Some((found, next)) = passed.next(from) {
        from = next;
        let twice = shown.insert(found.address.addr().get(), found.bytes);
        assert_eq!(twice, None, "{found:?} is shown twice");
    }
    assert_eq!(&shown, model, "what is shown");
}

#[test]
fn agrees_with_a_map() {
    for seed in 1..=8 {
        println!("seed {seed}");
        let backing = TestBacking::new();
        let passed = Passed::new();
        let mut random = Random::new(seed);
        let mut model = BTreeMap::new();
        // Few addresses, so that each comes and goes often; pages, odd multiples, neighbours.
        let grain = [4096, 48, 16, 1 << 20][seed as usize % 4];
        // With 32 bits there are no more addresses than these.
        for step in 0..if usize::BITS == 64 { 4000 } else { 3700 } {
            let most = if step / 800 % 2 == 0 { 300 } else { 40 };
            let address = grain * (1 + random.below(most));
            let bytes = 1 + random.below(grain);
            let found = block(address, bytes);
            assert_eq!(
                passed.bytes_at(found.address),
                model.get(&address).copied(),
                "what is known of {address:#x}"
            );
            match random.below(8) {
                0..=3 if !model.contains_key(&address) => {
                    if passed.is_full() {
                        move_for(&passed, &backing, passed.count() + 1);
                    }
                    assert!(passed.insert(found), "there is a free slot");
                    model.insert(address, bytes);
                }
                4 if model.contains_key(&address) => {
                    assert!(passed.replace(found.address, found), "it is there");
                    model.insert(address, bytes);
                }
                5 if model.contains_key(&address) => {
                    let to = block(grain * (302 + step), bytes);
                    assert!(passed.replace(found.address, to), "there is a free slot");
                    model.remove(&address);
                    model.insert(to.address.addr().get(), bytes);
                }
                6 if random.below(20) == 0 => move_for(&passed, &backing, passed.count()),
                _ => {
                    passed.remove(found.address);
                    let known = model.remove(&address).is_some();
                    assert!(!known || passed.was_freed(found.address), "freed last");
                }
            }
            let known =
                model.iter().any(|(&start, &bytes)| (start..start + bytes).contains(&address));
            assert_eq!(passed.holds(found.address.as_ptr()), known, "who holds {address:#x}");
            if step % 37 == 0 {
                check(&passed, &model);
            }
        }
        check(&passed, &model);
        give(passed.take_memory(), &backing);
        check(&passed, &BTreeMap::new());
    }
}

/// Addresses whose search starts at the last slot but one of the least table.
fn neighbours(passed: &Passed, count: usize) -> Vec<PassedOn> {
    let all = (1..).map(|page| block(page * 4096, 100));
    all.filter(|found| passed.home(found.address) == SLOTS_MIN - 2).take(count).collect()
}

#[test]
fn a_run_around_the_end_closes_whatever_is_taken_out() {
    let backing = TestBacking::new();
    let passed = Passed::new();
    move_for(&passed, &backing, 1);
    let blocks = neighbours(&passed, SLOTS_MIN / 2);
    for first in 0..blocks.len() {
        for &found in &blocks {
            assert!(passed.insert(found), "there is a free slot");
        }
        assert!(passed.is_full(), "half full");
        for index in 0..blocks.len() {
            let gone = blocks[(first + 3 * index) % blocks.len()];
            passed.remove(gone.address);
            passed.validate().expect("every block is found");
            assert_eq!(passed.bytes_at(gone.address), None, "it is gone");
        }
        assert_eq!(passed.count(), 0, "all are gone");
    }
    give(passed.take_memory(), &backing);
}

#[test]
fn the_addresses_freed_last_are_remembered() {
    let backing = TestBacking::new();
    let passed = Passed::new();
    move_for(&passed, &backing, 1);
    let blocks: Vec<_> = (1..=FREED + 1).map(|page| block(page * 4096, 1)).collect();
    for &found in &blocks {
        assert!(passed.insert(found), "there is a free slot");
        assert!(!passed.was_freed(found.address), "it is live");
        passed.remove(found.address);
    }
    assert!(!passed.was_freed(blocks[0].address), "too long ago");
    assert!(blocks[1..].iter().all(|found| passed.was_freed(found.address)), "the last ones");
    give(passed.take_memory(), &backing);
}

#[test]
fn damage_is_found_and_ends_every_search() {
    let backing = TestBacking::new();
    let passed = Passed::new();
    move_for(&passed, &backing, 1);
    let found = block(4096, 100);
    let other = block(8192, 100);
    assert!(passed.insert(found), "there is a free slot");
    let index = passed.position(found.address).expect("it was entered");
    let slot = &passed.slots()[index];
    for damaged in [
        None,
        Some(block(4096, 0)),
        Some(block(4096, usize::MAX)),
        Some(block(12288, 1)).filter(|moved| passed.home(moved.address) != index),
    ] {
        slot.set(damaged);
        assert!(passed.validate().is_err(), "{damaged:?} is not seen");
        slot.set(Some(found));
        passed.validate().expect("sound again");
    }
    let before: Vec<_> = passed.slots().iter().map(core::cell::Cell::get).collect();
    for slot in passed.slots() {
        slot.set(Some(found));
    }
    assert!(passed.validate().is_err(), "a full table is not seen");
    assert_eq!(passed.bytes_at(other.address), None, "the search ends");
    assert!(!passed.insert(other), "there is no slot");
    passed.remove(found.address);
    for (slot, before) in passed.slots().iter().zip(before) {
        slot.set(before);
    }
    give(passed.take_memory(), &backing);
}

#[test]
fn a_table_has_twice_as_many_slots_as_blocks() {
    let slot = 2 * size_of::<usize>();
    for (count, slots) in [(0, 16), (1, 16), (6, 16), (8, 16), (9, 32), (16, 32), (17, 64)] {
        let layout = Passed::layout_for(count).expect("a few");
        assert_eq!(layout.size(), slots * slot, "{count} blocks");
    }
    let backing = TestBacking::new();
    let passed = Passed::new();
    assert_eq!((passed.bytes(), passed.is_full()), (0, true), "there is no memory yet");
    assert!(!passed.insert(block(4096, 1)), "nor a slot");
    move_for(&passed, &backing, 1);
    for page in 1..=8 {
        assert!(!passed.is_full(), "{page} blocks fill at most half");
        assert!(passed.insert(block(page * 4096, 1)), "there is a free slot");
    }
    assert!(passed.is_full(), "half full");
    passed.validate().expect("half full");
    assert!(passed.insert(block(9 * 4096, 1)), "there is a slot even so");
    let damage = passed.validate().expect_err("more than half");
    assert_eq!(damage.what, "the table of large blocks holds another number", "{damage}");
    give(passed.take_memory(), &backing);
    assert_eq!((passed.bytes(), passed.count()), (0, 0), "the memory has left it");
    passed.validate().expect("an empty table is sound");
}

#[test]
fn a_size_is_impossible_where_the_block_would_leave_the_address_space() {
    let backing = TestBacking::new();
    let passed = Passed::new();
    move_for(&passed, &backing, 1);
    let last = usize::MAX - 15;
    for (address, bytes, possible) in
        [(4096, 8192, true), (4096, usize::MAX - 4096, true), (last, 15, true), (last, 16, false)]
    {
        let planted = block(address, bytes);
        assert!(passed.insert(planted), "there is a free slot");
        assert_eq!(passed.validate().is_ok(), possible, "{bytes} bytes at {address:#x}");
        passed.remove(planted.address);
    }
    give(passed.take_memory(), &backing);
}
