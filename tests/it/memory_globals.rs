//! The root of a program's memory: what it hands out conforms, before `main` too, and a leak is
//! reported by name.

use loligo_allocators::{Allocator, MemoryGlobals, MemoryOptions, StaticHeap};
use loligo_tests::misuse::{Verdict, Wrong, verdict};
use loligo_tests::programs::{Plan, Space, run_shared, sample};
use loligo_tests::{Ended, Limits};

use crate::process::run;
use crate::subject::{Subject, Test, bytes};

/// Small regions and a small ring, so that both are outgrown.
const OPTIONS: MemoryOptions =
    MemoryOptions::new().with_heap_region_bytes(1 << 20).with_scratch_bytes(32 << 10);

const LIMITS: Limits =
    Limits { size_max: 16 << 20, align_max: 4096, ordered: false, ..Limits::growing() };

/// What a subsystem takes.
pub(crate) const SUBSYSTEM: Subject = Subject {
    name: "subsystem",
    // A proxy finds no wrong frees but those that are larger than all it has given out.
    reporter: |wrong| (wrong != Wrong::Leak).then_some("root/heap"),
    limits: Limits { lists: false, ..LIMITS },
    make: |test| with_root(&mut |globals| test(&globals.proxy("subsystem"))),
    misused: bytes(64, 16),
};

/// What is freed soon. It is the root that reports its leaks.
pub(crate) const ROOT_SCRATCH: Subject = Subject {
    name: "root/scratch",
    reporter: |_| None,
    limits: Limits { reclaims: false, ..LIMITS },
    make: |test| with_root(&mut |globals| test(globals.scratch_allocator())),
    misused: bytes(64, 16),
};

/// Runs a test on a new root and checks that everything is back in the boot heap.
fn with_root(test: &mut dyn FnMut(&MemoryGlobals<'_>)) {
    let boot = Box::new(StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("root"));
    let globals = MemoryGlobals::init(&*boot, &OPTIONS).expect("there is memory");
    test(&globals);
    globals.verify().expect("all are whole");
    drop(globals);
    assert_eq!(boot.stats().live, 0, "the boot heap has everything back");
}

#[test]
fn conforms() {
    SUBSYSTEM.conforms();
    ROOT_SCRATCH.conforms();
}

#[test]
fn runs_programs() {
    for subject in [SUBSYSTEM, ROOT_SCRATCH] {
        let limits = Limits { size_max: 64 << 10, ..subject.limits };
        Plan { cases: 60, ..Plan::new(limits) }.check(subject.make);
    }
}

#[test]
fn serves_several_threads() {
    let programs: Vec<_> = (0..4).map(|seed| sample(&Space::new(32, 12, 6), 2000, seed)).collect();
    with_root(&mut |globals| {
        let subsystem = globals.proxy("subsystem");
        run_shared(&subsystem, &SUBSYSTEM.limits, &programs).expect("the contract holds");
        run_shared(globals.scratch_allocator(), &ROOT_SCRATCH.limits, &programs)
            .expect("the contract holds");
    });
}

const BEFORE_MAIN: &str = env!("CARGO_BIN_EXE_loligo-tests-before-main");

#[test]
fn it_works_before_main() {
    let ended = run(BEFORE_MAIN, &["work"]);
    assert!(ended.succeeded(), "{}", ended.stderr);
    assert_eq!(ended.stdout, "made before main: [1, 2, 3]\nnothing is left\n");
}

#[test]
fn what_was_made_before_main_must_be_deleted() {
    let Ended { stdout, stderr, status } = run(BEFORE_MAIN, &["leak"]);
    assert!(!status.is_some_and(|status| status.success()), "it went on: {stdout}");
    assert!(stderr.contains("`program/heap` was dropped with 1 live block"), "{stderr}");
}

#[test]
fn a_double_free_is_found() {
    let ended = run(BEFORE_MAIN, &["double-free"]);
    assert_eq!(verdict(&ended, "program/heap"), Verdict::Detected, "{}", ended.stderr);
}

#[test]
fn the_example_tells_who_leaked() {
    let ended = run(env!("CARGO_BIN_EXE_loligo-tests-subsystem-tree"), &[]);
    assert!(ended.succeeded(), "{}", ended.stderr);
    let said = "the panic says: allocator `physics` was dropped with 1 live block of 16 bytes";
    assert!(ended.stdout.contains(said), "{}", ended.stdout);
    assert!(ended.stderr.contains("`boot/heap` was dropped with 1 live block"), "{}", ended.stderr);
}

/// As tests run in parallel: half of the threads forget a block, and no other thread reports it.
#[test]
fn roots_side_by_side_report_their_own_leaks() {
    let report = |test: Test<'_>| {
        let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            with_root(&mut |globals| test(&globals.proxy("subsystem")));
        }));
        caught.err().map(|panic| *panic.downcast::<String>().expect("a message"))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8_usize)
            .map(|thread| {
                scope.spawn(move || {
                    report(&mut |allocator| {
                        for turn in 0..100 {
                            let layout = bytes(16 + thread, 8);
                            let block = allocator.allocate(layout).expect("there is memory");
                            if turn == 50 && thread % 2 == 0 {
                                continue;
                            }
                            // SAFETY: the block is live and has this layout.
                            unsafe { allocator.deallocate_sized(block.cast(), layout) };
                        }
                    })
                })
            })
            .collect();
        for (thread, ran) in threads.into_iter().enumerate() {
            let report = ran.join().expect("the report was caught");
            assert_eq!(report.is_some(), thread % 2 == 0, "thread {thread}: {report:?}");
            assert!(report.is_none_or(|report| report.contains("`subsystem`")), "by its name");
        }
    });
}
