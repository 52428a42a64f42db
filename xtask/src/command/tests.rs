//! Tests of the running of other programs.

use super::*;

#[test]
fn a_program_that_is_there_answers_and_another_does_not() {
    assert!(answers("cargo"), "cargo runs this test");
    assert!(!answers("no-such-program-as-this"), "nothing bears that name");
}
