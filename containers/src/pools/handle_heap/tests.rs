//! Against a naive model, under refusals, with pins, and bit by bit.

mod budget;
mod holes;
mod parts;
mod views;

use std::string::ToString;
use std::vec::Vec;

use loligo_allocators::{Allocator, Refusals};

use super::bins::{COUNT, class_from, class_of};
use super::{BlockError, BlockId, HandleHeap, HandleHeapError};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

type Heap<'a> = HandleHeap<'a, Memory<'a>>;

/// A block as the model has it.
struct Known {
    id: BlockId,
    align: usize,
    bytes: Vec<u8>,
    pins: u16,
    address: usize,
}

fn address(heap: &Heap<'_>, id: BlockId) -> usize {
    heap.bytes(id).expect("it is live").as_ptr().addr()
}

fn compare(heap: &Heap<'_>, known: &[Known], stale: &[BlockId]) {
    assert_eq!(heap.validate(), Ok(()));
    let stats = heap.stats();
    assert_eq!(stats.live_blocks as usize, known.len());
    assert_eq!(stats.live_bytes, known.iter().map(|block| block.bytes.len() as u64).sum::<u64>());
    let pinned = known.iter().filter(|block| block.pins > 0).count();
    assert_eq!(stats.pinned_blocks as usize, pinned);
    for block in known {
        assert_eq!(heap.bytes(block.id), Some(&block.bytes[..]), "{:?}", block.id);
        let address = address(heap, block.id);
        assert_eq!(address % block.align, 0, "{:?} is aligned to {}", block.id, block.align);
        assert!(block.pins == 0 || address == block.address, "{:?} is pinned", block.id);
    }
    for id in stale {
        assert_eq!(heap.bytes(*id), None);
    }
}

/// Writes random bytes into a block, the same into the model.
fn fill(heap: &mut Heap<'_>, block: &mut Known, from: usize, random: &mut Random) {
    for byte in &mut block.bytes[from..] {
        *byte = random.next() as u8;
    }
    heap.bytes_mut(block.id).expect("it is live").copy_from_slice(&block.bytes);
}

fn sizes(random: &mut Random) -> usize {
    let bits = random.below(11);
    random.below(1 << bits)
}

fn allocate(heap: &mut Heap<'_>, known: &mut Vec<Known>, random: &mut Random) {
    let align = 1 << random.below(7);
    let bytes = sizes(random);
    match heap.try_allocate(bytes, align) {
        Ok(id) => {
            let mut block = Known { id, align, bytes: std::vec![0; bytes], pins: 0, address: 0 };
            fill(heap, &mut block, 0, random);
            known.push(block);
        }
        Err(other) => panic!("{other}"),
    }
}

fn resize(heap: &mut Heap<'_>, block: &mut Known, random: &mut Random) {
    let bytes = sizes(random);
    match heap.try_resize(block.id, bytes) {
        Ok(()) => {
            let kept = bytes.min(block.bytes.len());
            assert_eq!(heap.bytes(block.id).map(|all| &all[..kept]), Some(&block.bytes[..kept]));
            block.bytes.resize(bytes, 0);
            fill(heap, block, kept, random);
        }
        Err(HandleHeapError::Pinned { .. }) => assert!(bytes > block.bytes.len()),
        Err(other) => panic!("{other}"),
    }
}

fn pin_or_unpin(heap: &mut Heap<'_>, block: &mut Known, random: &mut Random) {
    if random.below(3) == 0 && block.pins < 3 {
        block.pins += 1;
        block.address = address(heap, block.id);
        assert_eq!(heap.pin(block.id), Ok(block.pins));
    } else if block.pins > 0 {
        block.pins -= 1;
        assert_eq!(heap.unpin(block.id), Ok(block.pins));
    } else {
        assert_eq!(heap.unpin(block.id), Err(BlockError::NotPinned { id: block.id }));
    }
}

fn compact(heap: &mut Heap<'_>, budget: usize) {
    let before = heap.stats();
    let done = heap.compact(budget);
    assert!(done.moved_bytes <= budget as u64, "{done:?} of {budget}");
    let after = heap.stats();
    assert_eq!(after.hole_bytes, before.hole_bytes, "blocks keep their lengths");
    // A block that moves to an earlier part shortens the hole at that part's end.
    let is_one = heap.space.parts().count() == 1;
    assert!(!is_one || after.tail_hole_bytes >= before.tail_hole_bytes, "{before:?} {after:?}");
}

fn model_run(seed: u64, steps: usize) {
    with_memory(|memory| {
        let mut random = Random::new(seed);
        let mut heap = Heap::new_in(memory);
        let mut known: Vec<Known> = Vec::new();
        let mut stale = Vec::new();
        for step in 0..steps {
            let drawn = random.below(100);
            if drawn < 40 || known.is_empty() {
                allocate(&mut heap, &mut known, &mut random);
            } else if drawn < 68 {
                let at = random.below(known.len());
                let block = &known[at];
                if block.pins > 0 {
                    let refused = BlockError::Pinned { id: block.id, pins: block.pins };
                    assert_eq!(heap.free(block.id), Err(refused));
                } else {
                    assert_eq!(heap.free(block.id), Ok(()));
                    stale.push(known.swap_remove(at).id);
                }
            } else if drawn < 80 {
                let at = random.below(known.len());
                resize(&mut heap, &mut known[at], &mut random);
            } else if drawn < 90 {
                let at = random.below(known.len());
                pin_or_unpin(&mut heap, &mut known[at], &mut random);
            } else if drawn < 99 {
                compact(&mut heap, random.below(4000));
            } else {
                assert_eq!(heap.try_shrink_to_fit(), Ok(()));
                let (now, parts) = (heap.stats(), heap.space.parts().count() as u64);
                assert!(
                    now.pinned_blocks > 0 || now.tail_hole_bytes < 64 * parts.max(1),
                    "{now:?}"
                );
            }
            if step % 5 == 0 {
                compare(&heap, &known, &stale);
            }
        }
        for block in &mut known {
            while block.pins > 0 {
                block.pins -= 1;
                assert_eq!(heap.unpin(block.id), Ok(block.pins));
            }
        }
        close_all(&mut heap, &known);
        compare(&heap, &known, &stale);
        for block in known {
            assert_eq!(heap.free(block.id), Ok(()));
        }
        assert_eq!(heap.validate(), Ok(()));
        heap.space.end_all_rest();
        let parts = heap.space.parts().count();
        assert!(heap.stats().holes as usize <= parts, "all holes of a part have met");
    });
}

/// Compacts until it is done, and checks that no hole is left that could be closed.
fn close_all(heap: &mut Heap<'_>, known: &[Known]) {
    let mut calls = 0;
    while !heap.compact(3000).done {
        calls += 1;
        assert!(calls < 10_000, "compaction comes to an end");
        assert_eq!(heap.validate(), Ok(()));
    }
    // What is left is before blocks of a greater alignment, and is shorter than that, or ends a part.
    let strict = known.iter().filter(|block| block.align > 16).count();
    let (stats, parts) = (heap.stats(), heap.space.parts().count());
    assert!(
        stats.holes as usize <= strict + parts.max(1),
        "{stats:?}, {strict} blocks of a greater alignment"
    );
    assert!(stats.hole_bytes - stats.tail_hole_bytes <= 48 * strict as u64, "{stats:?}");
}

#[test]
fn does_as_separate_blocks_would() {
    for seed in 0..30 {
        std::println!("seed {seed}");
        model_run(seed, 500);
    }
}

#[test]
fn a_refusal_changes_nothing() {
    every_refusal(|memory| {
        let mut heap = Heap::new_in(memory);
        let mut known: Vec<(BlockId, usize)> = Vec::new();
        let mut result = Ok(());
        for number in 0..40_usize {
            let bytes = number * 37 % 200;
            match heap.try_allocate(bytes, 16) {
                Ok(id) => {
                    heap.bytes_mut(id).expect("it is live").fill(number as u8);
                    known.push((id, number));
                }
                Err(error) => {
                    assert!(
                        matches!(error, HandleHeapError::Memory { .. } | HandleHeapError::Ids(_)),
                        "{error}"
                    );
                    result = result.and(Err(error));
                }
            }
            assert_eq!(heap.validate(), Ok(()));
            assert_eq!(heap.len(), known.len());
        }
        let shrunk = heap.try_shrink_to_fit();
        assert_eq!(heap.validate(), Ok(()));
        result = result.and(shrunk);
        if let Some((id, number)) = known.first().copied() {
            let before = heap.bytes(id).map(<[u8]>::to_vec);
            let resized = heap.try_resize(id, 20_000);
            let kept = before.as_ref().map_or(0, Vec::len);
            assert_eq!(heap.bytes(id).map(|all| all[..kept].to_vec()), before);
            assert_eq!(heap.bytes(id).map(<[u8]>::len) == Some(20_000), resized.is_ok());
            result = result.and(resized);
            heap.bytes_mut(id).expect("it is live").fill(number as u8);
        }
        assert_eq!(heap.validate(), Ok(()));
        for (id, number) in &known {
            let bytes = heap.bytes(*id).expect("it is live");
            assert!(bytes.iter().all(|byte| *byte == *number as u8), "block {number}");
        }
        result
    });
}

#[test]
fn takes_no_memory_while_empty() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        assert_eq!(memory.stats().live, 0);
        assert!(heap.compact(100).done);
        assert_eq!(heap.stats(), super::HandleHeapStats::default());
        assert_eq!(heap.validate(), Ok(()));
        assert!(size_of::<Heap<'_>>() <= 1400, "{} bytes", size_of::<Heap<'_>>());
        assert!(size_of::<HandleHeap<'_>>() <= 1400, "{} bytes", size_of::<HandleHeap<'_>>());
        let heap = Heap::try_with_capacity_in(1000, memory).expect("there is memory");
        assert!(heap.stats().largest_hole_bytes >= 1000, "{:?}", heap.stats());
    });
}

#[test]
fn every_hole_of_a_class_is_large_enough() {
    let mut class = 0;
    for granules in 1..100_000_u32 {
        assert!(class_of(granules) >= class, "{granules} are in a class after those of fewer");
        class = class_of(granules);
        let sure = class_from(granules);
        assert!(sure <= class + 1, "{granules} granules are looked for in the next class at most");
        assert!(class_of(granules + granules / 8) >= sure, "an eighth more will do for {granules}");
        assert!(granules == 1 || class_of(granules - 1) < sure, "fewer than {granules} are below");
    }
    assert_eq!(class_of((1 << 27) - 1), COUNT - 1);
}

#[test]
fn what_cannot_be_is_refused_with_its_numbers() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        for align in [0, 3, 128] {
            let refused = HandleHeapError::Align { align: align as u64, limit: 64 };
            assert_eq!(heap.try_allocate(1, align), Err(refused));
        }
        // With 32 bits no length is 1 TiB.
        if let Ok(len) = usize::try_from(1_u64 << 40) {
            let (bytes, limit) = (1 << 40, u64::from(u32::MAX));
            let refused = HandleHeapError::Length { bytes, limit };
            assert_eq!(heap.try_allocate(len, 16), Err(refused));
        }
        memory.refuse(Refusals::From(0));
        let error = heap.try_allocate(100, 16).expect_err("there is no memory");
        let HandleHeapError::Memory { bytes: 128, hole_bytes: 0, cause, .. } = error else {
            panic!("{error:?}");
        };
        assert!(matches!(cause, GrowError::Memory { .. }), "{cause}");
        assert!(error.to_string().starts_with("no hole has the 128 bytes"), "{error}");
        assert_eq!(heap.validate(), Ok(()));
    });
}

#[test]
fn a_full_heap_says_whether_compaction_would_do() {
    with_memory(|memory| {
        let mut heap = Heap::try_with_capacity_in(4096, memory).expect("there is memory");
        let ids = [0; 32].map(|_| heap.allocate(112, 16));
        for id in ids.iter().step_by(2) {
            assert_eq!(heap.free(*id), Ok(()));
        }
        memory.refuse(Refusals::From(0));
        let error = heap.try_allocate(1000, 16).expect_err("the holes are short");
        let HandleHeapError::Memory { bytes, hole_bytes, largest_hole_bytes, .. } = error else {
            panic!("{error:?}");
        };
        assert!(largest_hole_bytes < bytes && bytes < hole_bytes, "{error}");
        assert!(heap.compact(4096).done);
        let id = heap.try_allocate(1000, 16).expect("the holes are one now");
        assert_eq!(heap.bytes(id).map(<[u8]>::len), Some(1000));
        memory.refuse(Refusals::None);
    });
}

#[test]
fn pins_hold_a_block_and_the_buffer() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids: Vec<BlockId> = (0..8).map(|_| heap.allocate(48, 16)).collect();
        let held = ids[5];
        assert_eq!((heap.pin(held), heap.pin(held)), (Ok(1), Ok(2)));
        let pinned = heap.pinned_address(held);
        assert!(pinned.is_some() && heap.pinned_address(ids[4]).is_none());
        for index in [0, 2, 4] {
            assert_eq!(heap.free(ids[index]), Ok(()));
        }
        assert_eq!(heap.free(held), Err(BlockError::Pinned { id: held, pins: 2 }));
        let done = heap.compact(10_000);
        // Blocks 1 and 3 move down, those after the pinned one have no hole before them.
        assert_eq!((done.moved_blocks, done.held, done.done), (2, 1, true));
        assert_eq!(heap.pinned_address(held), pinned);
        assert_eq!(heap.validate(), Ok(()));
        let far = heap.try_allocate(1 << 20, 16).expect("the buffer grows by a part");
        assert_eq!(heap.pinned_address(held), pinned);
        assert_eq!((heap.free(far), heap.try_shrink_to_fit()), (Ok(()), Ok(())));
        assert_eq!((heap.space.parts().count(), heap.pinned_address(held)), (1, pinned));
        let refused = heap.try_resize(held, 100).expect_err("there is a block after it");
        assert_eq!(refused, HandleHeapError::Pinned { bytes: 100, pinned: held, pinned_blocks: 1 });
        heap.resize(held, 10);
        assert_eq!((heap.unpin(held), heap.unpin(held)), (Ok(1), Ok(0)));
        assert_eq!(heap.pins(held), Some(0));
        let done = heap.compact(10_000);
        assert_eq!((done.moved_blocks, done.held, done.done), (3, 0, true));
        assert_eq!(heap.stats().holes, 1);
        assert_eq!(heap.free(held), Ok(()));
        assert_eq!(heap.pin(held), Err(BlockError::Stale { id: held }));
        assert_eq!(heap.unpin(held), Err(BlockError::Stale { id: held }));
        assert_eq!(heap.free(held), Err(BlockError::Stale { id: held }));
    });
}

#[test]
fn a_block_can_be_pinned_only_so_often() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let id = heap.allocate(1, 1);
        for pins in 1..=u16::MAX {
            assert_eq!(heap.pin(id), Ok(pins));
        }
        assert_eq!(heap.pin(id), Err(BlockError::Pinned { id, pins: u16::MAX }));
        assert_eq!(heap.stats().pinned_blocks, 1);
        assert_eq!(heap.validate(), Ok(()));
    });
}

#[test]
fn a_budget_is_kept_and_a_block_beyond_it_waits_for_a_larger_one() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let first = heap.allocate(64, 16);
        let large = heap.allocate(1000, 16);
        let second = heap.allocate(64, 16);
        let small: Vec<BlockId> = (0..10).map(|_| heap.allocate(48, 16)).collect();
        assert_eq!((heap.free(first), heap.free(second)), (Ok(()), Ok(())));
        let done = heap.compact(0);
        assert_eq!((done.moved_blocks, done.done), (0, false));
        let mut moved = 0;
        let mut too_large = 0;
        for _ in 0..30 {
            let step = heap.compact(200);
            assert!(step.moved_bytes <= 200, "{step:?}");
            moved += step.moved_blocks;
            too_large += step.too_large;
            assert_eq!(heap.validate(), Ok(()));
            if step.done {
                break;
            }
        }
        assert_eq!((moved, too_large), (10, 1), "all small ones, and the large one is named");
        let done = heap.compact(200);
        assert_eq!((done.moved_blocks, done.too_large), (0, 1), "it is tried again");
        let done = heap.compact(2000);
        assert_eq!((done.moved_blocks, done.too_large, done.done), (11, 0, true));
        assert_eq!(heap.stats().holes, 1);
        assert!(heap.contains(large) && small.iter().all(|id| heap.contains(*id)));
    });
}

#[test]
fn typed_access_wants_the_length_and_the_alignment() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let id = heap.try_allocate_from(&[[1_u32, 2], [3, 4]]).expect("there is memory");
        assert_eq!(heap.slice_of::<u32>(id), Some(&[1, 2, 3, 4][..]));
        assert_eq!(heap.value::<[u64; 2]>(id).map(|words| words.len()), Some(2));
        assert_eq!(heap.value::<u64>(id), None, "it is twice as long");
        assert_eq!(heap.slice_of::<[u8; 3]>(id), None, "16 bytes are not a multiple of 3");
        heap.slice_of_mut::<u32>(id).expect("it is four of them")[3] = 9;
        *heap.value_mut::<u128>(id).expect("it is one") += 1;
        // The lowest of its words is the first or the last.
        let little = cfg!(target_endian = "little");
        let expected = if little { [2, 2, 3, 9] } else { [1, 2, 3, 10] };
        assert_eq!(heap.slice_of::<u32>(id), Some(&expected[..]));
        let empty = heap.try_allocate_from::<u64>(&[]).expect("there is memory");
        assert_eq!(heap.slice_of::<u64>(empty), Some(&[][..]));
        assert_eq!(heap.value::<u64>(empty), None);
    });
}

#[test]
fn validate_names_what_is_broken() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids: Vec<BlockId> = (0..4).map(|_| heap.allocate(16, 16)).collect();
        assert_eq!(heap.free(ids[1]), Ok(()));
        heap.space.set_owner(4, ids[1].index() as u32, 16, 1);
        let damage = heap.validate().expect_err("the third block has the slot of one that is gone");
        assert_eq!(damage.to_string(), "a block's slot has no entry at byte 64");
        heap.space.set_owner(4, ids[2].index() as u32, 16, 1);
        assert_eq!(heap.validate(), Ok(()));
        heap.live_bytes += 1;
        assert!(heap.validate().is_err());
        heap.live_bytes -= 1;
        heap.space.low = 3;
        assert!(heap.validate().is_err());
    });
}

#[test]
fn a_capacity_that_cannot_be_counted_is_refused() {
    with_memory(|memory| {
        for bytes in [usize::MAX, usize::MAX / 2 + 1, usize::MAX / 16 * 15] {
            let refused = Heap::try_with_capacity_in(bytes, memory).expect_err("it is too long");
            assert!(matches!(refused, GrowError::Length { .. }), "{bytes}: {refused:?}");
        }
    });
}

#[test]
fn a_block_of_copies_needs_no_result() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let id = heap.allocate_from(&[7_u64, 8]);
        assert_eq!(heap.slice_of::<u64>(id), Some(&[7, 8][..]));
    });
}

/// A hole that stays may be linked with the hole at the end that goes, where both are of one size
/// class. Its copy kept the link, which led beyond the shorter buffer.
#[test]
fn a_shorter_buffer_has_no_link_to_the_hole_that_went() {
    let mut shared = 0;
    for bytes in (16..4000).step_by(16) {
        with_memory(|memory| {
            let mut heap = HandleHeap::new_in(memory);
            let ids = [0; 3].map(|_| heap.allocate(bytes, 16));
            let kept = heap.allocate(100, 16);
            for id in [ids[1], ids[0]] {
                heap.free(id).expect("it is live");
                let stats = heap.stats();
                let hole = stats.hole_bytes - stats.tail_hole_bytes;
                shared += u32::from(class_of_bytes(hole) == class_of_bytes(stats.tail_hole_bytes));
                heap.try_shrink_to_fit().expect("there is memory");
                assert_eq!(heap.validate(), Ok(()), "blocks of {bytes} bytes");
            }
            assert_eq!(heap.bytes(kept).map(<[u8]>::len), Some(100));
        });
    }
    assert!(shared > 10, "both holes were of one class {shared} times only");
}

fn class_of_bytes(bytes: u64) -> usize {
    class_of((bytes / 16).max(1) as u32)
}
