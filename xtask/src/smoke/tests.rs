//! Tests of looking at what was written.

use super::*;
use crate::packages;

#[test]
fn a_missing_file_or_word_is_found() {
    let path = workspace::target().join("xtask/test-smoke/replay.json");
    assert_eq!(holds(&path, &[]).expect_err("it is not there").status(), 1);
    packages::write(&path, b"{\"traces\":[]}").expect("the target folder can be written");
    holds(&path, &["\"traces\""]).expect("the word is there");
    assert_eq!(holds(&path, &["\"heap\""]).expect_err("the word is missing").status(), 1);
    fs::remove_dir_all(workspace::target().join("xtask/test-smoke")).expect("it can be removed");
}

#[test]
fn a_repository_without_a_trace_is_found() {
    assert_eq!(check(&Tree::default()).expect_err("there is no trace").status(), 1);
}
