//! Whole programs over our allocators as the global one, each in its own process.

use std::process::{Command, Output};

use loligo_tests::Ended;
use loligo_tests::misuse::{Verdict, verdict};

const THREADS: &str = env!("CARGO_BIN_EXE_loligo-tests-global-threads");
const CHILDREN: [(&str, &str); 3] = [
    ("global-heap", env!("CARGO_BIN_EXE_loligo-tests-global-heap")),
    ("global-static", env!("CARGO_BIN_EXE_loligo-tests-global-static")),
    ("global-threads", THREADS),
];

fn run(program: &str, job: &str) -> Ended {
    let output = Command::new(program).args(job.split(' ')).output();
    let Output { status, stdout, stderr } = output.expect("a process can be started");
    Ended {
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        status: Some(status),
    }
}

#[test]
fn threads_and_collections_work() {
    let mut worked = Vec::new();
    for (name, program) in CHILDREN {
        let ended = run(program, "work");
        assert!(ended.succeeded(), "{name}: {}", ended.stderr);
        worked.push(ended.stdout);
    }
    assert!(worked[0].starts_with("worked "), "{worked:?}");
    assert!(worked.iter().all(|said| *said == worked[0]), "all come to one number: {worked:?}");
}

#[test]
fn a_double_free_is_found() {
    for (name, program) in CHILDREN {
        let ended = run(program, "double-free");
        assert_eq!(verdict(&ended, name), Verdict::Detected, "{name}: {}", ended.stderr);
    }
}

#[test]
fn a_heap_for_each_thread_serves_a_whole_program() {
    for job in ["destructors", "threads 2000"] {
        let ended = run(THREADS, job);
        assert!(ended.succeeded(), "{job}: {}", ended.stderr);
    }
}

#[test]
fn children_of_a_program_whose_threads_allocate_go_on() {
    for program in [THREADS, CHILDREN[0].1] {
        let ended = run(program, "forks 200");
        assert!(ended.succeeded(), "{program}: {}", ended.stderr);
    }
}
