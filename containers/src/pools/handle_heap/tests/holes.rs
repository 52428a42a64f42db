//! Which hole a block is taken from, what becomes of the rest, and where compaction continues.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::error::GrowError;
use crate::pools::handle_heap::bins::NIL;
use crate::pools::handle_heap::{BlockId, HandleHeap, HandleHeapError};
use crate::testing::test_memory::{Memory, asks_for_more, with_memory};
use loligo_allocators::Refusals;

type Heap<'a> = HandleHeap<'a, Memory<'a>>;

/// The granule at which a block is.
fn at(heap: &Heap<'_>, id: BlockId) -> u32 {
    heap.slots.get(id).expect("it is live")
}

/// Takes a block of the given number of granules with its head.
fn block(heap: &mut Heap<'_>, granules: usize) -> BlockId {
    heap.allocate(16 * (granules - 1), 16)
}

/// Takes all that is left at the end of the buffer.
fn fill_tail(heap: &mut Heap<'_>) {
    let left = heap.space.tail_holes() as usize;
    if left > 0 {
        let _filler = block(heap, left);
    }
    assert_eq!(heap.space.tail_holes(), 0, "nothing is left");
}

#[test]
fn the_buffer_grows_by_a_part_for_the_block() {
    let fresh = |memory: &Memory<'_>, limit: &mut dyn FnMut()| {
        let mut heap = Heap::new_in(memory);
        limit();
        // A hundred lines.
        let _ = heap.try_allocate(16 * 399, 16);
    };
    assert!(asks_for_more(6399, fresh), "as many as a hundred lines");
    assert!(!asks_for_more(6400, fresh), "no more than a hundred lines");
    let begun = |memory: &Memory<'_>, limit: &mut dyn FnMut()| {
        let mut heap = Heap::try_with_capacity_in(640, memory).expect("there is memory");
        let _first = block(&mut heap, 2);
        assert_eq!((heap.space.granules(), heap.space.tail_holes()), (40, 38), "ten lines");
        limit();
        // The 38 granules are of another part, so all 398 are new.
        let _ = heap.try_allocate(16 * 397, 16);
    };
    assert!(asks_for_more(6399, begun), "as many as a hundred lines");
    assert!(!asks_for_more(6400, begun), "no more than a hundred lines");
}

#[test]
fn no_room_needs_no_memory() {
    with_memory(|memory| {
        let heap = Heap::try_with_capacity_in(0, memory).expect("nothing is needed");
        assert_eq!((memory.requests(), heap.validate()), (0, Ok(())), "nothing was asked for");
        assert_eq!(heap.stats(), super::super::HandleHeapStats::default(), "nothing is there");
    });
}

#[test]
fn the_largest_of_a_class_is_told() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        for sizes in [[32, 35], [35, 32]] {
            let ids = sizes.map(|granules| {
                let id = block(&mut heap, granules);
                let _wall = block(&mut heap, 1);
                id
            });
            fill_tail(&mut heap);
            for id in ids {
                assert_eq!(heap.free(id), Ok(()), "it was live");
            }
            assert_eq!(heap.stats().largest_hole_bytes, 16 * 35, "of {sizes:?}");
            // They are taken again, so that the next round has none of them.
            let _again = [35, 32].map(|granules| block(&mut heap, granules));
            assert_eq!(heap.stats().largest_hole_bytes, 0, "there is no hole");
        }
    });
}

#[test]
fn a_hole_is_found_where_the_quick_search_does_not_look() {
    with_memory(|memory| {
        let mut heap = Heap::try_with_capacity_in(256, memory).expect("there is memory");
        // Holes of two granules at 1 and of three at 6; in the second one is a place for what is
        // aligned to 64.
        let ids = [1, 2, 1, 2, 3].map(|granules| block(&mut heap, granules));
        fill_tail(&mut heap);
        assert_eq!((at(&heap, ids[1]), at(&heap, ids[4])), (1, 6), "as they should be");
        let end = heap.space.granules();
        assert_eq!((heap.free(ids[1]), heap.free(ids[4])), (Ok(()), Ok(())), "they were live");
        let id = heap.allocate(16, 64);
        assert_eq!((at(&heap, id), heap.space.granules()), (7, end), "in the class after its own");
        assert_eq!(heap.validate(), Ok(()), "whole");
    });
}

#[test]
fn four_holes_of_its_own_class_are_tried_for_a_block() {
    for (tried, place) in [(3, 0), (4, u32::MAX)] {
        with_memory(|memory| {
            let mut heap = Heap::try_with_capacity_in(8192, memory).expect("there is memory");
            // The longest is freed first, so that it is the last of its list.
            let mut ids = std::vec![block(&mut heap, 35)];
            for _ in 0..tried {
                let _wall = block(&mut heap, 1);
                ids.push(block(&mut heap, 32));
            }
            let _wall = block(&mut heap, 1);
            let tail = heap.space.last(0);
            for id in ids {
                assert_eq!(heap.free(id), Ok(()), "it was live");
                // In this order, as each makes a hole.
                heap.space.end_all_rest();
            }
            let id = block(&mut heap, 34);
            let expected = if place == u32::MAX { tail } else { place };
            assert_eq!(at(&heap, id), expected, "after {tried} that are too short");
            assert_eq!(heap.validate(), Ok(()), "whole");
        });
    }
}

#[test]
fn a_block_is_resized_where_it_lies() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [2, 2, 2].map(|granules| block(&mut heap, granules));
        heap.bytes_mut(ids[0]).expect("it is live").fill(7);
        assert_eq!(heap.free(ids[1]), Ok(()), "it was live");
        let tail = heap.stats().tail_hole_bytes;
        // Bytes, and what is left of the hole after the block, in bytes.
        for (bytes, hole) in [(48, 0), (17, 16), (32, 16), (33, 0), (16, 32), (32, 16), (0, 48)] {
            heap.resize(ids[0], bytes);
            let stats = heap.stats();
            assert_eq!(at(&heap, ids[0]), 0, "{bytes} bytes: it stays");
            assert_eq!(heap.bytes(ids[0]).map(<[u8]>::len), Some(bytes), "as long as it shall be");
            assert_eq!(stats.hole_bytes, tail + hole, "{bytes} bytes: what is free");
            assert_eq!(stats.holes, 1 + u32::from(hole > 0), "{bytes} bytes: holes");
            assert_eq!(heap.validate(), Ok(()), "{bytes} bytes");
        }
        heap.resize(ids[2], 64);
        assert_eq!((at(&heap, ids[2]), heap.validate()), (4, Ok(())), "into the hole at the end");
        assert_eq!(heap.stats().tail_hole_bytes, tail - 48, "three granules more");
        let gone = catch_unwind(AssertUnwindSafe(|| heap.resize(ids[1], 5)));
        assert!(gone.is_err(), "there is no such block");
    });
}

#[test]
fn a_compaction_ends_before_the_last_hole() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [4, 4, 4].map(|granules| block(&mut heap, granules));
        assert_eq!(heap.free(ids[0]), Ok(()), "it was live");
        assert!(heap.compact(1000).done, "both are moved");
        assert_eq!((heap.space.low, heap.space.passed), (8, NIL), "where the hole begins");
        let _next = block(&mut heap, 4);
        assert!(!heap.compact(0).done, "the new block was not looked at");
        assert!(heap.compact(16).done, "now it was");
    });
}

#[test]
fn a_block_that_is_unpinned_opens_the_hole_before_it_alone() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [1, 2, 2, 2].map(|granules| block(&mut heap, granules));
        ids[..3].iter().for_each(|id| assert_eq!(heap.pin(*id), Ok(1), "for the first time"));
        assert!(heap.compact(1000).done, "nothing is to be moved");
        assert_eq!((heap.space.low, heap.unpin(ids[0])), (7, Ok(0)), "the first block");
        assert_eq!(heap.space.low, 7, "nothing is before the first");
        assert_eq!(heap.free(ids[0]), Ok(()), "it was live");
        assert_eq!(heap.compact(1000).held, 1, "the second is pinned");
        assert_eq!((heap.space.low, heap.unpin(ids[2])), (7, Ok(0)), "the third block");
        assert_eq!(heap.space.low, 7, "a block is before it");
        assert_eq!((heap.unpin(ids[1]), heap.space.low), (Ok(0), 0), "the hole of a granule");
        assert_eq!(heap.validate(), Ok(()), "whole");
    });
}

#[test]
fn a_hole_that_is_filled_leaves_compaction_where_it_was() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [2, 2, 2, 2].map(|granules| block(&mut heap, granules));
        let mut hole = ids[1];
        for mark in [4, 6] {
            assert_eq!(heap.free(hole), Ok(()), "it was live");
            (heap.space.low, heap.space.passed) = (mark, mark);
            hole = block(&mut heap, 2);
            assert_eq!(at(&heap, hole), 2, "it fits");
            let marks = (heap.space.low, heap.space.passed);
            assert_eq!((marks, heap.validate()), ((mark, mark), Ok(())), "after the new block");
        }
    });
}

#[test]
fn what_is_pinned_or_refused_keeps_its_length() {
    with_memory(|memory| {
        let mut heap = Heap::try_with_capacity_in(640, memory).expect("there is memory");
        let ids = [4, 5, 6].map(|granules| block(&mut heap, granules));
        assert_eq!(heap.pin(ids[1]), Ok(1), "for the first time");
        assert_eq!(
            (heap.try_shrink_to_fit(), heap.space.granules()),
            (Ok(()), 40),
            "it would move"
        );
        assert_eq!(heap.unpin(ids[1]), Ok(0), "not any more");
        memory.refuse(Refusals::From(0));
        let Err(HandleHeapError::Memory { bytes, hole_bytes, largest_hole_bytes, cause }) =
            heap.try_shrink_to_fit()
        else {
            panic!("there is no memory for a shorter buffer");
        };
        assert_eq!((bytes, hole_bytes, largest_hole_bytes), (240, 400, 400), "fifteen granules");
        assert!(matches!(cause, GrowError::Memory { .. }), "{cause}");
        assert_eq!(heap.validate(), Ok(()), "as it was");
    });
}
