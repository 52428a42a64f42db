//! The heap: conformance, programs, and what it alone promises.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use loligo_tests::programs::{Plan, Space, run, sample};
use loligo_tests::{Limits, Oracle, Region, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

pub(crate) const HEAP: Subject = Subject {
    name: "heap",
    reporter: |_| None,
    // Contents of greater blocks are written at their ends only, to keep the tests quick.
    limits: Limits { touch_max: 128 << 10, ..Limits::growing() },
    make: |test| {
        let pages = PageAllocator::new("pages");
        test(&HeapAllocator::new_in("heap", &pages));
        assert_eq!(pages.stats().live, 0, "the heap keeps pages");
    },
    misused: bytes(64, 16),
};

pub(crate) const HEAP_IN_REGION: Subject = Subject {
    name: "heap-region",
    reporter: |_| None,
    limits: Limits::region(256 << 10),
    make: |test| in_region(256 << 10, 0, test),
    misused: bytes(64, 16),
};

/// The same, with blocks that are not of a size class.
pub(crate) const HEAP_LARGE: Subject = Subject {
    name: "heap-large",
    reporter: |_| None,
    limits: Limits::region(256 << 10),
    make: |test| {
        let mut region = Region::new(256 << 10, 4096);
        test(&HeapAllocator::from_region("heap-large", region.memory()));
    },
    misused: bytes(3000, 16),
};

fn in_region(region_bytes: usize, offset: usize, test: Test<'_>) {
    let mut region = Region::new(region_bytes, 4 << 20).at_offset(offset);
    test(&HeapAllocator::from_region("heap-region", region.memory()));
}

/// Makes a heap that grows by small regions over a naive backing, which must have it all back.
fn small_regions(memory_bytes: usize, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", memory_bytes);
    test(&HeapAllocator::with_region_bytes_in("heap", 64 << 10, &memory));
    assert_eq!(memory.stats().live, 0, "the heap keeps memory of its backing");
}

/// What a heap over such a backing serves: its regions are less than half of it.
const SMALL: Limits =
    Limits { size_max: 256 << 10, align_max: 64 << 10, memory: None, ..Limits::region(4 << 20) };

tests_of! {
    HEAP, 40, "regressions/heap.txt";
}

#[test]
fn conforms_in_a_region() {
    HEAP_IN_REGION.conforms();
    HEAP_LARGE.conforms();
}

#[test]
fn conforms_over_small_regions() {
    conformance::allocator(&SMALL, |test| small_regions(4 << 20, test));
}

#[test]
fn conforms_at_any_address_and_length() {
    for (region_bytes, offset) in
        [(64 << 10, 1), (100_001, 4095), (1_000_003, 16), (65_537, 2_000_001)]
    {
        let limits = Limits { align_max: 4096, ..Limits::region(region_bytes) };
        let limits = Limits { size_max: region_bytes / 8, ..limits };
        conformance::allocator(&limits, |test| in_region(region_bytes, offset, test));
    }
}

#[test]
fn serves_alignments_to_2_mib_in_a_region() {
    let limits = Limits { align_max: 2 << 20, ..Limits::region(16 << 20) };
    conformance::allocator(&limits, |test| in_region(16 << 20, 0, test));
}

#[test]
fn a_tiny_region_refuses_everything() {
    for region_bytes in [0, 1, 15, 16, 100, 4096] {
        in_region(region_bytes, 0, &mut |heap| {
            let limits = Limits { reclaims: false, ..Limits::region(1 << 10) };
            let mut oracle = Oracle::new(heap, limits).expect("a fresh heap");
            for size in [0, 1, 100, 5000] {
                // Served or refused, the contract holds.
                oracle.allocate(bytes(size, 1)).expect("the contract holds");
            }
            oracle.finish().expect("the contract holds");
        });
    }
}

#[test]
fn runs_programs_in_a_region() {
    HEAP_IN_REGION.runs_programs(300, "regressions/heap-region.txt");
}

#[test]
fn runs_programs_over_small_regions() {
    let plan = Plan {
        cases: 60,
        steps: 500,
        space: Space { slots: 120, ..Space::past(&SMALL) },
        regressions: Some("regressions/heap-small-regions.txt"),
        ..Plan::new(SMALL)
    };
    plan.check(|test| small_regions(4 << 20, test));
}

#[test]
fn runs_over_every_refusal() {
    for seed in [1, 2, 3] {
        // Blocks big enough that several regions are taken, and given back.
        let program = sample(&Space::new(24, 17, 6), 120, seed);
        conformance::exhaustion(&SMALL, 4 << 20, &program, |backing, test| {
            test(&HeapAllocator::with_region_bytes_in("heap", 64 << 10, backing));
        });
        conformance::exhaustion(&SMALL, 1 << 20, &program, |backing, test| {
            if let Ok(heap) = HeapAllocator::fixed_in("heap", 512 << 10, backing) {
                test(&heap);
            }
        });
    }
}

/// A request that takes no whole number of pages once made the heap ask for ever.
#[test]
fn asks_a_backing_that_refuses_a_bounded_number_of_times() {
    let memory = NaiveAllocator::new("memory", 64 << 10);
    let refusing = FailingBacking::new_in(&memory, Refusals::From(0));
    let heap = HeapAllocator::new_in("heap", &refusing);
    for size in [1, 100_000, 123_457, 10_000_001, 1 << 30] {
        let before = refusing.requests();
        assert!(heap.allocate(bytes(size, 1)).is_err(), "nothing is there to serve {size}");
        let asked = refusing.requests() - before;
        assert!((1..=32).contains(&asked), "{asked} requests for one of {size} bytes");
    }
}

#[test]
fn fills_its_region() {
    const REGION: usize = 4 << 20;
    in_region(REGION, 0, &mut |heap| {
        let mut random = 1_u64;
        let mut live = 0;
        loop {
            random = random.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            let size = 16 + (random >> 40) as usize % 4081;
            if heap.allocate(bytes(size, 8)).is_err() {
                break;
            }
            live += size;
        }
        assert!(live * 100 >= REGION * 96, "{live} bytes of {REGION} are live when it is full");
        free_all(heap);
    });
}

/// Frees every block that a walk shows.
fn free_all(allocator: &dyn Allocator) {
    let mut blocks = Vec::new();
    allocator.walk(&mut |block| blocks.push(block.address));
    for block in blocks {
        // SAFETY: a walk shows live blocks alone, each once.
        unsafe { allocator.deallocate(block) };
    }
}

#[test]
fn gives_empty_regions_back() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::with_region_bytes_in("heap", 64 << 10, &pages);
    let mut oracle = Oracle::new(&heap, HEAP.limits).expect("a fresh heap");
    let program = sample(&Space::new(600, 14, 4), 4000, 9);
    run(&program, &mut oracle).expect("the contract holds");
    let grown = heap.stats().reserved;
    oracle.finish().expect("the contract holds");
    heap.shrink();
    let left = heap.stats().reserved;
    assert!(left == 0 && grown > 256 << 10, "of {grown} bytes {left} are kept, with nothing live");
    assert_eq!(pages.stats().live, 0);
}

#[test]
fn a_fixed_heap_never_grows() {
    let memory = NaiveAllocator::new("memory", 2 << 20);
    let heap = HeapAllocator::fixed_in("heap", 512 << 10, &memory).expect("there is room");
    let taken = memory.stats();
    let mut oracle = Oracle::new(&heap, Limits::region(512 << 10)).expect("a fresh heap");
    run(&sample(&Space::new(64, 18, 6), 1000, 4), &mut oracle).expect("the contract holds");
    oracle.finish().expect("the contract holds");
    assert_eq!(memory.stats(), taken, "all was served from the one block");
}
