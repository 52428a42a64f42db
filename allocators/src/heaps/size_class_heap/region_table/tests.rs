//! The table of regions against a list, through several widenings.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{INLINE, NUMBERS_MAX, RegionTable};
use crate::testing::test_random::Random;

/// Spaces between the addresses of blocks that are never touched.
const SPACE: usize = 1 << 16;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 1).expect("a valid layout")
}

fn address(at: usize) -> NonNull<u8> {
    NonNull::new(core::ptr::without_provenance_mut(at)).expect("not null")
}

/// Widens a table by memory of the tests' own; returns it.
fn widen(table: &mut RegionTable, memories: &mut Vec<(NonNull<u8>, Layout)>) {
    let wider = table.wider().expect("there is a wider one");
    // SAFETY: the layout is not empty.
    let memory = NonNull::new(unsafe { std::alloc::alloc(wider) }).expect("there is memory");
    memories.push((memory, wider));
    // SAFETY: as asked; it is given back in `free`, when the table is gone.
    let old = unsafe { table.widen(NonNull::slice_from_raw_parts(memory, wider.size())) };
    let before = memories.iter().rev().nth(1).copied();
    assert_eq!(old, before, "what it had");
}

fn free(memories: Vec<(NonNull<u8>, Layout)>) {
    for (memory, layout) in memories {
        // SAFETY: allocated in `widen`, and no table uses it any more.
        unsafe { std::alloc::dealloc(memory.as_ptr(), layout) };
    }
}

#[test]
fn a_table_agrees_with_a_list() {
    let mut random = Random::new(7);
    let (mut table, mut memories) = (RegionTable::new(), Vec::new());
    let mut model: Vec<(usize, usize, usize)> = Vec::new();
    for step in 0..4000 {
        let grows = step % 1000 < 600;
        if random.below(10) < if grows { 7 } else { 3 } {
            let start = (1 + random.below(5000)) * SPACE;
            if model.iter().any(|&(_, other, _)| other == start) {
                continue;
            }
            if !table.has_free_number() {
                widen(&mut table, &mut memories);
            }
            let bytes = 1 + random.below(SPACE);
            let number = table.add_huge(address(start), layout(bytes)).expect("it is wide enough");
            assert!(model.iter().all(|&(other, ..)| other != number), "a free number");
            model.push((number, start, bytes));
        } else if !model.is_empty() {
            let (number, start, bytes) = model.swap_remove(random.below(model.len()));
            assert_eq!(table.remove(number), Some((address(start), layout(bytes))), "as entered");
            assert_eq!((table.remove(number), table.huge(number)), (None, None), "once");
        }
        assert_eq!(table.count(), model.len(), "step {step}");
        assert!(table.is_sound(), "step {step}");
        for _ in 0..4 {
            let at = random.below(5002 * SPACE);
            let found = model
                .iter()
                .find(|&&(_, start, bytes)| at.wrapping_sub(start) < bytes)
                .map(|&(number, start, _)| (number, at - start));
            assert_eq!(table.find(core::ptr::without_provenance(at)), found, "{at:#x}");
        }
    }
    assert!(memories.len() >= 3, "it was widened {} times", memories.len());
    for (number, ..) in model {
        assert!(table.take_memory().is_none(), "it is in use");
        assert!(table.remove(number).is_some(), "it was entered");
    }
    assert_eq!(table.take_memory(), memories.last().copied(), "what it has");
    assert_eq!((table.take_memory(), table.memory_bytes(), table.len()), (None, 0, 0), "no more");
    free(memories);
}

#[test]
fn a_table_is_as_wide_as_the_ids_of_pages_allow() {
    let (mut table, mut memories) = (RegionTable::new(), Vec::new());
    let mut width = INLINE;
    while table.wider().is_some() {
        widen(&mut table, &mut memories);
        width *= 2;
    }
    assert_eq!(width, NUMBERS_MAX, "12 bits");
    for number in 0..width {
        let start = address((width - number) * SPACE);
        assert_eq!(table.add_huge(start, layout(1)), Some(number), "the first that is free");
    }
    assert_eq!(table.add_huge(address(1), layout(1)), None, "it is full");
    assert!(table.is_sound() && !table.has_free_number(), "all numbers are in use");
    free(memories);
}

#[test]
fn damage_of_the_order_is_found() {
    let (mut table, mut memories) = (RegionTable::new(), Vec::new());
    widen(&mut table, &mut memories);
    for at in [3, 1, 2] {
        table.add_huge(address(at * SPACE), layout(1)).expect("there is room");
    }
    assert!(table.is_sound(), "as it was made");
    table.count += 1;
    assert!(!table.is_sound(), "one more than there are");
    table.count -= 1;
    // SAFETY: the order has a place for each number.
    unsafe { table.order().write(0) };
    assert!(!table.is_sound(), "the greatest comes first");
    free(memories);
}
