//! Tests of choosing steps.

use super::*;
use crate::workspace::tests::{small_house, workspace};

fn parsed(arguments: &[&str]) -> Result<Request, Failure> {
    let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
    parse(&arguments)
}

#[test]
fn steps_are_chosen_and_left_out() {
    let request = parsed(&["--keep-going", "--skip", "test", "fmt", "tidy"]).expect("it is right");
    let expected = Request {
        keep_going: true,
        skipped: vec!["test".into()],
        only: vec!["fmt".into(), "tidy".into()],
        ..Request::default()
    };
    assert_eq!(request, expected);
}

#[test]
fn a_slow_step_is_not_begun_that_would_end_too_late() {
    let request = parsed(&["--seconds", "3600"]).expect("it is right");
    let why = "on a machine half as fast it takes 1200 s";
    assert!(request.has_time(2400, 600) && !request.has_time(2401, 600), "{why}");
    assert!(parsed(&[]).expect("it is right").has_time(90_000, 600), "unless it is asked for");
    for wrong in [&["--seconds"][..], &["--seconds", "fast"], &["--seconds", "-5"]] {
        assert!(parsed(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_fast_run_has_the_unit_tests_and_a_whole_one_has_them_among_all() {
    let wanted = |arguments: &[&str]| {
        let request = parsed(arguments).expect("it is right");
        let names = STEPS.iter().map(|step| step.name).filter(|name| request.wants(name));
        names.collect::<Vec<_>>()
    };
    assert_eq!(wanted(&["--fast"]), ["unit", "fmt", "locks", "tidy", "clippy"]);
    assert_eq!(wanted(&["--fast", "--skip", "clippy", "loom"]).len(), 5, "and what is named");
    let all = wanted(&[]);
    assert!(!all.contains(&"unit") && all.len() == STEPS.len() - 1, "{all:?}");
    assert_eq!(wanted(&["unit"]), ["unit"]);
    assert!(FAST.iter().all(|name| step_name(name).is_ok()), "each is a step");
}

#[test]
fn an_unknown_step_names_the_known_ones() {
    for arguments in [["--skip", "nothing"].as_slice(), &["nothing"], &["--skip"], &["--quick"]] {
        let failure = parsed(arguments).expect_err("there is no such step");
        assert_eq!(failure.status(), 2);
        assert!(failure.to_string().contains("clippy"), "{failure}");
    }
}

#[test]
fn every_lock_file_is_looked_at() {
    let mut tree = small_house();
    tree.insert("Cargo.lock", Vec::new());
    tree.insert("fuzz/Cargo.lock", Vec::new());
    assert!(lock_folders(&tree).eq(["", "fuzz/"]));
}

#[test]
fn a_step_that_fails_fails_the_whole() {
    let tree = small_house();
    let workspace = workspace(&tree);
    let project = Project { tree, workspace };
    // The small house has no recorded trace and no examples.
    let failure = run_steps(&parsed(&["replay"]).expect("it is right"), &project);
    assert_eq!(failure.expect_err("there is no trace").status(), 1);
    run_steps(&parsed(&["--within", "examples"]).expect("it is right"), &project)
        .expect("none to run");
}
