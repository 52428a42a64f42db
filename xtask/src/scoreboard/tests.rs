//! Tests of the arguments.

use super::*;

fn status(arguments: &[&str]) -> Option<u8> {
    let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
    check(&arguments).err().map(|failure| failure.status())
}

#[test]
fn rows_and_a_file_are_taken() {
    assert_eq!(status(&[]), None);
    assert_eq!(
        status(&["pool/churn64", "--json", "rows.json", "frame"]),
        None
    );
}

#[test]
fn anything_else_is_refused() {
    assert_eq!(status(&["--json"]), Some(2));
    assert_eq!(status(&["--rounds"]), Some(2));
}
