//! Tests of the running of other programs.

use super::*;

#[test]
fn a_program_that_is_there_answers_and_another_does_not() {
    assert!(answers("cargo"), "cargo runs this test");
    assert!(!answers("no-such-program-as-this"), "nothing bears that name");
}

#[test]
fn cargo_is_silent_only_where_nobody_watches() {
    let mut command = Command::new("cargo");
    let quiet = quiet_unless_watched(&mut command)
        .get_envs()
        .any(|(key, value)| key == "CARGO_TERM_QUIET" && value == Some(OsStr::new("true")));
    assert_eq!(quiet, !std::io::stderr().is_terminal());
}

/// What is built with `--quiet` is silent for minutes: such builds go through [`build`].
#[test]
fn the_fuzz_targets_are_not_built_in_silence() {
    let builder = crate::fuzz::builder(Path::new("."), Path::new("target"));
    assert!(builder.get_args().all(|argument| argument != "--quiet"), "{builder:?}");
}

/// Cargo hands its own `--quiet` on to test programs, which refuse the second.
#[test]
#[should_panic(expected = "it is added here")]
fn what_cargo_hands_on_is_not_given_twice() {
    let mut command = Command::new("cargo");
    let _ = build(command.args(["test", "--", "--quiet"]), "nothing");
}
