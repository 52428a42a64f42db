//! Tests of the command line.

use super::*;

fn code_of(arguments: &[&str]) -> ExitCode {
    run(&arguments.iter().map(|&part| part.to_owned()).collect::<Vec<_>>())
}

#[test]
fn the_command_line_is_sound() {
    Arguments::command().debug_assert();
    let mut command = Arguments::command();
    let help = command.render_long_help().to_string();
    assert!(help.contains("Example:") && help.contains("Exit status: 0"), "{help}");
    for (action, part) in [("run", "xmalloc-test"), ("compare", "--rounds <N>")] {
        let action = command.find_subcommand_mut(action).expect("there is one");
        let help = action.render_long_help().to_string();
        assert!(help.contains(part), "{part} in {help}");
    }
}

#[test]
fn what_is_not_understood_is_exit_status_2() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["run"],
        &["run", "larson", "nonsense"],
        &["run", "nonsense", "glibc"],
        &["run", "larson", "glibc", "--threads", "0"],
        &["compare", "larson", "--rounds", "0"],
        &["compare", "larson", "--heaps", "glibc,nonsense"],
    ] {
        assert_eq!(code_of(arguments), ExitCode::from(2), "{arguments:?}");
    }
    assert_eq!(code_of(&["--help"]), ExitCode::SUCCESS);
    assert_eq!(code_of(&["list"]), ExitCode::SUCCESS);
}

#[test]
fn a_process_that_fails_is_exit_status_1() {
    // The program that is started for a run is this one, the tests, which has no such command.
    let arguments = ["compare", "larson", "--heaps", "glibc", "--threads", "1", "--rounds", "1"];
    assert_eq!(code_of(&arguments), ExitCode::from(1));
}
