//! Tests of the names of files.

use super::*;

#[test]
fn files_are_named_after_the_program_and_the_process() {
    assert_eq!(default_path(&"/usr/bin/git".into()), Path::new("git.altrace.zst"));
    for (path, child) in [
        ("a/make.altrace.zst", "a/make.7.altrace.zst"),
        ("make.altrace", "make.7.altrace"),
        ("make.zst", "make.7.zst"),
        ("make", "make.7"),
    ] {
        assert_eq!(child_path(Path::new(path), 7), Path::new(child));
    }
}

#[test]
fn when_a_recording_begins_is_read() {
    assert_eq!(parse_after("mark=100"), Ok(After::Mark(100)));
    assert_eq!(parse_after("event=5"), Ok(After::Events(5)));
    assert_eq!(parse_after("2.5s"), Ok(After::Time(Duration::from_millis(2500))));
    for wrong in ["", "5", "s", "-1s", "NaNs", "1e300s", "mark", "mark=", "mark=-1", "event=x"] {
        let message = parse_after(wrong).expect_err(wrong);
        assert!(message.contains("give `mark=N`") || message.contains("is no number"), "{message}");
    }
}
