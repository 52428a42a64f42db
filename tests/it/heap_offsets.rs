//! The heap over offsets.

use core::cell::RefCell;
use std::collections::HashMap;

use loligo_allocators::{AllocError, Damage, HeapOffsets, OffsetBlock, Stats};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space};
use loligo_tests::{Limits, conformance};

use crate::offsets::{self, Offsets};
use crate::subject::Test;

/// Offsets from a start that is no round number, and the blocks that begin at them, as a program
/// keeps them.
struct Kept<'a> {
    offsets: HeapOffsets<'a, NaiveAllocator>,
    blocks: RefCell<HashMap<u64, OffsetBlock>>,
}

/// The start of the range: a multiple of every alignment that is asked for.
const START: u64 = 5 << 40;

impl Kept<'_> {
    fn block(&self, offset: u64) -> OffsetBlock {
        self.blocks.borrow()[&offset]
    }
}

impl Offsets for Kept<'_> {
    fn allocate(&self, bytes: u64, align: u64) -> Result<u64, AllocError> {
        let block = self.offsets.allocate(bytes, align)?;
        let offset = block.offset() - START;
        self.blocks.borrow_mut().insert(offset, block);
        Ok(offset)
    }

    fn free(&self, offset: u64) {
        self.offsets.free(self.block(offset));
    }

    fn free_sized(&self, offset: u64, bytes: u64) {
        assert_eq!(self.allocated_size(offset), bytes.max(1), "lengths are exact");
        self.free(offset);
    }

    fn resize_in_place(&self, offset: u64, old: u64, new: u64) -> Result<(), AllocError> {
        assert_eq!(self.allocated_size(offset), old.max(1), "lengths are exact");
        self.offsets.resize_in_place(self.block(offset), new)
    }

    fn allocated_size(&self, offset: u64) -> u64 {
        self.offsets.len_of(self.block(offset))
    }

    fn stats(&self) -> Stats {
        self.offsets.stats()
    }

    fn name(&self) -> &str {
        self.offsets.name()
    }

    fn walk(&self, visit: &mut dyn FnMut(u64, u64)) {
        self.offsets.walk(&mut |block, bytes| visit(block.offset() - START, bytes));
    }

    fn verify(&self) -> Result<(), Damage> {
        self.offsets.verify()
    }
}

fn over(bytes: usize, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", 4 << 20);
    let make = |memory| {
        let offsets = HeapOffsets::new_in("offsets", START..START + bytes as u64, 0, memory);
        Kept { offsets: offsets.expect("the table has room"), blocks: RefCell::default() }
    };
    offsets::over(bytes, &memory, make, test);
}

/// The limits for a range of any length: half of it is served surely.
fn limits(bytes: usize) -> Limits {
    let most = bytes.next_power_of_two() / 4;
    Limits { size_max: most, align_max: most, reports_leaks: false, ..Limits::region(bytes) }
}

#[test]
fn conforms() {
    for bytes in [256 << 10, 100_000, 4096] {
        conformance::allocator(&limits(bytes), |test| over(bytes, test));
    }
}

#[test]
fn runs_programs() {
    for bytes in [64 << 10, 50_001, 5000] {
        let plan = Plan {
            cases: 100,
            space: Space { slots: 100, ..Space::past(&limits(bytes)) },
            regressions: Some("regressions/heap-offsets.txt"),
            ..Plan::new(limits(bytes))
        };
        plan.check(|test| over(bytes, test));
    }
}

#[test]
fn ten_thousand_million_leaves_need_a_table_of_the_blocks_alone() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let offsets = HeapOffsets::new_in("huge", 100..10_000_000_100, 1000, &memory);
    let offsets = offsets.expect("the table has room");
    let blocks: Vec<_> = (0..1000).map(|_| offsets.allocate(10_000_000, 1)).collect();
    assert!(blocks.iter().all(Result::is_ok), "all of the range is used");
    assert!(offsets.table_bytes() < 100 << 10, "{} bytes", offsets.table_bytes());
    blocks.into_iter().flatten().for_each(|block| offsets.free(block));
    offsets.verify().expect("all is free again");
}
