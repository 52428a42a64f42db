//! A global allocator that hands over: conformance on both sides, and a program that begins before
//! `main`.

use loligo_allocators::{GlobalMemory, HeapAllocator, Locked, PageAllocator};
use loligo_tests::misuse::{Verdict, verdict};
use loligo_tests::{Limits, conformance};

use crate::process::run;

const CHILD: &str = env!("CARGO_BIN_EXE_loligo-tests-global-memory");

static PAGES: PageAllocator = PageAllocator::new("pages");

type Memory = GlobalMemory<{ 64 << 10 }, Locked<HeapAllocator<'static, PageAllocator>>>;

fn memory() -> Box<Memory> {
    let heap = HeapAllocator::with_region_bytes_in("later", 1 << 20, &PAGES);
    Box::new(GlobalMemory::new("early", Locked::new(heap)))
}

#[test]
fn conforms_before_and_after_the_handing_over() {
    let limits = Limits { size_max: 16 << 20, align_max: 4096, ..Limits::growing() };
    conformance::global_alloc(&limits, |test| test(&*memory()));
    conformance::global_alloc(&limits, |test| {
        let memory = memory();
        memory.hand_over();
        test(&*memory);
    });
}

#[test]
fn a_program_hands_over_and_gives_early_blocks_back() {
    let ended = run(CHILD, &["work"]);
    assert!(ended.succeeded(), "{}", ended.stderr);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[0], "early blocks: kept, grown, freed");
    // The same work comes to the same number as over any other allocator.
    let other = run(env!("CARGO_BIN_EXE_loligo-tests-global-heap"), &["work"]);
    assert_eq!(lines[1], other.stdout.trim(), "{}", ended.stdout);
}

#[test]
fn a_double_free_is_found_on_both_sides() {
    for (job, name) in [("double-free-early", "early"), ("double-free", "later")] {
        let ended = run(CHILD, &[job]);
        assert_eq!(verdict(&ended, name), Verdict::Detected, "{job}: {}", ended.stderr);
    }
}
