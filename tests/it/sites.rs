//! Allocators that keep sites: conformance, programs, and books that refuse.

use core::alloc::Layout;
use core::panic::Location;

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FrameAllocator, HeapAllocator, PageAllocator,
    PoolAllocator, SharedRef, Sites, SlabAllocator,
};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Space, sample};
use loligo_tests::{Limits, Region, conformance};

use crate::subject::{Subject, Test, bytes};

type Slab<'a, B> = SlabAllocator<'a, B, DefaultClasses>;

/// What the blocks of the pool are.
const BLOCK: Layout = bytes(64, 16);

/// Gives `test` an allocator for books, which must have everything back.
fn with_books(make: impl FnOnce(&NaiveAllocator)) {
    let books = NaiveAllocator::new("books", 4 << 20);
    make(&books);
    assert_eq!(books.stats().live, 0, "the sites keep memory of their books");
}

const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "pool",
        reporter: |_| None,
        limits: Limits::fixed(BLOCK, None),
        make: |test| {
            with_books(|books| {
                let memory = NaiveAllocator::new("memory", 1 << 20);
                test(
                    &PoolAllocator::new_in("pool", BLOCK, &memory).with_sites(Sites::new_in(books)),
                );
                assert_eq!(memory.stats().live, 0, "the pool keeps memory of its backing");
            });
        },
        misused: BLOCK,
    },
    Subject {
        name: "heap",
        reporter: |_| None,
        limits: Limits::region(256 << 10),
        make: |test| {
            with_books(|books| {
                let mut region = Region::new(256 << 10, 4096);
                let heap = HeapAllocator::from_region("heap", region.memory());
                test(&heap.with_sites(Sites::new_in(books)));
            });
        },
        misused: BLOCK,
    },
    Subject {
        name: "slab",
        reporter: |_| None,
        limits: Limits {
            size_max: 256 << 10,
            align_max: 4096,
            memory: None,
            // Large blocks are shown as their table has them.
            ordered: false,
            ..Limits::region(1 << 20)
        },
        make: |test| {
            with_books(|books| {
                let memory = NaiveAllocator::new("memory", 4 << 20);
                let slab = Slab::with_region_bytes_in("slab", 64 << 10, &memory);
                test(&slab.with_sites(Sites::new_in(books)));
                assert_eq!(memory.stats().live, 0, "the slab keeps memory of its backing");
            });
        },
        misused: bytes(5000, 16),
    },
    Subject {
        name: "buddy",
        reporter: |_| None,
        limits: Limits::region(256 << 10),
        make: |test| {
            with_books(|books| {
                let mut region = Region::new(256 << 10, 4 << 20);
                let buddy = BuddyAllocator::from_region("buddy", 64, region.memory());
                test(&buddy.expect("room for leaves").with_sites(Sites::new_in(books)));
            });
        },
        misused: BLOCK,
    },
    Subject {
        name: "frame",
        reporter: |_| None,
        limits: Limits { reclaims: false, reports_leaks: false, ..Limits::region(256 << 10) },
        make: |test| {
            with_books(|books| {
                let mut region = Region::new(256 << 10, 4 << 20);
                let frame = FrameAllocator::from_region("frame", region.memory());
                test(&frame.with_sites(Sites::new_in(books)));
            });
        },
        misused: BLOCK,
    },
    Subject {
        name: "pages",
        reporter: |_| None,
        limits: Limits { touch_max: 128 << 10, ..Limits::growing() },
        make: |test| {
            let books = PageAllocator::new("books");
            test(&PageAllocator::new("pages").with_sites(Sites::new_in(&books)));
            assert_eq!(books.stats().live, 0, "the sites keep memory of their books");
        },
        misused: BLOCK,
    },
];

#[test]
fn conform() {
    for subject in SUBJECTS {
        subject.conforms();
    }
}

#[test]
fn run_programs() {
    for subject in SUBJECTS {
        let cases = if subject.name == "pages" { 20 } else { 100 };
        subject.runs_programs(cases, "regressions/sites.txt");
    }
}

/// Runs a program over books that refuse each request in turn.
fn refusing(limits: &Limits, make: fn(&dyn Allocator, Test<'_>)) {
    let program = sample(&Space::new(120, 9, 4), 400, 3);
    conformance::exhaustion(limits, 1 << 20, &program, |books, test| make(books, test));
}

#[test]
fn books_that_refuse_change_nothing() {
    refusing(&Limits::fixed(BLOCK, None), |books, test| {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        test(&PoolAllocator::new_in("pool", BLOCK, &memory).with_sites(Sites::new_in(books)));
    });
    let limits = Limits::region(256 << 10);
    refusing(&limits, |books, test| {
        let mut region = Region::new(256 << 10, 4096);
        let heap = HeapAllocator::from_region("heap", region.memory());
        test(&heap.with_sites(Sites::new_in(books)));
    });
    refusing(&limits, |books, test| {
        let mut region = Region::new(256 << 10, 4096);
        let buddy = BuddyAllocator::from_region("buddy", 64, region.memory());
        test(&buddy.expect("room for leaves").with_sites(Sites::new_in(books)));
    });
    refusing(&Limits { reports_leaks: false, ..limits }, |books, test| {
        let mut region = Region::new(256 << 10, 4096);
        let frame = FrameAllocator::from_region("frame", region.memory());
        test(&frame.with_sites(Sites::new_in(books)));
    });
    refusing(&Limits { memory: None, ..limits }, |books, test| {
        let memory = NaiveAllocator::new("memory", 4 << 20);
        let slab = Slab::with_region_bytes_in("slab", 64 << 10, &memory);
        test(&slab.with_sites(Sites::new_in(books)));
    });
}

/// The backing may be the books as well, and what refuses one refuses the other.
#[test]
fn the_backing_may_be_the_books() {
    let limits = Limits { size_max: 64 << 10, memory: None, ..Limits::region(1 << 20) };
    let program = sample(&Space::new(60, 9, 4), 200, 4);
    conformance::exhaustion(&limits, 2 << 20, &program, |backing, test| {
        let heap = HeapAllocator::with_region_bytes_in("heap", 64 << 10, backing);
        test(&heap.with_sites(Sites::new_in(backing)));
    });
}

#[test]
fn sites_reach_through_shared_references() {
    let books = PageAllocator::new("books");
    let pages = PageAllocator::new("pages").with_sites(Sites::new_in(&books));
    let shared: SharedRef<'_> = &pages;
    let line = line!() + 1;
    let block = shared.allocate(BLOCK).expect("there is memory");
    let mut sites: Vec<&Location<'_>> = Vec::new();
    shared.walk(&mut |block| sites.extend(block.site));
    assert_eq!(
        sites.iter().map(|site| (site.file(), site.line())).collect::<Vec<_>>(),
        [(file!(), line)]
    );
    // SAFETY: the block is live and not used again.
    unsafe { shared.deallocate(block.cast()) };
}
