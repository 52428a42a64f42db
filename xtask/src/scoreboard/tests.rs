//! Tests of what decides which peers are there.

use super::*;

#[test]
fn a_program_that_is_there_answers_and_another_does_not() {
    assert!(answers("cargo"), "cargo runs this test");
    assert!(!answers("no-such-program-as-this"), "nothing bears that name");
}
