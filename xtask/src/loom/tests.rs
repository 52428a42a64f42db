//! Tests of reading what the models say.

use super::*;

fn lines(output: &str) -> Vec<String> {
    said(output)
}

#[test]
fn only_the_lines_of_models_are_kept() {
    let output = "running 2 tests\n\
        test a ... loom: shared_pool::b: 12 interleavings at preemption bound 3\n\
        loom: shared_frame::a: the planted Relaxed is caught: no\ntest b ... ok\n";
    let expected = [
        "shared_frame::a: the planted Relaxed is caught: no",
        "shared_pool::b: 12 interleavings at preemption bound 3",
    ];
    assert_eq!(lines(output), expected);
}

#[test]
fn a_structure_without_a_model_or_a_fault_is_found() {
    let whole: Vec<_> = STRUCTURES
        .iter()
        .flat_map(|name| {
            [format!("{name}::a: 9 interleavings"), format!("{name}::a: the planted X is caught")]
        })
        .collect();
    complete(&whole).expect("each has both");
    for left_out in 0..whole.len() {
        let mut some = whole.clone();
        some.remove(left_out);
        assert_eq!(complete(&some).expect_err("one is missing").status(), 1);
    }
    assert!(complete(&[]).is_err(), "nothing was explored");
}

#[test]
fn bad_arguments_are_told() {
    for arguments in [&["--fast"][..], &["a", "b"]] {
        let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(run(&arguments).expect_err("there is no such option").status(), 2);
    }
}
