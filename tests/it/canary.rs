//! The canary: conformance, programs, and writes around blocks in processes of their own.

use core::alloc::Layout;

use loligo_allocators::{Allocator, CanaryAllocator, FillAllocator, PoolAllocator};
use loligo_tests::misuse::{Verdict, Wrong, commit, verdict};
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Child, Limits, conformance};

use crate::subject::{Subject, Test, bytes, over_buddy, over_heap, over_pool, tests_of};

pub(crate) const CANARY: Subject = Subject {
    name: "canary",
    reporter: |_| None,
    limits: Limits { ordered: false, ..Limits::region(256 << 10) },
    make: |test| {
        over_heap(|memory| test(&CanaryAllocator::new_in("canary", memory)));
    },
    misused: bytes(64, 16),
};

/// The test that does the deeds.
const CHILD: Child = Child::new("canary::child");

/// A block of the pools.
const NODE: Layout = bytes(40, 8);

/// What a canary over a pool of such blocks serves.
const NODES: Limits = Limits { ordered: false, ..Limits::fixed(NODE, None) };

tests_of! {
    CANARY, 150, "regressions/canary.txt";
}

#[test]
fn composes_over_any_other() {
    let over_nodes = |test: Test<'_>| {
        let block = CanaryAllocator::layout_for(NODE);
        over_pool(block, |pool| test(&CanaryAllocator::new_in("canary", pool)));
    };
    conformance::allocator(&NODES, over_nodes);
    conformance::allocator(&NODES, |test| {
        over_pool(CanaryAllocator::layout_for(CanaryAllocator::layout_for(NODE)), |pool| {
            let inner = CanaryAllocator::new_in("inner", pool);
            test(&CanaryAllocator::new_in("outer", &inner));
        });
    });
    let region = Limits { ordered: false, align_max: 4096, ..Limits::region(256 << 10) };
    conformance::allocator(&region, |test| {
        over_buddy(|buddy| {
            let fill = FillAllocator::new_in("fill", &buddy);
            test(&CanaryAllocator::new_in("canary", &fill));
        });
    });
    let plan = Plan { cases: 60, regressions: Some("regressions/canary.txt"), ..Plan::new(NODES) };
    plan.check(over_nodes);
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(40, 10, 5), 200, 5);
    conformance::exhaustion(&CANARY.limits, 256 << 10, &program, |backing, test| {
        test(&CanaryAllocator::new_in("canary", backing));
    });
    let program = sample(&Space::new(60, 6, 3), 200, 6);
    conformance::exhaustion(&NODES, 256 << 10, &program, |backing, test| {
        let pool = PoolAllocator::new_in("pool", CanaryAllocator::layout_for(NODE), backing);
        test(&CanaryAllocator::new_in("canary", &pool));
    });
}

/// Does the job of a child process: the deed, and whether frees name the size.
#[test]
fn child() {
    let Some(job) = CHILD.job() else { return };
    let parts: Vec<&str> = job.split(' ').collect();
    let Some(wrong) = Wrong::by_name(parts[0]) else { panic!("no such job: {job}") };
    (CANARY.make)(&mut |allocator: &dyn Allocator| {
        commit(wrong, parts[1] == "sized", allocator, CANARY.misused);
    });
}

/// What must be found, and by which name.
const FOUND: [(Wrong, &[&str]); 12] = [
    (Wrong::DoubleFree, &["double free"]),
    (Wrong::DoubleFreeLater, &["double free"]),
    (Wrong::DoubleFreeMerged, &["double free", "foreign free", "interior free"]),
    (Wrong::ForeignFree, &["foreign free"]),
    (Wrong::InteriorFree, &["interior free"]),
    (Wrong::OddFree, &["interior free"]),
    (Wrong::WrongSize, &["wrong size"]),
    (Wrong::Leak, &["with 1 live block"]),
    (Wrong::OverflowByte, &["overrun"]),
    (Wrong::Overflow32, &["overrun"]),
    (Wrong::UnderflowByte, &["underrun"]),
    (Wrong::Underflow32, &["underrun"]),
];

#[test]
fn every_wrong_use_is_found_and_named() {
    let mut wrongs = Vec::new();
    for (wrong, words) in FOUND {
        for sized in ["sized", "plain"] {
            if wrong == Wrong::WrongSize && sized == "plain" {
                continue;
            }
            let ended = CHILD.run(&format!("{wrong:?} {sized}")).expect("a process can be started");
            let verdict = verdict(&ended, CANARY.name);
            let said = &ended.stderr;
            let worded = words.iter().any(|word| said.contains(word));
            if verdict != Verdict::Detected || !worded {
                wrongs.push(format!("{wrong:?} {sized}: {verdict}: {said}"));
            }
        }
    }
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}
