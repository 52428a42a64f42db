//! Damage of the table of blocks, which is in memory of the books.

use core::ptr::NonNull;
use std::vec::Vec;

use super::take;
use crate::contract::allocator::{Allocator, Block};
use crate::testing::test_backing::TestBacking;
use crate::wrappers::trace::TraceAllocator;
use crate::wrappers::trace::entry::Entry;

/// Bytes of a slot of the table of blocks.
const SLOT: usize = size_of::<(usize, Entry)>();
/// Slots of the first table.
const SLOTS: usize = 64;

type Slot = [usize; SLOT / size_of::<usize>()];

#[test]
fn an_entry_that_was_moved_is_found() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let block = take(&trace, 10);
    let mut tables = Vec::new();
    books.walk(&mut |table: Block| {
        if table.bytes == SLOT * SLOTS {
            tables.push(table.address.cast::<Slot>());
        }
    });
    let [table] = tables[..] else { panic!("one table is as large as that of the blocks") };
    let slot = |at: usize| -> NonNull<Slot> {
        // SAFETY: the table has this many slots.
        unsafe { table.add(at % SLOTS) }
    };
    // SAFETY: the table was taken zeroed, and only words were written since.
    let read = |at| unsafe { slot(at).read() };
    let used = (0..SLOTS).find(|&at| read(at) != Slot::default()).expect("one slot has the entry");
    let entry = read(used);
    // SAFETY: both slots are the table's, which no other code reads meanwhile.
    unsafe {
        slot(used + 1).write(entry);
        slot(used).write(Slot::default());
    }
    let damage = trace.verify().expect_err("it is not where its address leads");
    assert_eq!(damage.what, "an entry of the table of addresses cannot be found");
    // SAFETY: as above.
    unsafe {
        slot(used).write(entry);
        slot(used + 1).write(Slot::default());
    }
    trace.verify().expect("mended");
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
}
