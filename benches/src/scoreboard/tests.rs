//! Tests of the command line.

use super::*;

fn code_of(arguments: &[&str]) -> ExitCode {
    run(&arguments.iter().map(|&part| part.to_owned()).collect::<Vec<_>>())
}

#[test]
fn the_command_line_is_sound() {
    Arguments::command().debug_assert();
    let help = Arguments::command().render_long_help().to_string();
    for part in ["Example:", "--json <FILE>", "--record <DIR>", "[ROW]..."] {
        assert!(help.contains(part), "{part} in {help}");
    }
    assert!(!help.contains("--counted"), "{help}");
}

#[test]
fn what_cannot_be_measured_is_exit_status_2() {
    for arguments in [
        &["no/such/row"][..],
        &["--rounds", "8", "heap/fill"],
        &["--nonsense"],
        &["--json", "no/such/folder/file.json", "heap/fill"],
    ] {
        assert_eq!(code_of(arguments), ExitCode::from(2), "{arguments:?}");
    }
    assert_eq!(code_of(&["--help"]), ExitCode::SUCCESS);
    assert_eq!(code_of(&["--list", "heap/"]), ExitCode::SUCCESS);
}

#[test]
fn a_row_that_is_counted_is_written_out() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("rows.json");
    let path = file.display().to_string();
    assert_eq!(code_of(&["--json", &path, "heap/fill"]), ExitCode::SUCCESS);
    let text = fs::read_to_string(file).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let row = &document["rows"][0];
    assert_eq!(row["row"], "heap/fill");
    let share = row["ours"].as_f64().expect("it was measured");
    assert!(share > 0.5 && share < 1.0, "{share} of the region");
}
