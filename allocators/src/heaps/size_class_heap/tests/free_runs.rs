//! Free runs whose memory can go back: all long ones are found, and no more than what is free.

use core::ptr::NonNull;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::bookkeeping::mark;
use crate::heaps::heap::tests::Random;
use crate::heaps::size_class_heap::{FreeRuns, LookBudget, Refusal, SizeClassHeap};
use crate::heaps::size_classes::HeapClasses;

type Default = SizeClassHeap<HeapClasses>;

fn runs(inner: &Default) -> Vec<(usize, usize)> {
    let mut state = FreeRuns::START;
    let found = core::iter::from_fn(|| inner.next_free_run(&mut state).expect("sound"));
    found
        .map(|[run, ..]| {
            mark::opened(run.cast().as_ptr(), run.len(), || {
                // SAFETY: the run is inside the test's memory and nothing uses it: this is what
                // the search promises, and what the checks after it look at.
                unsafe { run.cast::<u8>().write_bytes(0xdd, run.len()) };
            });
            (run.cast::<u8>().addr().get(), run.len())
        })
        .collect()
}

#[test]
fn memory_that_was_never_used_is_no_run() {
    let mut memory = memory(8 << 20);
    let mut inner = Default::new();
    assert_eq!(runs(&inner), [], "no region");
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    assert_eq!(runs(&inner), [], "nothing was used");
    let block = inner.allocate(layout(1 << 20, 8)).expect("there is room").cast();
    assert_eq!(runs(&inner), [], "what was used is live");
    inner.deallocate(block, 0).expect("it is live");
    let found = runs(&inner);
    assert_eq!(found.len(), 1, "one run: {found:?}");
    assert_eq!(found[0].0, block.addr().get() + 16, "after the links");
    assert!((1 << 20) - 32 <= found[0].1 && found[0].1 <= 1 << 20, "{found:?}");
    inner.verify().expect("sound");
}

#[test]
fn every_long_run_between_live_blocks_is_found_and_nothing_else() {
    for seed in 1..=8 {
        let mut random = Random::new(seed);
        let mut memory = memory(24 << 20);
        let mut inner = Default::new();
        assert!(add(&mut inner, &mut memory), "the memory holds pages");
        let mut live = Vec::new();
        for step in 0..4000 {
            let bytes = random.size(18);
            if let Ok(block) = inner.allocate(layout(bytes, 8)) {
                let print = step as u8;
                // SAFETY: the block is ours and has these bytes.
                unsafe { block.cast::<u8>().write_bytes(print, block.len()) };
                live.push((block.cast::<u8>(), block.len(), print));
            }
            if live.len() > 300 {
                let (block, ..) = live.swap_remove(random.below(live.len()));
                inner.deallocate(block, 0).expect("it is live");
            }
        }
        let found = runs(&inner);
        inner.verify().expect("the core's words were left alone");
        for &(block, bytes, print) in &live {
            // SAFETY: the block is live and was written over its length.
            let held = unsafe { NonNull::slice_from_raw_parts(block, bytes).as_ref() };
            assert!(held.iter().all(|&byte| byte == print), "a live block was in a run");
        }
        let region = &inner.regions[0];
        let mut expected = Vec::new();
        let mut at = 0;
        while at < region.granules {
            let size = region.size_at(at).expect("sound");
            let end = (at + size).min(region.frontier);
            if !region.is_live(at) && end.saturating_sub(at) >= 4096 {
                let start = region.address(at).addr() + 16;
                expected.push((start, (end - at) as usize * 16 - 32));
            }
            at += size;
        }
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected, "seed {seed}");
        assert!(!expected.is_empty(), "seed {seed}: there are runs to find");
        for (block, ..) in live {
            inner.deallocate(block, 0).expect("it is live");
        }
        inner.verify().expect("sound");
    }
}

/// Writes over all that is free and was used, with what no block is filled with.
fn clean(inner: &Default) {
    for (start, bytes) in runs(inner) {
        assert!(bytes > 0, "a run at {start:#x} has bytes");
    }
}

#[test]
fn no_memory_that_was_used_counts_as_clean() {
    for seed in 1..=4 {
        let mut random = Random::new(seed);
        let mut memory = memory(24 << 20);
        let mut inner = Default::new();
        assert!(add(&mut inner, &mut memory), "the memory holds pages");
        let mut live: Vec<(NonNull<u8>, usize)> = Vec::new();
        for step in 0..6000 {
            let bytes = random.size(18);
            if let Ok(block) = inner.allocate(layout(bytes, 8)) {
                // SAFETY: the block is ours and has these bytes.
                unsafe { block.cast::<u8>().write_bytes(0x11, block.len()) };
                live.push((block.cast(), block.len()));
            }
            if live.len() > 100 {
                let nth = random.below(live.len());
                let (block, had) = live[nth];
                let less = layout(1 + random.below(had), 8);
                let resized = inner.resize(block, layout(had, 8), less).expect("it has as many");
                live[nth].1 = resized.len();
                let (block, _) = live.swap_remove(random.below(live.len()));
                inner.deallocate(block, 0).expect("it is live");
            }
            if step % 1500 == 0 {
                clean(&inner);
            }
        }
        let mut state = FreeRuns::START;
        let mut all = LookBudget { runs: u32::MAX, bytes: usize::MAX };
        while let Some(dirty) = inner.next_dirty_run(&mut state, &mut all).expect("sound") {
            mark::opened(dirty.cast().as_ptr(), dirty.len(), || {
                // SAFETY: the part is inside the test's memory and nothing uses it.
                unsafe { dirty.cast::<u8>().write_bytes(0xdd, dirty.len()) };
            });
        }
        let mut state = FreeRuns::START;
        let mut bytes = 0;
        while let Some([run, ..]) = inner.next_free_run(&mut state).expect("sound") {
            // Less the pieces at both ends, which may be shared with other blocks.
            let skip = 16 << 10;
            let at = run.cast::<u8>().as_ptr().wrapping_add(skip);
            bytes += run.len() - 2 * skip;
            mark::opened(at, run.len() - 2 * skip, || {
                // SAFETY: the run is inside the test's memory, which was written.
                let held = unsafe { core::slice::from_raw_parts(at, run.len() - 2 * skip) };
                // The core's own words may be there, a block's contents may not.
                let used = held.windows(16).position(|bytes| bytes == [0x11; 16]);
                assert_eq!(used, None, "seed {seed}: memory that was used counts as clean");
            });
        }
        assert!(bytes > 1 << 20, "seed {seed}: {bytes} bytes were looked at");
        for (block, _) in live {
            inner.deallocate(block, 0).expect("it is live");
        }
        inner.verify().expect("sound");
    }
}

#[test]
fn a_damaged_link_ends_the_search() {
    let mut memory = memory(8 << 20);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let blocks: Vec<NonNull<u8>> =
        (0..4).map(|_| inner.allocate(layout(100_000, 8)).expect("there is room").cast()).collect();
    for &block in [&blocks[0], &blocks[2]] {
        inner.deallocate(block, 0).expect("it is live");
    }
    mark::opened(blocks[2].as_ptr(), 4, || {
        // SAFETY: the freed block is inside the test's memory.
        unsafe { blocks[2].cast::<u32>().write(7) };
    });
    let mut state = FreeRuns::START;
    let mut search = || inner.next_free_run(&mut state);
    let damaged = (0..3).map(|_| search()).find(Result::is_err);
    assert!(matches!(damaged, Some(Err(Refusal::Wrong(..)))), "{damaged:?}");
}
