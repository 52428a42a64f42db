//! The page allocator: conformance, programs, threads, and what it alone promises.

use loligo_allocators::{Allocator, PageAllocator};
use loligo_tests::programs::{Plan, Space, run_shared, sample};
use loligo_tests::{Limits, conformance};

use crate::subject::{Subject, bytes, tests_of};

pub(crate) const PAGE: Subject = Subject {
    name: "page",
    reporter: |_| None,
    limits: Limits::growing(),
    make: |test| test(&PageAllocator::new("page")),
    misused: bytes(4096, 4096),
};

tests_of! {
    PAGE, 60, "regressions/page.txt";
}

#[test]
fn conforms_with_huge_pages() {
    conformance::allocator(&PAGE.limits, |test| {
        test(&PageAllocator::new("huge").with_huge_pages());
    });
}

#[test]
fn runs_programs_with_huge_pages() {
    let plan = Plan {
        cases: 20,
        regressions: Some("regressions/page-huge.txt"),
        ..Plan::new(PAGE.limits)
    };
    plan.check(|test| test(&PageAllocator::new("huge").with_huge_pages()));
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("shared");
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(24, 18, 16), 500, seed)).collect();
    run_shared(&pages, &PAGE.limits, &programs).expect("the contract holds");
    assert_eq!(pages.stats().reserved, 0);
}

#[test]
fn a_page_takes_a_page() {
    let pages = PageAllocator::new("pages");
    let page = PageAllocator::page_size();
    let layout = bytes(page, 1);
    let blocks: Vec<_> =
        (0..100).map(|_| pages.allocate(layout).expect("the system has a page")).collect();
    assert_eq!(pages.stats().reserved, 100 * page);
    assert_eq!(pages.committed_bytes(), 100 * page);
    for block in blocks {
        assert_eq!(block.len(), page);
        // SAFETY: the block is live and of this layout.
        unsafe { pages.deallocate_sized(block.cast(), layout) };
    }
    assert_eq!((pages.stats().reserved, pages.committed_bytes()), (0, 0));
}
