//! Tests of the suites: what they ask of a heap. No figure of time is judged.

use core::alloc::GlobalAlloc;

use super::counting::{self, Counting, counted};
use super::xmalloc::BATCH_BLOCKS;
use super::*;

/// Larson with small tables.
fn small_larson(threads: u32, generations: u32) -> Larson {
    Larson { blocks: 50, rounds: 20, ..Larson::new(threads, generations) }
}

#[test]
fn a_heap_that_counts_knows_threads_classes_and_what_is_live() {
    let heap = Counting::default();
    let layout = core::alloc::Layout::from_size_align(100, 64).expect("a layout");
    let blocks = [(); 3].map(|()| {
        // SAFETY: the layout has a size.
        unsafe { heap.alloc(layout) }.expose_provenance()
    });
    assert_eq!(heap.counts().live_bytes, 300);
    assert!(blocks.iter().all(|block| block % 64 == 0), "{blocks:?} are aligned");
    let free = |block: usize| {
        // SAFETY: the block is live with this layout.
        unsafe { heap.dealloc(core::ptr::with_exposed_provenance_mut(block), layout) };
    };
    free(blocks[0]);
    std::thread::scope(|scope| {
        scope.spawn(|| blocks[1..].iter().for_each(|block| free(*block)));
    });
    let counts = heap.counts();
    assert_eq!((counts.frees, counts.foreign_frees, counts.live_bytes), (3, 2, 0));
    assert_eq!(counts.classes[7], 3);
    assert_eq!([1, 2, 8, 9, 64, 65].map(counting::class), [0, 1, 3, 4, 6, 7]);
}

#[test]
fn larson_replaces_what_its_parameters_state() {
    for (threads, generations) in [(1, 1), (1, 3), (3, 2)] {
        let larson = small_larson(threads, generations);
        let (timing, counts) = counted(|heap| larson.run(heap));
        let tables = u64::from(threads);
        let replaced = tables * u64::from(generations) * 20 * 50;
        assert_eq!(timing.operations, replaced);
        // The tables are filled, and 4 blocks for each of their slots are replaced, beforehand.
        assert_eq!(counts.allocations, replaced + 5 * 50 * tables);
        assert_eq!(counts.reallocations, 0);
    }
}

#[test]
fn larson_frees_what_a_predecessor_left() {
    // A slot is not drawn in 1 000 draws from 50 with a probability of 2e-9.
    for (threads, generations) in [(1, 1), (1, 4), (2, 3)] {
        let (_, counts) = counted(|heap| small_larson(threads, generations).run(heap));
        let tables_passed_on = u64::from(threads) * (u64::from(generations) + 1);
        assert_eq!(counts.foreign_frees, 50 * tables_passed_on);
    }
}

#[test]
fn larson_has_sizes_below_its_bound() {
    let larson = Larson { bytes_min: 33, bytes_end: 65, ..small_larson(1, 1) };
    let (_, counts) = counted(|heap| larson.run(heap));
    assert_eq!(counts.classes[6], counts.allocations, "all sizes are 33 to 64");
    let (_, counts) = counted(|heap| small_larson(1, 4).run(heap));
    assert_eq!(counts.classes[..3], [0; 3]);
    assert!(counts.classes[3..=10].iter().all(|count| *count > 0), "{:?}", counts.classes);
    assert_eq!(counts.classes[11..].iter().sum::<u64>(), 0);
}

#[test]
fn larson_repeats_for_a_seed_whatever_the_threads_do() {
    let run = |seed| counted(|heap| Larson { seed, ..small_larson(3, 2) }.run(heap)).1;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).classes, run(2).classes);
}

#[test]
fn xmalloc_test_frees_all_blocks_by_another_thread() {
    for (threads, batches) in [(1, 1), (1, 5), (3, 2)] {
        let (timing, counts) = counted(|heap| Xmalloc::new(threads, batches).run(heap));
        let batches = u64::from(threads * batches);
        let blocks = batches * BATCH_BLOCKS as u64;
        assert_eq!(timing.operations, blocks);
        assert_eq!((counts.classes[6], counts.classes[16]), (blocks, batches));
        assert_eq!(counts.allocations, blocks + batches);
        assert_eq!(counts.foreign_frees, counts.frees);
    }
}

#[test]
fn xmalloc_test_has_blocks_of_the_size_it_is_given() {
    let xmalloc = Xmalloc { bytes: 1000, ..Xmalloc::new(1, 1) };
    let (_, counts) = counted(|heap| xmalloc.run(heap));
    assert_eq!(counts.classes[10], BATCH_BLOCKS as u64);
}

#[test]
fn mstress_allocates_what_its_parameters_state() {
    for (threads, iterations) in [(1, 2), (3, 1)] {
        let mstress = Mstress { scale: 3, ..Mstress::new(threads, iterations) };
        let (timing, counts) = counted(|heap| mstress.run(heap));
        // Half as many blocks as are short-lived are retained, and there are two tables.
        let blocks = (0..threads).map(|id| u64::from(mstress.short_lived(id)) * 3 / 2 + 2);
        assert_eq!(counts.allocations, blocks.sum::<u64>() * u64::from(iterations));
        assert_eq!(timing.operations, counts.allocations + counts.frees);
        assert_eq!(counts.classes[..3], [0; 3], "no block is less than a word");
        assert_eq!(counts.foreign_frees > 0, threads > 1, "{counts:?}");
    }
}

#[test]
fn mstress_alone_repeats_and_its_draws_do_not_depend_on_threads() {
    let run = |threads| {
        let mstress = Mstress { scale: 3, ..Mstress::new(threads, 2) };
        counted(|heap| mstress.run(heap)).1
    };
    assert_eq!(run(1), run(1));
    assert_eq!(run(2).classes, run(2).classes);
}

#[test]
fn rptest_sends_parcels_that_another_thread_frees() {
    for threads in [1, 2, 3] {
        let rptest = Rptest { loops: 50, ..Rptest::new(threads, 2) };
        let (timing, counts) = counted(|heap| rptest.run(heap));
        assert_eq!(timing.operations, counts.allocations + counts.frees);
        assert_eq!(rptest.parcels(), if threads == 1 { 0 } else { u64::from(threads) * 4 * 25 });
        // A parcel has 30 to 99 blocks, and two more for itself.
        let (least, most) = (32 * rptest.parcels(), 101 * rptest.parcels());
        assert!((least..=most).contains(&counts.foreign_frees), "{counts:?}");
        let rest = counts.allocations - counts.foreign_frees;
        let blocks = u64::from(threads) * 2 * 2 * 50;
        assert!((30 * blocks..=99 * blocks + 6).contains(&rest), "{rest} own blocks");
        assert_eq!(counts.reallocations, 0);
        assert_eq!(counts.classes[15..].iter().sum::<u64>(), 0, "16 000 bytes are the most");
    }
}

#[test]
fn rptest_repeats_whatever_the_threads_do() {
    for threads in [1, 3] {
        let rptest = Rptest { loops: 30, ..Rptest::new(threads, 1) };
        let run = || counted(|heap| rptest.run(heap));
        let ((first_timing, first), (second_timing, second)) = (run(), run());
        assert_eq!(first, second);
        assert_eq!(first_timing.operations, second_timing.operations);
    }
}
