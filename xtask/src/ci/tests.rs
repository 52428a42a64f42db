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
fn an_unknown_step_names_the_known_ones() {
    for arguments in [["--skip", "nothing"].as_slice(), &["nothing"], &["--skip"], &["--fast"]] {
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
    run_steps(&parsed(&["examples"]).expect("it is right"), &project).expect("none to run");
}
