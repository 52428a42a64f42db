//! The example in which the base subsystems work together: what it writes, and how it stops.

use std::process::Command;

#[path = "../../examples/base.rs"]
#[expect(dead_code, reason = "its `main` is for the command line")]
mod example;

/// Set for the child that is to fail.
const CHILD: &str = "LOLIGO_BASE_FOLDER";

#[test]
fn formulas_are_computed_by_tasks_and_the_trace_shows_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut out = Vec::new();
    example::run(example::SPARKS, folder.path(), &mut out).expect("the effect is sound");
    let out = String::from_utf8(out).expect("text");
    for channel in ["height: 0.833", "drift: ", "size: 0.02", "glow: 0.8"] {
        assert!(out.contains(channel), "{channel} in:\n{out}");
    }
    let json = std::fs::read_to_string(folder.path().join("trace.json")).expect("it was written");
    let trace: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list of events");
    let count = |name: &str, kind: &str| {
        events.iter().filter(|event| event["name"] == name && event["ph"] == kind).count()
    };
    assert_eq!(count("frame", "B"), 60, "each frame begins");
    for channel in ["channel 0", "channel 1", "channel 2", "channel 3"] {
        assert!(count(channel, "B") >= 60, "{channel} is computed in each frame");
        assert_eq!(count(channel, "B"), count(channel, "E"), "{channel} begins and ends");
    }
    assert_eq!(count("channel 4", "B"), 0, "there are four");
    assert_eq!(count("wind", "C"), 60, "a number for each frame");
}

#[test]
fn what_is_wrong_with_a_text_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = "sparks = 9 frames = 1 wind = \"1\" channels = { a = \"age\" }";
    for (from, to, said) in [
        ("frames = 1", "", "`frames` is to be a number from 1 to 1048575"),
        ("sparks = 9", "sparks = 0", "`sparks` is to be a number from 1 to 1048575"),
        ("\"age\"", "\"agge\"", "formula `a`: 1:1: nothing is called `agge`; is `age` meant?"),
        ("\"age\"", "7", "`a` is to be a formula in quotes"),
        ("channels", "chanels", "`channels` is missing"),
        ("}", "", "1:"),
    ] {
        let text = parts.replace(from, to);
        let error = example::run(&text, folder.path(), &mut Vec::new()).expect_err(&text);
        assert!(error.to_string().starts_with(said), "{text}: {error}");
    }
    example::run(parts, folder.path(), &mut Vec::new()).expect("as it was");
}

#[test]
fn child_that_fails() {
    let Some(folder) = std::env::var_os(CHILD) else {
        return; // Only as the child of the next test.
    };
    let ended = example::run(example::WRONG, folder.as_ref(), &mut Vec::new());
    panic!("the formula ends in no number, and the program went on: {ended:?}");
}

#[test]
fn a_formula_that_ends_in_no_number_stops_the_program_with_its_contexts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    child.args(["--exact", "base::child_that_fails", "--nocapture"]).env(CHILD, folder.path());
    let output = child.output().expect("it starts");
    assert!(!output.status.success(), "it stops");
    let said = String::from_utf8_lossy(&output.stderr);
    for line in [
        "base stops: this does not hold: value.is_finite()",
        "the formula gives NaN",
        "When computing channel: heat",
        "When looking at spark: ",
        "base::compute",
    ] {
        let line = line.trim_start_matches("base::");
        assert!(said.contains(line), "`{line}` in:\n{said}");
    }
    let entries = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("it is there"));
    let reports =
        entries.filter(|entry| entry.file_name().to_string_lossy().contains("crash")).count();
    assert_eq!(reports, 1, "the report is in the folder");
}
