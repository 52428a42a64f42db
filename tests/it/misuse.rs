//! Wrong frees and leaks, each in its own process, and what became of them.

use loligo_allocators::Allocator;
use loligo_tests::misuse::{Verdict, Wrong, commit, verdict};
use loligo_tests::models::{Fault, FaultyAllocator, NaiveAllocator};
use loligo_tests::{Child, Limits};

use crate::buddy::BUDDY;
use crate::frame::{FRAME, GROWING_FRAME};
use crate::from_allocator_api2::FROM_ALLOCATOR_API2;
use crate::from_global::FROM_GLOBAL;
use crate::guard_page::GUARD_PAGE;
use crate::heap::{HEAP, HEAP_IN_REGION, HEAP_LARGE};
use crate::locked::LOCKED;
use crate::memory_globals::{ROOT_SCRATCH, SUBSYSTEM};
use crate::page::PAGE;
use crate::pool::{POOL, POOL_IN_REGION};
use crate::proxy::PROXY;
use crate::quarantine::QUARANTINE;
use crate::scratch::{SCRATCH, SCRATCH_FALLEN, SCRATCH_IN_REGION};
use crate::shared_frame::SHARED_FRAME;
use crate::shared_pool::{SHARED_POOL, SHARED_POOL_IN_REGION};
use crate::shared_proxy::SHARED_PROXY;
use crate::slab::{SLAB, SLAB_LARGE};
use crate::static_heap::STATIC_HEAP;
use crate::subject::{Subject, bytes};
use crate::system::SYSTEM;
use crate::temp::TEMP;
use crate::trace::TRACE;

/// The test that does the deeds.
const CHILD: Child = Child::new("misuse::child");

/// Bytes of the reference allocators.
const BYTES: usize = 64 << 10;

/// The reference, which finds every wrong free.
const NAIVE: Subject = Subject {
    name: "naive",
    reporter: |_| None,
    limits: Limits::region(BYTES),
    make: |test| test(&NaiveAllocator::new("naive", BYTES)),
    misused: bytes(64, 16),
};

/// One that looks away: its wrong frees must not be taken for found.
const CARELESS: Subject = Subject {
    name: "faulty",
    reporter: |_| None,
    limits: Limits::region(BYTES),
    make: |test| test(&FaultyAllocator::new(Fault::IgnoresWrongFrees, BYTES)),
    misused: bytes(64, 16),
};

/// Our allocators, which must find every wrong free.
const OURS: &[Subject] = &[
    BUDDY,
    POOL,
    POOL_IN_REGION,
    HEAP,
    HEAP_IN_REGION,
    HEAP_LARGE,
    SLAB,
    SLAB_LARGE,
    STATIC_HEAP,
    LOCKED,
    PAGE,
    FRAME,
    GROWING_FRAME,
    PROXY,
    SCRATCH,
    SCRATCH_IN_REGION,
    SCRATCH_FALLEN,
    SHARED_FRAME,
    SHARED_POOL,
    SHARED_POOL_IN_REGION,
    SHARED_PROXY,
    SUBSYSTEM,
    ROOT_SCRATCH,
    TRACE,
    TEMP,
    QUARANTINE,
    GUARD_PAGE,
    SYSTEM,
    FROM_GLOBAL,
    FROM_ALLOCATOR_API2,
];

fn subject(name: &str) -> Option<Subject> {
    OURS.iter().chain(&[NAIVE, CARELESS]).find(|subject| subject.name == name).copied()
}

/// Does the job of a child process: allocator, deed, and whether frees name the size.
#[test]
fn child() {
    let Some(job) = CHILD.job() else { return };
    let parts: Vec<&str> = job.split(' ').collect();
    let (Some(subject), Some(wrong)) = (subject(parts[0]), Wrong::by_name(parts[1])) else {
        panic!("no such job: {job}");
    };
    let sized = parts[2] == "sized";
    (subject.make)(&mut |allocator: &dyn Allocator| {
        commit(wrong, sized, allocator, subject.misused);
    });
}

/// What became of a deed, and what was said.
fn outcome(subject: &Subject, wrong: Wrong, sized: bool) -> (Verdict, String) {
    let free = if sized { "sized" } else { "plain" };
    let job = format!("{} {wrong:?} {free}", subject.name);
    let ended = CHILD.run(&job).expect("a process can be started");
    let reporter = (subject.reporter)(wrong).unwrap_or(subject.name);
    (verdict(&ended, reporter), ended.stderr)
}

/// The words that a report of this deed must hold.
fn words(wrong: Wrong) -> &'static [&'static str] {
    match wrong {
        Wrong::DoubleFree | Wrong::DoubleFreeLater => &["double free"],
        // Merged with its neighbours, the block may be the inside of a greater free one.
        Wrong::DoubleFreeMerged => &["double free", "foreign free", "interior free"],
        Wrong::ForeignFree => &["foreign free"],
        Wrong::InteriorFree | Wrong::OddFree => &["interior free", "foreign free", "double free"],
        Wrong::WrongSize => &["wrong size"],
        Wrong::Leak => &["with 1 live block"],
        _ => &[],
    }
}

/// What must be found in each of our allocators.
const FOUND: [Wrong; 7] = [
    Wrong::DoubleFree,
    Wrong::DoubleFreeLater,
    Wrong::DoubleFreeMerged,
    Wrong::ForeignFree,
    Wrong::InteriorFree,
    Wrong::OddFree,
    Wrong::Leak,
];

#[test]
fn ours_find_every_wrong_free() {
    let mut wrongs = Vec::new();
    for subject in OURS.iter().chain(&[NAIVE]) {
        for wrong in FOUND.into_iter().chain([Wrong::WrongSize]) {
            if wrong == Wrong::Leak && !subject.limits.reports_leaks {
                continue;
            }
            for sized in [false, true] {
                let (verdict, said) = outcome(subject, wrong, sized);
                let free = if sized { "sized" } else { "plain" };
                println!("{:<14}{:<18}{free:<7}{verdict}", subject.name, format!("{wrong:?}"));
                let worded = words(wrong).iter().any(|word| said.contains(word));
                // The site reaches through `&dyn Allocator`, where an allocator keeps it.
                let placed = !said.contains("called from") || said.contains("src/misuse.rs");
                let verdict = if placed { verdict } else { Verdict::CrashedElsewhere };
                if verdict != Verdict::Detected || !worded {
                    wrongs.push(format!(
                        "{} {wrong:?} sized: {sized}: {verdict}: {said}",
                        subject.name
                    ));
                }
            }
        }
    }
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}

#[test]
fn a_careless_allocator_is_seen_to_survive() {
    for wrong in [Wrong::DoubleFree, Wrong::ForeignFree, Wrong::InteriorFree] {
        assert_eq!(outcome(&CARELESS, wrong, false).0, Verdict::Survived, "{wrong:?}");
    }
}

/// Writes past a block cannot mislead an allocator that keeps nothing in its blocks; where free
/// blocks contain links they must at least be noticed. Nothing may crash.
#[test]
fn stray_writes_do_not_crash_ours() {
    let mut table = String::new();
    let mut crashed = Vec::new();
    // What becomes of a stray write into the system's heap is the C library's to say.
    let of_system = [SYSTEM.name, FROM_GLOBAL.name, FROM_ALLOCATOR_API2.name];
    for subject in OURS.iter().filter(|subject| !of_system.contains(&subject.name)) {
        for wrong in Wrong::ALL.into_iter().filter(|wrong| !FOUND.contains(wrong)) {
            let (verdict, said) = outcome(subject, wrong, true);
            table.push_str(&format!("{:<14}{:<18}{verdict}\n", subject.name, format!("{wrong:?}")));
            // A MiB of stray bytes is more than a region here holds, so it destroys what is not
            // ours.
            let destroys = matches!(wrong, Wrong::OverflowMany | Wrong::UnderflowMany);
            // What is next to a page, and where one was that is freed, the system decides: another
            // mapping, none, or the guard of a thread's stack, which std reports as an overflow.
            let of_page = subject.name == PAGE.name;
            // Guard pages are there to be hit.
            let guarded = subject.name == GUARD_PAGE.name;
            let stopped = verdict == Verdict::Stopped && !guarded;
            if !destroys && !of_page && (stopped || verdict == Verdict::CrashedElsewhere) {
                crashed.push(format!("{} {wrong:?}: {said}", subject.name));
            }
        }
    }
    println!("{table}");
    assert!(crashed.is_empty(), "{}", crashed.join("\n"));
}
