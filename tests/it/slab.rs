//! The slab: conformance, programs, and what it alone promises.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, HeapAllocator, PageAllocator, Report, SlabAllocator,
    set_misuse_handler,
};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Region, conformance};

use crate::subject::{Subject, Test, bytes};

/// A slab of the default classes.
type Slab<'a, B> = SlabAllocator<'a, B, DefaultClasses>;

/// A slab of small and large blocks over little memory.
const LIMITS: Limits =
    Limits { size_max: 256 << 10, align_max: 4096, memory: None, ..Limits::region(1 << 20) };

pub(crate) const SLAB: Subject = Subject {
    name: "slab",
    reporter: |_| None,
    limits: LIMITS,
    make: |test| over_naive("slab", 4 << 20, test),
    misused: bytes(64, 16),
};

/// The same, with blocks that are passed on.
pub(crate) const SLAB_LARGE: Subject = Subject {
    name: "slab-large",
    make: |test| over_naive("slab-large", 4 << 20, test),
    misused: bytes(5000, 16),
    ..SLAB
};

/// Makes a slab over a naive backing, which must have everything back.
fn over_naive(name: &str, memory_bytes: usize, test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", memory_bytes);
    test(&Slab::with_region_bytes_in(name, 64 << 10, &memory));
    assert_eq!(memory.stats().live, 0, "the slab keeps memory of its backing");
}

#[test]
fn conforms() {
    SLAB.conforms();
}

#[test]
fn conforms_with_large_blocks_passed_on() {
    conformance::allocator(&Limits::growing(), |test| {
        let pages = PageAllocator::new("pages");
        test(&Slab::new_in("slab", &pages));
        assert_eq!(pages.stats().live, 0, "the slab keeps pages");
    });
    let limits = Limits { size_max: 64 << 10, ..LIMITS };
    conformance::allocator(&limits, |test| {
        let mut region = Region::new(8 << 20, 4096);
        let heap = HeapAllocator::from_region("large", region.memory());
        test(&Slab::with_region_bytes_in("slab", 64 << 10, &heap));
        assert_eq!(heap.stats().live, 0, "the slab keeps memory of its backing");
    });
    conformance::allocator(&limits, |test| {
        let mut region = Region::new(8 << 20, 4096);
        let buddy = BuddyAllocator::from_region("large", 1024, region.memory());
        let buddy = buddy.expect("the region holds a leaf");
        test(&Slab::with_region_bytes_in("slab", 64 << 10, &buddy));
        assert_eq!(buddy.stats().live, 0, "the slab keeps memory of its backing");
    });
}

#[test]
fn runs_programs() {
    let plan = Plan {
        cases: 200,
        steps: 600,
        space: Space::new(300, 8, 4),
        regressions: Some("regressions/slab.txt"),
        ..Plan::new(SLAB.limits)
    };
    plan.check(SLAB.make);
}

#[test]
fn runs_programs_with_large_blocks_passed_on() {
    let plan = Plan {
        cases: 60,
        regressions: Some("regressions/slab-large.txt"),
        ..Plan::new(Limits::growing())
    };
    plan.check(|test| {
        let pages = PageAllocator::new("pages");
        test(&Slab::new_in("slab", &pages));
    });
}

#[test]
fn runs_over_every_refusal() {
    for seed in [1, 2, 3] {
        let program = sample(&Space::new(60, 11, 6), 200, seed);
        conformance::exhaustion(&SLAB.limits, 2 << 20, &program, |backing, test| {
            test(&Slab::with_region_bytes_in("slab", 64 << 10, backing));
        });
    }
}

/// Enough large blocks that their table grows, small ones between them.
#[test]
fn runs_over_every_refusal_of_its_table() {
    let program = sample(&Space::new(60, 13, 6), 200, 4);
    conformance::exhaustion(&SLAB.limits, 4 << 20, &program, |backing, test| {
        test(&Slab::with_region_bytes_in("slab", 64 << 10, backing));
    });
}

#[test]
fn a_large_block_is_remapped_as_its_backing_does() {
    let (old, new) = (bytes(8 << 20, 16), bytes(24 << 20, 16));
    let pages = PageAllocator::new("pages");
    let slab = Slab::new_in("slab", &pages);
    let block = slab.allocate(old).expect("there are pages").cast::<u8>();
    // Whatever follows the block, it may have to move.
    let behind = slab.allocate(old).expect("there are pages").cast::<u8>();
    // SAFETY: the block has more bytes.
    unsafe { block.write(7) };
    // SAFETY: the block is live with this layout.
    let grown = unsafe { slab.reallocate(block, old, new) }.expect("there are pages");
    // SAFETY: the first byte was written.
    assert_eq!(unsafe { grown.cast::<u8>().read() }, 7, "the contents");
    let peak = pages.stats().peak_granted;
    assert!(peak < old.size() + new.size() + old.size(), "both were there at once: {peak}");
    for (block, layout) in [(grown.cast(), new), (behind, old)] {
        // SAFETY: the block is live with this layout.
        unsafe { slab.deallocate_sized(block, layout) };
    }
}

/// What `act` panics with; a misuse that is found is a panic too.
fn panic_of(act: impl FnOnce()) -> String {
    fn handler(report: &Report<'_>) -> ! {
        panic!("{report}")
    }
    set_misuse_handler(Some(handler));
    let payload = catch_unwind(AssertUnwindSafe(act)).expect_err("a report was due");
    *payload.downcast::<String>().expect("reports are formatted")
}

#[test]
fn a_siblings_large_block_is_foreign_and_nothing_changes() {
    let layout = bytes(5000, 16);
    let pages = PageAllocator::new("pages");
    let slab = Slab::new_in("slab", &pages);
    let own = slab.allocate(layout).expect("there are pages").cast::<u8>();
    let sibling = pages.allocate(layout).expect("there are pages").cast();
    let before = (slab.stats(), pages.stats());
    for sized in [false, true] {
        let said = panic_of(|| {
            if sized {
                // SAFETY: none; the block is not the slab's, and that is the point.
                unsafe { slab.deallocate_sized(sibling, layout) };
            } else {
                // SAFETY: as above.
                unsafe { slab.deallocate(sibling) };
            }
        });
        assert!(said.contains("allocator `slab`: foreign free"), "sized: {sized}: {said}");
        assert_eq!((slab.stats(), pages.stats()), before, "sized: {sized}");
        slab.verify().expect("the slab is sound");
    }
    // SAFETY: the block is live, and the backing's.
    unsafe { pages.deallocate(sibling) };
    // SAFETY: the block is live.
    unsafe { slab.deallocate(own) };
    // SAFETY: none; the block is free, and that is the point.
    let said = panic_of(|| unsafe { slab.deallocate(own) });
    assert!(said.contains("allocator `slab`: double free"), "{said}");
    assert_eq!(slab.stats().live, 0, "one free counts");
}

#[test]
fn a_leak_report_lists_large_blocks() {
    let pages = PageAllocator::new("pages");
    let slab = Slab::new_in("slab", &pages);
    let block = slab.allocate(bytes(5000, 16)).expect("there are pages");
    let said = panic_of(|| drop(slab));
    assert!(
        said.contains("allocator `slab`") && said.contains(&format!("{:p}", block.cast::<u8>())),
        "{said}"
    );
    // SAFETY: the block is live, and the backing's.
    unsafe { pages.deallocate(block.cast()) };
}
