//! Tests of the command that runs the suites.

use super::*;

#[test]
fn the_status_of_the_program_is_passed_on() {
    let status = |code| outcome(code).err().map_or(0, |failure| failure.status());
    assert_eq!(status(Some(0)), 0);
    assert_eq!(status(Some(RUN_FAILED)), 1);
    for code in [Some(2), Some(NOT_BUILT), None] {
        assert_eq!(status(code), 2, "{code:?}");
    }
}

#[test]
fn the_help_has_an_example_and_the_exit_status() {
    for part in ["Example:", "Exit status: 0", "--record DIR"] {
        assert!(USAGE.contains(part), "{part}");
    }
    assert!(run(&["--help".to_owned()]).is_ok());
}
