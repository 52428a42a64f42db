//! The guard pages: conformance, programs, threads, and stray accesses that stop a process.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::os::unix::process::ExitStatusExt;

use loligo_allocators::{Allocator, GuardPageAllocator, GuardSide, PageAllocator, SlabAllocator};
use loligo_tests::programs::{Plan, Space, run_shared, sample};
use loligo_tests::{Child, Ended, Limits, conformance};

use crate::subject::{Subject, Test, bytes, tests_of};

pub(crate) const GUARD_PAGE: Subject = Subject {
    name: "guard-page",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::growing() },
    make: |test| over_pages(GuardSide::Overrun, 1000, test),
    misused: bytes(64, 16),
};

/// Makes guard pages over fresh pages and checks that those have everything back.
fn over_pages(side: GuardSide, guarded_max: usize, test: Test<'_>) {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guard-page", &pages)
        .with_side(side)
        .with_guarded_max(guarded_max)
        .with_quarantine(50);
    test(&guards);
    drop(guards);
    assert_eq!(
        (pages.stats().reserved, pages.committed_bytes()),
        (0, 0),
        "pages are kept for ever"
    );
}

tests_of! {
    GUARD_PAGE, 40, "regressions/guard-page.txt";
}

#[test]
fn conforms_at_either_guard_with_any_budget() {
    for side in [GuardSide::Overrun, GuardSide::Underrun] {
        for guarded_max in [0, 3, 1000] {
            conformance::allocator(&GUARD_PAGE.limits, |test| over_pages(side, guarded_max, test));
            let plan = Plan { cases: 10, ..Plan::new(GUARD_PAGE.limits) };
            plan.check(|test| over_pages(side, guarded_max, test));
        }
    }
}

#[test]
fn carries_another() {
    let limits = Limits { size_max: 1 << 20, ..Limits::growing() };
    conformance::allocator(&limits, |test| {
        let pages = PageAllocator::new("pages");
        let guards = GuardPageAllocator::new("guards", &pages);
        test(&SlabAllocator::new_in("slab", &guards));
    });
}

#[test]
fn serves_several_threads() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("shared", &pages).with_guarded_max(30).with_quarantine(8);
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(24, 14, 13), 300, seed)).collect();
    run_shared(&guards, &GUARD_PAGE.limits, &programs).expect("the contract holds");
    assert_eq!(guards.stats().live, 0);
}

/// Where the kernel allows no more mappings, blocks are refused and nothing is lost.
#[test]
fn the_kernels_limit_is_survived() {
    let ended = CHILD.run("the-limit of-mappings").expect("a process can be started");
    assert!(ended.succeeded(), "{ended:?}");
    assert!(ended.stdout.contains("all given back"), "{ended:?}");
}

/// Takes guarded blocks until the kernel refuses, in its own process.
fn reach_the_limit() {
    let page = PageAllocator::page_size();
    let pages = PageAllocator::new("limit");
    let guards = GuardPageAllocator::new("guards", &pages).with_guarded_max(usize::MAX);
    let layout = bytes(4096, 1);
    let mut blocks: Vec<NonNull<u8>> = Vec::new();
    // A limit that was set much higher is not reached here.
    while blocks.len() < 70_000
        && let Ok(block) = guards.allocate(layout)
    {
        blocks.push(block.cast());
    }
    println!("{} guarded, {} not", guards.guarded_blocks(), guards.forwarded_blocks());
    assert!(guards.guarded_blocks() >= 16_384, "the default is within the limit");
    guards.verify().expect("sound");
    for (index, block) in blocks.iter().enumerate() {
        // Each other one, so that no gap reaches the next.
        if index % 2 == 0 {
            // SAFETY: the block is live.
            unsafe { guards.deallocate(*block) };
        }
    }
    guards.verify().expect("sound");
    assert_eq!(guards.waiting_blocks(), 1024, "as many wait as may");
    let again = guards.allocate(layout).expect("there is room again");
    assert_eq!(again.len(), layout.size(), "it is guarded as the others");
    // SAFETY: the block is live.
    unsafe { guards.deallocate(again.cast()) };
    for block in blocks.iter().skip(1).step_by(2) {
        // SAFETY: these are live still.
        unsafe { guards.deallocate(*block) };
    }
    drop(guards);
    assert!(pages.stats().reserved < 100 * page, "{:?}", pages.stats());
    assert_eq!((pages.stats().live, pages.committed_bytes()), (0, 0), "no block is left");
    println!("all given back");
}

/// The test that does what stops a process.
const CHILD: Child = Child::new("guard_page::child");

/// The kernel's number of the signal.
const SIGSEGV: i32 = 11;

/// A block of a multiple of its alignment, so that its end is at the guard's start.
const BLOCK: Layout = bytes(96, 16);

static PAGES: PageAllocator = PageAllocator::new("pages");
static OVERRUN: GuardPageAllocator<'static> = GuardPageAllocator::new("over", &PAGES);
static UNDERRUN: GuardPageAllocator<'static> =
    GuardPageAllocator::new("under", &PAGES).with_side(GuardSide::Underrun);

/// An access that faults: its name, whose block, at which offset, after a free or not.
type Deed = (&'static str, &'static GuardPageAllocator<'static>, isize, bool, &'static str);

const DEEDS: [Deed; 5] = [
    ("write-behind", &OVERRUN, 96, false, "is 1 past the end of the live block"),
    ("read-behind", &OVERRUN, 96, false, "is 1 past the end of the live block"),
    ("write-before", &UNDERRUN, -1, false, "is 1 before the start of the live block"),
    ("write-freed", &OVERRUN, 95, true, "is at offset 95 of the freed block"),
    ("read-freed", &UNDERRUN, 0, true, "is at offset 0 of the freed block"),
];

/// Does the job of a child process: a deed, and whether faults are reported, and how.
#[test]
fn child() {
    let Some(job) = CHILD.job() else { return };
    let (deed, report) = job.split_once(' ').expect("a deed and a way");
    if deed == "the-limit" {
        return reach_the_limit();
    }
    let deed = DEEDS.into_iter().find(|known| known.0 == deed).expect("a deed");
    match report {
        "silent" => commit(deed),
        "for-ever" => {
            OVERRUN.report_faults().expect("there is room");
            UNDERRUN.report_faults().expect("there is room");
            UNDERRUN.report_faults().expect("once more changes nothing");
            commit(deed);
        }
        "twice" => {
            let both = deed.1.while_reporting_faults(|| {
                deed.1.while_reporting_faults(|| ()).expect("there is room");
                deed.1.report_faults().expect("there is room");
                commit(deed);
            });
            both.expect("there is room");
        }
        "meanwhile" => deed.1.while_reporting_faults(|| commit(deed)).expect("there is room"),
        "in-a-thread" => {
            OVERRUN.report_faults().expect("there is room");
            UNDERRUN.report_faults().expect("there is room");
            std::thread::spawn(move || commit(deed)).join().expect("it dies before");
        }
        "no-longer" => {
            deed.1.while_reporting_faults(|| ()).expect("there is room");
            commit(deed);
        }
        _ => panic!("no such way: {report}"),
    }
}

fn commit((name, allocator, offset, freed, _): Deed) {
    let others: Vec<NonNull<[u8]>> =
        (0..10).map(|_| allocator.allocate(BLOCK).expect("room")).collect();
    let block = allocator.allocate(BLOCK).expect("room").cast::<u8>();
    for block in others.into_iter().map(NonNull::cast).chain([block]) {
        // SAFETY: the blocks are live, and all of each may be touched.
        unsafe { block.write_bytes(1, BLOCK.size()) };
    }
    if freed {
        // SAFETY: the block is live. It is used again; that is the deed.
        unsafe { allocator.deallocate(block) };
    }
    println!("before the access to {block:p}");
    access(block, offset, name.starts_with("write"));
    println!("after the access");
    std::process::exit(0);
}

fn access(block: NonNull<u8>, offset: isize, write: bool) {
    let address = block.as_ptr().wrapping_offset(offset);
    if write {
        // SAFETY: none; that is the deed.
        unsafe { address.write_volatile(0) };
    } else {
        // SAFETY: none; that is the deed.
        core::hint::black_box(unsafe { address.read_volatile() });
    }
}

/// Does the deed and checks that the process died at the access and nowhere else.
fn outcome(deed: Deed, report: &str) -> Ended {
    let ended = CHILD.run(&format!("{} {report}", deed.0)).expect("a process can be started");
    let signal = ended.status.and_then(|status| status.signal());
    assert_eq!(signal, Some(SIGSEGV), "{} {report}: {ended:?}", deed.0);
    assert!(ended.stdout.contains("before the access"), "{ended:?}");
    assert!(!ended.stdout.contains("after the access"), "{ended:?}");
    ended
}

#[test]
fn a_stray_access_stops_the_process() {
    for deed in DEEDS {
        let ended = outcome(deed, "silent");
        assert!(!ended.stderr.contains("loligo"), "{ended:?}");
    }
}

#[test]
fn what_was_hit_is_told() {
    for (index, deed) in DEEDS.into_iter().enumerate() {
        let (name, allocator, _, freed, told) = deed;
        for report in ["for-ever", "meanwhile", "twice", "in-a-thread"] {
            if report != "for-ever" && index % 2 == 1 {
                continue;
            }
            let ended = outcome(deed, report);
            let line = ended.stderr.lines().find(|line| line.contains("loligo: fault"));
            let line = line.unwrap_or_else(|| panic!("{name} {report}: {ended:?}"));
            assert!(line.contains(&format!("`{}`", allocator.name())), "{line}");
            assert!(line.contains(told), "{line}");
            assert!(line.contains("of 96 bytes, allocated from tests/it/guard_page.rs"), "{line}");
            assert_eq!(line.contains("freed from tests/it/guard_page.rs"), freed, "{line}");
            assert_eq!(ended.stderr.matches("loligo: fault").count(), 1, "once: {ended:?}");
        }
        if index == 0 {
            let ended = outcome(deed, "no-longer");
            assert!(!ended.stderr.contains("loligo: fault"), "{ended:?}");
        }
    }
}
