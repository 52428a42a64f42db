//! What a budget pays for, to the byte, and how long buffers are asked for.

use loligo_allocators::Refusals;

use crate::error::GrowError;
use crate::pools::handle_heap::{BlockId, Compaction, HandleHeap};
use crate::testing::test_memory::{Memory, asks_for_more, with_memory};

type Heap<'a> = HandleHeap<'a, Memory<'a>>;

/// What a call with so much does in a heap of three blocks, of 64 bytes each with their heads,
/// after `before`.
fn compacted(budget: usize, before: impl Fn(&mut Heap<'_>, [BlockId; 3])) -> Compaction {
    let mut done = Compaction::default();
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [0; 3].map(|_| heap.allocate(48, 16));
        before(&mut heap, ids);
        // What rests costs a look more each.
        heap.space.end_all_rest();
        done = heap.compact(budget);
        assert_eq!(heap.validate(), Ok(()), "whole after {budget} bytes");
    });
    done
}

#[test]
fn a_budget_is_spent_to_the_byte() {
    let freed = |heap: &mut Heap<'_>, ids: [BlockId; 3]| {
        assert_eq!(heap.free(ids[0]), Ok(()), "it was live");
    };
    let moved = |blocks: u32| Compaction {
        moved_blocks: blocks,
        moved_bytes: 64 * u64::from(blocks),
        ..Compaction::default()
    };
    let done = true;
    let too_large = Compaction { too_large: 1, done, ..moved(0) };
    assert_eq!(compacted(63, freed), too_large, "a byte less than a block");
    assert_eq!(compacted(64, freed), moved(1), "just a block");
    assert_eq!(compacted(127, freed), moved(1), "a byte less than two");
    assert_eq!(compacted(128, freed), Compaction { done, ..moved(2) }, "just both");
    // Nothing is to be moved, and looking at each block costs 16 bytes.
    let kept = |_: &mut Heap<'_>, _: [BlockId; 3]| ();
    assert_eq!(compacted(0, kept), moved(0), "no look");
    assert_eq!(compacted(47, kept), moved(0), "two looks");
    assert_eq!(compacted(48, kept), Compaction { done, ..moved(0) }, "three looks");
    // What is passed over is a look as well.
    let pinned = |heap: &mut Heap<'_>, ids: [BlockId; 3]| {
        assert_eq!((heap.free(ids[0]), heap.pin(ids[1])), (Ok(()), Ok(1)), "it was live");
    };
    assert_eq!(compacted(31, pinned), Compaction { held: 1, ..moved(0) }, "one look");
    assert_eq!(compacted(32, pinned), Compaction { held: 1, done, ..moved(0) }, "and another");
}

#[test]
fn what_rests_costs_a_look() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [0; 3].map(|_| heap.allocate(48, 16));
        assert_eq!(heap.free(ids[0]), Ok(()), "it was live");
        assert_eq!((heap.stats().holes, heap.compact(15)), (2, Compaction::default()), "no look");
        let looked = heap.compact(16);
        assert_eq!((looked.moved_blocks, looked.done), (0, false), "a hole was made");
        assert_eq!(heap.compact(64).moved_blocks, 1, "and closes");
        assert_eq!(heap.validate(), Ok(()), "whole");
    });
}

#[test]
fn the_next_call_goes_on_where_the_last_one_ended() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [0; 5].map(|_| heap.allocate(48, 16));
        assert_eq!((heap.free(ids[0]), heap.free(ids[2])), (Ok(()), Ok(())), "they were live");
        heap.space.end_all_rest();
        let moved: [u32; 4] = core::array::from_fn(|_| heap.compact(64).moved_blocks);
        assert_eq!((moved, heap.compact(0).done), ([1, 1, 1, 0], true), "one a call");
        assert_eq!((heap.stats().holes, heap.validate()), (1, Ok(())), "all holes have met");
    });
}

#[test]
fn a_buffer_is_as_long_as_it_must_be_and_no_longer_than_can_be_counted() {
    for (bytes, wanted) in [(257, 320), (320, 320), (321, 384), (4096, 4096)] {
        let act = |memory: &Memory<'_>, limit: &mut dyn FnMut()| {
            limit();
            let _ = Heap::try_with_capacity_in(bytes, memory);
        };
        assert!(asks_for_more(wanted - 1, act), "{bytes} bytes: as many as {wanted}");
        assert!(!asks_for_more(wanted, act), "{bytes} bytes: no more than {wanted}");
    }
    with_memory(|memory| {
        // With 32 bits there is always less memory than can be counted.
        let limit = ((1 << 25) - 1) * 64;
        let Ok(longest) = usize::try_from(limit) else { return };
        let refused = Heap::try_with_capacity_in(longest + 1, memory).err();
        let wanted = limit + 64;
        assert_eq!(refused, Some(GrowError::Length { wanted, limit }), "a line more");
        memory.refuse(Refusals::From(0));
        let refused = Heap::try_with_capacity_in(longest, memory).err();
        assert!(matches!(refused, Some(GrowError::Memory { .. })), "{refused:?}: all of them");
    });
}
