//! Failing programs made small, and what is printed of them: a test that fails.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use loligo_tests::Child;
use loligo_tests::programs::AllocatorOp::{Allocate, Check, Free, FreeSized, Reallocate};
use loligo_tests::programs::{
    ModelOp, RingOp, Space, Step, ops_to_bytes, over_heap, run_faulty_ring, sample,
};
use loligo_tests::shrink::{Case, Subject, model_test, run_on, shrink, shrink_in_children, work};

/// What was printed for an allocator with a planted fault, without the first line, which would make
/// it a separate test; the same below.
const OF_ALLOCATOR: &str = include_str!("shrink/allocator.txt");

/// The same of a container.
const OF_CONTAINER: &str = include_str!("shrink/container.txt");

mod pasted {
    //! The printed tests, as they were pasted.

    include!("shrink/allocator.txt");
    include!("shrink/container.txt");

    pub(super) const TESTS: [fn(); 2] = [faulty_loseslastbyte_is_broken, ring_differs];
}

const CHILD: Child = Child::new("shrink::child");

/// Does the jobs of the tests below. A program with a reallocation crashes where `crashing` is
/// planted.
#[test]
fn child() {
    let Some(job) = CHILD.job() else { return };
    let path = job.rsplit(' ').next().unwrap_or_default();
    let bytes = std::fs::read(path).expect("the program was written");
    // Records of sixteen bytes, the kind first.
    let kinds: Vec<u8> = bytes.chunks(16).map(|record| record[0]).collect();
    if job.starts_with("allocator naive ") && kinds.contains(&5) && kinds.contains(&3) {
        std::process::abort();
    }
    work(&CHILD);
}

fn faulty_case() -> Case {
    let on = Subject::named("faulty:LosesLastByte").expect("there is such a fault");
    Case::Allocator { on, program: sample(&Space::new(20, 12, 6), 300, 11) }
}

fn assert_printed(test: &str, expected: &str) {
    println!("{test}");
    assert!(test.lines().count() <= 10, "it has {} lines", test.lines().count());
    assert_eq!(test, format!("#[test]\n{expected}"), "what is printed and what was pasted");
}

#[test]
fn a_faulty_allocator_ends_in_a_short_test() {
    let case = faulty_case();
    let mut why = case.run().expect_err("the fault shows");
    let small = case.shrink(&mut |case| match case.run() {
        Err(now) if now.starts_with("Contents") => {
            why = now;
            true
        }
        _ => false,
    });
    assert_printed(&small.as_test(&why), OF_ALLOCATOR);
}

#[test]
fn a_faulty_container_ends_in_a_short_test() {
    let step = |kind: u8| Step { kind: kind.wrapping_mul(37), count: kind, which: 9, at: 700 };
    let program: Vec<RingOp> = (0..200).map(|kind| RingOp::of(step(kind / 2))).collect();
    let run = |program: &[RingOp]| over_heap(0, |memory| run_faulty_ring(program, memory)).err();
    let small = shrink(program, &mut |program| run(program).is_some());
    let why = run(&small).expect("it fails still").to_string();
    let test = model_test::<RingOp>("ring", "run_faulty_ring(&program, memory)", 0, &small, &why);
    assert_printed(&test, OF_CONTAINER);
}

#[test]
fn the_printed_tests_fail() {
    for test in pasted::TESTS {
        assert!(catch_unwind(AssertUnwindSafe(test)).is_err(), "a printed test passes");
    }
}

#[test]
fn programs_are_made_small_in_children() {
    let program = vec![
        Allocate { slot: 5, size: 10, align: 1 },
        Allocate { slot: 3, size: 900, align: 64 },
        Check,
        Reallocate { slot: 3, size: 2000, align: 64, share: 9 },
        Allocate { slot: 4, size: 10, align: 1 },
        Check,
        Free { slot: 4 },
        FreeSized { slot: 3, share: 200 },
    ];
    let case = |name| Case::Allocator {
        on: Subject::named(name).expect("there is such an allocator"),
        program: program.clone(),
    };
    let crashed = shrink_in_children(&case("naive"), &CHILD).expect("the system has processes");
    let crashed = crashed.expect("it crashes");
    println!("{crashed}");
    assert!(crashed.why.contains("it crashes"), "{}", crashed.why);
    assert_eq!(crashed.case.len(), 2, "a reallocation and a free with a size");

    let broken = shrink_in_children(&case("faulty:AlignsTo16"), &CHILD);
    let broken = broken.expect("the system has processes").expect("it is broken");
    assert!(broken.why.starts_with("Alignment"), "{}", broken.why);
    assert_eq!(broken.case.len(), 2, "a block, and one that must be aligned after it: {broken}");

    let sound = shrink_in_children(&case("heap"), &CHILD).expect("the system has processes");
    assert!(sound.is_none(), "the heap runs it well");
}

#[test]
fn what_cannot_be_shrunk_says_why() {
    let unknown = Case::from_input("json", &[]).expect_err("a reader makes no programs");
    assert!(unknown.to_string().contains("no family is called `json`"), "{unknown}");
    assert!(unknown.to_string().contains("minimize_crash"), "{unknown}");
    let short = Case::from_input("id_table", &[7]).expect("there is such a family");
    assert!(short.is_none(), "a byte is less than what precedes a program");
    let broken = run_on("hepa", &[]).expect_err("there is no such allocator");
    assert!(broken.to_string().contains("no allocator is called `hepa`"), "{broken}");
    assert_eq!(
        Subject::named("canary/slab").map(|it| it.to_string()).as_deref(),
        Some("canary/slab")
    );
    assert_eq!(Subject::named("slab/canary"), None);
}

#[test]
fn an_input_of_a_fuzz_target_runs_as_the_target_does() {
    let head = [200, 5];
    let program: Vec<RingOp> =
        (0..32).map(|kind| RingOp::of(Step { kind, ..Step::default() })).collect();
    for target in ["id_table", "ring", "wrappers", "heap"] {
        let input = [&head[..], &ops_to_bytes(&program)].concat();
        let case = Case::from_input(target, &input).expect("a family").expect("long enough");
        assert!(case.run().is_ok(), "{target}: {:?}", case.run());
    }
    let found = Case::from_input(
        "canary",
        &loligo_tests::programs::to_bytes(&sample(&Space::new(20, 12, 6), 300, 11)),
    );
    let found = found.expect("a family").expect("long enough");
    assert!(found.run().is_err(), "the canary's fault is found");
}
