//! Programs under a guard, each in a process of its own: what stops them, and what does not.

use std::process::Command;

use loligo_allocators::GlobalGuard;
use loligo_tests::{Limits, conformance};

/// How a program ended: whether well, and what it wrote to standard output and error.
struct Run {
    is_well: bool,
    stdout: String,
    stderr: String,
}

fn run(program: &str, job: &[&str]) -> Run {
    let output = Command::new(program).args(job).output().expect("a process can be started");
    Run {
        is_well: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn child(job: &str) -> Run {
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
        let Run { is_well, stdout, stderr } = child(job);
        assert!(!is_well && stdout.is_empty(), "{job} went on: {stdout}{stderr}");
        assert!(stderr.contains("allocator `child-guard`: global allocation"), "{job}: {stderr}");
        assert!(stderr.contains(words), "{job}: {stderr}");
        assert!(stderr.contains("children/global_guard.rs"), "{job}, the stack: {stderr}");
    }
    let Run { stderr, .. } = child("allocate");
    assert!(stderr.contains("a_hidden_vec"), "the stack names the function: {stderr}");
}

#[test]
fn what_is_exempt_goes_on() {
    for job in ["free-allowed", "exempt", "panic"] {
        let Run { is_well, stdout, stderr } = child(job);
        assert!(is_well && stdout == "the process went on\n", "{job}: {stdout}{stderr}");
    }
    let Run { stderr, .. } = child("panic");
    assert!(stderr.contains("armed code panicked at 7"), "the panic is not hidden: {stderr}");
}

#[test]
fn a_handler_that_panics_does_not_unwind_through_the_allocator() {
    let Run { is_well, stdout, stderr } = child("handler");
    assert!(!is_well && stdout.is_empty(), "it went on: {stdout}{stderr}");
    assert!(stderr.contains("the handler got: allocator `child-guard`"), "{stderr}");
}

#[test]
fn violations_can_be_counted_instead() {
    let Run { is_well, stdout, stderr } = child("count");
    assert!(is_well, "{stderr}");
    assert_eq!(stdout, "1 + 1, 48 bytes\n");
}
