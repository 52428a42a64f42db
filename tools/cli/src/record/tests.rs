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
