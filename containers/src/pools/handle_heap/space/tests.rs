//! What `validate` finds in the buffer and its lists, each rule by its own words and place.

use super::GRANULE;
use super::part::{HOLE, Header};
use crate::pools::handle_heap::bins::NIL;
use crate::pools::handle_heap::bins::tests::flip_bit;
use crate::pools::handle_heap::{BlockId, HandleHeap, HandleHeapDamage};
use crate::testing::test_memory::{Memory, with_memory};

type Heap<'a> = HandleHeap<'a, Memory<'a>>;

/// Breaks a heap with blocks of two granules at 0, 4 and 6, a hole at 2 and the rest in one from 8
/// on; returns what is reported, and at which granule.
fn found(damage: impl FnOnce(&mut Heap<'_>, [BlockId; 4])) -> Option<(&'static str, u32)> {
    let mut found = None;
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [0; 4].map(|_| heap.allocate(16, 16));
        assert_eq!(heap.free(ids[1]), Ok(()), "it was live");
        heap.space.end_all_rest();
        assert_eq!(heap.validate(), Ok(()), "whole before it is broken");
        damage(&mut heap, ids);
        found = heap.validate().err().map(|HandleHeapDamage { what, offset }| {
            assert_eq!(offset % GRANULE as u64, 0, "{what} at {offset}");
            (what, (offset / GRANULE as u64) as u32)
        });
    });
    found
}

/// How many granules the buffer of such a heap has.
fn end() -> u32 {
    let mut end = 0;
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let _ = [0; 4].map(|_| heap.allocate(16, 16));
        end = heap.space.granules() as u32;
    });
    end
}

#[test]
fn the_chain_of_headers_is_followed() {
    let beyond = Some(("a header leads beyond the buffer", 4));
    let length = |heap: &mut Heap<'_>, granules| heap.space.header_mut(4).granules = granules;
    assert_eq!(found(|heap, _| length(heap, 0)), beyond, "of no length");
    let rest = end() - 4;
    assert_eq!(found(|heap, _| length(heap, rest + 1)), beyond, "a granule too far");
    let last = Some(("the last header is another than is noted", 4));
    assert_eq!(found(|heap, _| length(heap, rest)), last, "just to the end");
    let back = Some(("a header does not lead back", 4));
    assert_eq!(found(|heap, _| heap.space.header_mut(4).before = 1), back, "to the middle");
    let holes = Some(("two holes are neighbours", 4));
    assert_eq!(found(|heap, _| length(heap, 2 | HOLE)), holes, "a hole at 2 and at 4");
    let count = Some(("holes are miscounted, found", 0));
    assert_eq!(found(|heap, _| heap.space.holes += 1), count, "one more");
    assert_eq!(found(|heap, _| heap.space.hole_granules -= 1), count, "a granule less");
    let within = "compaction would go on within a block or hole, found";
    assert_eq!(found(|heap, _| heap.space.low = 3), Some((within, 3)), "from within the hole");
    assert_eq!(found(|heap, _| heap.space.passed = 5), Some((within, 5)), "from within a block");
    let at_the_end = |heap: &mut Heap<'_>| {
        (heap.space.low, heap.space.passed) = (end(), end());
    };
    assert_eq!(found(|heap, _| at_the_end(heap)), None, "after the last");
}

#[test]
fn blocks_and_their_entries_agree() {
    let name = Some(("a block's slot has no entry", 4));
    let owner = |heap: &mut Heap<'_>, slot| heap.space.set_owner(4, slot, 16, 1);
    let slot = |id: BlockId| id.index() as u32;
    assert_eq!(found(|heap, ids| owner(heap, slot(ids[1]))), name, "a free one");
    assert_eq!(found(|heap, _| owner(heap, u32::MAX)), name, "far beyond the table");
    let leads = Some(("a block's entry leads elsewhere", 4));
    assert_eq!(found(|heap, ids| owner(heap, slot(ids[3]))), leads, "of another block");
    assert_eq!(found(|heap, ids| heap.slots.set(slot(ids[2]), 6)), leads, "elsewhere");
    let align = Some(("a block is not aligned as it should be", 4));
    let aligned = |heap: &mut Heap<'_>, id| heap.space.set_owner(4, slot(id), 16, 2);
    assert_eq!(found(|heap, ids| aligned(heap, ids[2])), align, "to 32");
    let more = Some(("there are more ids than blocks, found", 0));
    let added = |heap: &mut Heap<'_>| {
        heap.slots.insert(2).expect("there is memory");
    };
    assert_eq!(found(|heap, _| added(heap)), more, "an id of no block");
    let pinned = Some(("the pinned blocks are miscounted, found", 0));
    assert_eq!(found(|heap, _| heap.pinned = 1), pinned, "one more");
    assert_eq!(found(|heap, _| heap.space.set_pins(4, 1)), pinned, "one less");
    let live = Some(("the live bytes are miscounted, found", 0));
    assert_eq!(found(|heap, _| heap.live_bytes -= 1), live, "one less");
    assert_eq!(found(|heap, _| heap.space.set_bytes(4, 15)), live, "shorter");
    let none = |heap: &mut Heap<'_>| {
        // A head alone, of a block that lacks bytes of a last granule; the rest is another hole.
        heap.space.header_mut(4).granules = 1;
        *heap.space.header_mut(5) = Header { granules: 1 | HOLE, before: 1, links: [NIL, NIL] };
        heap.space.header_mut(6).before = 1;
        heap.space.header_mut(4).links[1] |= 1;
    };
    assert_eq!(found(|heap, _| none(heap)), Some(("a block has fewer bytes than none", 4)));
    let hole = |heap: &mut Heap<'_>| {
        // The hole becomes a block, which no list of holes leads to.
        let id = heap.slots.insert(2).expect("there is memory");
        heap.space.header_mut(2).granules = 2;
        heap.space.set_owner(2, slot(id), 16, 1);
    };
    let count = Some(("holes are miscounted, found", 0));
    assert_eq!(found(|heap, _| hole(heap)), count, "a hole that is a block");
}

#[test]
fn the_lists_of_holes_are_followed() {
    let links = |heap: &mut Heap<'_>, next: u32, before: u32| {
        heap.space.header_mut(2).links = [next, before];
    };
    let back = Some(("a hole does not lead back in its list", 2));
    assert_eq!(found(|heap, _| links(heap, NIL, 8)), back, "to another hole");
    assert_eq!(found(|heap, _| links(heap, 2, NIL)), back, "to itself");
    let leads = "a list of holes leads beyond the buffer, or does not end";
    assert_eq!(found(|heap, _| links(heap, end(), NIL)), Some((leads, 2)), "the end");
    assert_eq!(found(|heap, _| links(heap, NIL - 1, NIL)), Some((leads, 2)), "far beyond");
    let none = "what is listed as a hole is none of this size class";
    let listed = |heap: &mut Heap<'_>, class, at| heap.space.bins.set_first(class, at);
    assert_eq!(found(|heap, _| listed(heap, 3, 2)), Some((none, 2)), "of another class");
    assert_eq!(found(|heap, _| listed(heap, 2, 4)), Some((none, 4)), "a block");
    let lost = Some(("a hole is not listed, found", 0));
    assert_eq!(found(|heap, _| listed(heap, 2, NIL)), lost, "the only one of its class");
    assert_eq!(found(|heap, _| listed(heap, 0, 2)), Some((none, 2)), "of no size");
    let bit = Some(("a size class with holes has no bit, or one without has; found", 0));
    assert_eq!(found(|heap, _| flip_bit(&mut heap.space.bins, 2)), bit, "a hole without a bit");
    assert_eq!(found(|heap, _| flip_bit(&mut heap.space.bins, 3)), bit, "a bit without a hole");
    let more = |heap: &mut Heap<'_>| {
        // Within the block at 4 is what looks like a hole after the one at 2.
        *heap.space.header_mut(5) = Header { granules: 2 | HOLE, before: 0, links: [NIL, 2] };
        heap.space.header_mut(2).links = [5, NIL];
    };
    assert_eq!(found(|heap, _| more(heap)), Some((leads, NIL)), "three where there are two");
}

/// As [`found`], where the freed block rests, and another of its length at 6.
fn found_at_rest(damage: impl FnOnce(&mut Heap<'_>)) -> Option<(&'static str, u32)> {
    let mut found = None;
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [0; 4].map(|_| heap.allocate(16, 16));
        assert_eq!((heap.free(ids[1]), heap.free(ids[3])), (Ok(()), Ok(())), "they were live");
        assert_eq!(heap.validate(), Ok(()), "whole before it is broken");
        damage(&mut heap);
        found = heap
            .validate()
            .err()
            .map(|HandleHeapDamage { what, offset }| (what, (offset / GRANULE as u64) as u32));
    });
    found
}

#[test]
fn the_lists_of_what_rests_are_followed() {
    let link = |heap: &mut Heap<'_>, at, next: u32| heap.space.header_mut(at).links[0] = next;
    let leads = Some(("a list of what rests leads beyond the buffer", 6));
    assert_eq!(found_at_rest(|heap| link(heap, 6, end())), leads, "the end");
    assert_eq!(found_at_rest(|heap| link(heap, 6, NIL)), leads, "it ends too early");
    let none = Some(("what is listed as resting does not, or has another length", 4));
    assert_eq!(found_at_rest(|heap| link(heap, 6, 4)), none, "a block");
    let more = "more rests than is counted";
    assert_eq!(found_at_rest(|heap| link(heap, 2, 4)), Some((more, 4)), "it goes on");
    assert_eq!(found_at_rest(|heap| link(heap, 6, 6)), Some((more, 6)), "it goes round");
    let count = Some(("a list of what rests leads beyond the buffer", 2));
    assert_eq!(found_at_rest(|heap| heap.space.resting.miscount(2)), count, "one more");
    let blocks = Some(("blocks that rest are miscounted, found", 0));
    assert_eq!(found_at_rest(|heap| heap.space.header_mut(2).granules = 2 | HOLE), holes(), "one");
    assert_eq!(found_at_rest(|heap| heap.space.resting.note(6, 2)), blocks, "one twice");
}

/// What is found where a hole was not counted.
fn holes() -> Option<(&'static str, u32)> {
    Some(("holes are miscounted, found", 0))
}
