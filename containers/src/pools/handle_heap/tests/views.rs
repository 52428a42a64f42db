//! What errors say, and the heap as others see it.

use core::error::Error;
use std::format;
use std::string::ToString;

use loligo_ids::InsertError;

use super::Heap;
use crate::error::GrowError;
use crate::pools::handle_heap::{BlockError, BlockId, HandleHeapDamage, HandleHeapError};
use crate::testing::test_memory::with_memory;

fn id() -> BlockId {
    BlockId::from_bits(3 << 32 | 7).expect("generation 3")
}

#[test]
fn an_error_names_the_block_and_the_remedy() {
    let align = HandleHeapError::Align { align: 128, limit: 64 };
    let said = "blocks are aligned to a power of two up to 64, not to 128";
    assert_eq!(align.to_string(), said, "both alignments");
    let length = HandleHeapError::Length { bytes: 1 << 32, limit: (1 << 32) - 1 };
    let said = "4294967296 bytes were wanted where a block has 4294967295 at most";
    assert_eq!(length.to_string(), said, "both lengths");
    let cause = GrowError::Memory { elements: 4, bytes: 256 };
    let memory =
        HandleHeapError::Memory { bytes: 80, hole_bytes: 96, largest_hole_bytes: 48, cause };
    let said = format!(
        "no hole has the 80 bytes that the block takes: there are 96 in all holes, 48 in the \
         largest; compact the heap or free blocks, as the buffer cannot grow: {cause}"
    );
    assert_eq!(memory.to_string(), said, "whether compaction would do");
    let pinned = HandleHeapError::Pinned { bytes: 80, pinned: id(), pinned_blocks: 2 };
    let said = "for 80 bytes a block would have to move that is pinned: Id(7v3), one of 2";
    assert_eq!(pinned.to_string(), said, "which one");
    let spent = InsertError::Spent { index: 5, generations: 9 };
    let ids = HandleHeapError::Ids(spent);
    assert_eq!(ids.to_string(), format!("there is no id for the block: {spent}"), "and why");
    let block = HandleHeapError::Block(BlockError::Stale { id: id() });
    assert_eq!(block.to_string(), "Id(7v3) names no block of this heap", "which one");
    let pins = BlockError::Pinned { id: id(), pins: 4 };
    assert_eq!(pins.to_string(), "the block Id(7v3) is pinned 4 times", "which one");
    let not = BlockError::NotPinned { id: id() };
    assert_eq!(not.to_string(), "the block Id(7v3) is not pinned", "which one");
    let damage = HandleHeapDamage { what: "a hole is not listed", offset: 64 };
    assert_eq!(damage.to_string(), "a hole is not listed at byte 64", "where");
}

#[test]
fn an_error_keeps_its_cause() {
    let cause = GrowError::Memory { elements: 4, bytes: 256 };
    let memory =
        HandleHeapError::Memory { bytes: 80, hole_bytes: 96, largest_hole_bytes: 48, cause };
    let below = memory.source().map(ToString::to_string);
    assert_eq!(below, Some(cause.to_string()), "what the allocator said");
    let spent = InsertError::Spent { index: 5, generations: 9 };
    let below = HandleHeapError::Ids(spent).source().map(ToString::to_string);
    assert_eq!(below, Some(spent.to_string()), "what the table said");
    let align = HandleHeapError::Align { align: 3, limit: 64 };
    assert!(align.source().is_none(), "it has no source");
    let block = HandleHeapError::Block(BlockError::Stale { id: id() });
    assert!(block.source().is_none(), "it says the same itself");
}

#[test]
fn a_heap_tells_whether_it_is_empty() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        assert_eq!((heap.is_empty(), heap.len()), (true, 0), "nothing yet");
        assert!(core::ptr::eq(heap.memory(), memory), "the allocator that was given");
        let empty = heap.allocate(0, 1);
        assert!(!heap.is_empty() && heap.len() == 1, "a block of no bytes is a block");
        assert_eq!((heap.stats().live_bytes, heap.bytes(empty)), (0, Some(&[][..])), "no bytes");
        let said = format!("HandleHeap {{ stats: {:?}, .. }}", heap.stats());
        assert_eq!(format!("{heap:?}"), said, "its counters");
        assert_eq!(heap.free(empty), Ok(()), "it was live");
        assert_eq!(heap.free(empty), Err(BlockError::Stale { id: empty }), "it is gone");
        assert!(heap.is_empty() && !heap.contains(empty), "nothing any more");
    });
}

#[test]
fn limits_of_size_and_alignment_are_exact() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        for align in [1, 2, 4, 8, 16, 32, 64] {
            let id = heap.try_allocate(3, align).expect("a power of two up to 64");
            let address = heap.bytes(id).expect("it is live").as_ptr().addr();
            assert_eq!(address % align, 0, "aligned to {align}");
        }
        for align in [0, 3, 65, 96, 128, usize::MAX / 2 + 1] {
            let refused = heap.try_allocate(3, align);
            let expected = HandleHeapError::Align { align: align as u64, limit: 64 };
            assert_eq!(refused, Err(expected), "aligned to {align}");
        }
        // With 32 bits no length is 4 GiB.
        if let Ok(len) = usize::try_from(1_u64 << 32) {
            let (bytes, limit) = (1 << 32, (1 << 32) - 1);
            let refused = heap.try_allocate(len, 1);
            assert_eq!(refused, Err(HandleHeapError::Length { bytes, limit }), "4 GiB");
        }
        assert_eq!(heap.validate(), Ok(()), "as it was");
    });
}
