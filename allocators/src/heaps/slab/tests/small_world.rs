//! Slabs with up to eight live blocks, of one class, of two, and with some passed on: every
//! sequence of operations of a length, from the empty slab and from one that is nearly at its most
//! blocks.

use core::alloc::Layout;
use std::println;
use std::vec::Vec;

use crate::contract::allocator::Allocator;
use crate::heaps::size_classes::{ClassTable, SizeClasses};
use crate::heaps::slab::SlabAllocator;
use crate::testing::test_backing::panic_of;
use crate::testing::test_world::{Below, Explored, Inhabitant, Op, World};

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
        let mut live = Vec::new();
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

    fn kept(&self) -> Vec<usize> {
        Vec::new()
    }

    fn free_blocks(&self) -> Option<usize> {
        None
    }
}

fn world(layouts: &[Layout], start: &[Op], depth: usize, is_faulty: bool) -> Explored {
    let depth = Some(depth);
    let make = |below: &Below<'_>, with: &mut dyn FnMut(&dyn Inhabitant)| {
        let slab = SlabAllocator::with_classes_in("slab", 64 << 10, below);
        with(&Slab { slab, is_faulty });
    };
    World { layouts, live_max: BLOCKS, probes: 0, start, depth, make: &make }.explore()
}

const EIGHTH: Layout = Layout::new::<[u64; 62]>();
const SMALL: Layout = Layout::new::<[u64; 30]>();
const PASSED_ON: Layout = Layout::new::<[u64; 400]>();

/// The most blocks that are live.
const BLOCKS: usize = 8;

/// Seven blocks of the first layout.
const SEVEN: [Op; 7] = [Op::Take(0); 7];

/// As many of both in turn.
const MIXED: [Op; 6] =
    [Op::Take(0), Op::Take(1), Op::Take(0), Op::Take(1), Op::Take(1), Op::Take(0)];

fn said(what: &str, explored: Explored) -> usize {
    let Explored { states, operations } = explored;
    println!("small world: slab, {what}: {states} sequences, {operations} operations");
    states
}

#[test]
fn every_sequence_of_one_class_from_empty_and_from_seven_blocks() {
    let empty = said("one class, 6 from empty", world(&[EIGHTH], &[], 6, false));
    let seven = said("one class, 3 from 7 blocks", world(&[EIGHTH], &SEVEN, 3, false));
    assert_eq!((empty, seven), (9699, 4034));
}

#[test]
fn every_sequence_of_two_classes_from_empty_and_from_six_blocks() {
    let empty = said("two classes, 5 from empty", world(&[EIGHTH, SMALL], &[], 5, false));
    let six = said("two classes, 3 from 6 blocks", world(&[EIGHTH, SMALL], &MIXED, 3, false));
    assert_eq!((empty, six), (14_026, 4452));
}

#[test]
fn every_sequence_with_blocks_that_are_passed_on() {
    let empty = said("large blocks too, 5 from empty", world(&[EIGHTH, PASSED_ON], &[], 5, false));
    assert_eq!(empty, 11_682);
}

#[test]
fn a_planted_fault_is_found_in_the_small_world() {
    let found = panic_of(|| _ = world(&[SMALL], &[], 3, true));
    assert!(found.contains("live blocks after"), "{found}");
}
