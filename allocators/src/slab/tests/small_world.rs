//! Slabs with up to eight live blocks, of one class and of two: every state and every operation.

use core::alloc::Layout;
use std::println;

use crate::allocator::Allocator;
use crate::size_classes::{ClassTable, SizeClasses};
use crate::slab::SlabAllocator;
use crate::test_backing::panic_of;
use crate::test_world::{Below, Explored, Inhabitant, World};

/// Classes of which a page has seventeen slots, and eight.
struct Wide;

impl SizeClasses for Wide {
    const TABLE: &'static ClassTable = &ClassTable::new(&[240, 496]);
}

struct Slab<'a> {
    slab: SlabAllocator<'a, Below<'a>, Wide>,
    /// Frees the first block when it shrinks with two live ones.
    is_faulty: bool,
}

impl Inhabitant for Slab<'_> {
    fn allocator(&self) -> &dyn Allocator {
        &self.slab
    }

    fn shrink(&self) {
        let mut live = std::vec::Vec::new();
        self.slab.walk(&mut |block| live.push(block.address));
        if self.is_faulty && live.len() == 2 {
            // SAFETY: the block is live, and that is the fault.
            unsafe { self.slab.deallocate(live[0]) };
        }
        self.slab.shrink();
    }

    fn grows(&self) -> bool {
        true
    }

    fn free_blocks(&self) -> Option<usize> {
        None
    }
}

fn world(layouts: &[Layout], live_max: usize, is_faulty: bool) -> Explored {
    let make = |below: &Below<'_>, with: &mut dyn FnMut(&dyn Inhabitant)| {
        let slab = SlabAllocator::with_classes("slab", below, 64 << 10);
        with(&Slab { slab, is_faulty });
    };
    World { layouts, live_max, probes: live_max, make: &make }.explore()
}

const EIGHTH: Layout = Layout::new::<[u64; 62]>();
const SMALL: Layout = Layout::new::<[u64; 30]>();
const PASSED_ON: Layout = Layout::new::<[u64; 400]>();

fn said(what: &str, explored: Explored) -> usize {
    let Explored { states, operations } = explored;
    println!("small world: slab of up to {what}: {states} states, {operations} operations");
    states
}

#[test]
fn every_state_of_eight_slots_of_one_class() {
    for n in 2..=8 {
        std::println!("{n}");
        said("8 blocks of one class", world(&[EIGHTH], n, false));
    }
}

#[test]
fn every_state_of_four_blocks_of_two_classes() {
    for n in 1..=8 {
        std::println!("{n}");
        said("8 blocks of one class", world(&[EIGHTH, SMALL], n, false));
    }
}

#[test]
fn every_state_of_three_blocks_some_of_which_are_passed_on() {
    for n in 1..=8 {
        std::println!("{n}");
        said("8 blocks of one class", world(&[EIGHTH, PASSED_ON], n, false));
    }
}

#[test]
fn a_planted_fault_is_found_in_the_small_world() {
    let found = panic_of(|| drop(world(&[EIGHTH], 3, true)));
    assert!(found.contains("live blocks after"), "{found}");
}
