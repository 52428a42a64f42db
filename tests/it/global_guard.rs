//! Programs under a guard, each in its own process: what stops them, and what does not.

use loligo_allocators::GlobalGuard;
use loligo_tests::{Ended, Limits, conformance};

use crate::process::run;

fn child(job: &str) -> Ended {
    run(env!("CARGO_BIN_EXE_loligo-tests-global-guard"), &[job])
}

#[test]
fn a_disarmed_guard_conforms() {
    let limits = Limits { size_max: 1 << 20, align_max: 4096, ..Limits::growing() };
    let guard = GlobalGuard::new("guard", std::alloc::System);
    conformance::global_alloc(&limits, |test| test(&guard));
    assert_eq!(guard.violations().allocations, 0, "nobody was armed");
}

#[test]
fn armed_code_is_stopped_with_its_stack() {
    let jobs = [
        ("allocate", "it asked for 48 bytes aligned to 1"),
        ("zeroed", "it asked for 48 bytes aligned to 1"),
        ("grow", "it resized 32 bytes to 328"),
        ("free", "it freed 32 bytes"),
        ("another-thread", "it asked for 48 bytes aligned to 1"),
    ];
    for (job, words) in jobs {
        let Ended { stdout, stderr, status } = child(job);
        let is_well = status.is_some_and(|status| status.success());
        assert!(!is_well && stdout.is_empty(), "{job} went on: {stdout}{stderr}");
        assert!(stderr.contains("allocator `child-guard`: global allocation"), "{job}: {stderr}");
        assert!(stderr.contains(words), "{job}: {stderr}");
        assert!(
            stderr.contains("`child-guard` was reached by armed code"),
            "{job}, said first: {stderr}"
        );
        assert!(stderr.contains("children/global_guard.rs"), "{job}, the stack: {stderr}");
    }
    let Ended { stderr, .. } = child("allocate");
    assert!(stderr.contains("a_hidden_vec"), "the stack names the function: {stderr}");
}

#[test]
fn what_is_exempt_goes_on() {
    for job in ["free-allowed", "exempt", "panic"] {
        let Ended { stdout, stderr, status } = child(job);
        let is_well = status.is_some_and(|status| status.success());
        assert!(is_well && stdout == "the process went on\n", "{job}: {stdout}{stderr}");
    }
    let Ended { stderr, .. } = child("panic");
    assert!(stderr.contains("armed code panicked at 7"), "the panic is not hidden: {stderr}");
}

#[test]
fn a_handler_that_panics_does_not_unwind_through_the_allocator() {
    let ended = child("handler");
    assert!(!ended.succeeded() && ended.stdout.is_empty(), "it went on: {ended:?}");
    let said = "the handler got: allocator `child-guard`";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
}

#[test]
fn violations_can_be_counted_instead() {
    let ended = child("count");
    assert!(ended.succeeded(), "{}", ended.stderr);
    assert_eq!(ended.stdout, "1 + 1, 48 bytes\n");
}

#[test]
fn a_thousand_frames_make_no_global_allocation() {
    let ended = run(env!("CARGO_BIN_EXE_loligo-tests-frame-without-global-heap"), &[]);
    assert!(ended.succeeded(), "{}", ended.stderr);
    let last: Vec<&str> = ended.stdout.lines().rev().take(2).collect();
    assert!(last[1].starts_with("1000 frames,"), "{}", ended.stdout);
    assert!(last[1].ends_with("no global allocation"), "{}", ended.stdout);
    assert_eq!(
        last[0],
        "instead: 2000 from the frame, 12000 from the pool, 1000 from scratch memory"
    );
}

#[test]
fn a_hidden_vec_is_shown_with_its_stack() {
    let ended = run(env!("CARGO_BIN_EXE_loligo-tests-hidden-vec"), &[]);
    assert!(ended.succeeded(), "{}", ended.stderr);
    assert!(ended.stdout.contains("counted: 1 allocation of 32 bytes, 1 free"), "{}", ended.stdout);
    let mut lines = ended.stdout.lines();
    let is_shown = lines.any(|line| line.contains("median at hidden_vec.rs:"));
    assert!(is_shown, "{}", ended.stdout);
}
