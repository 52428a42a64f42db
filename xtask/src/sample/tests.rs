//! Tests of looking at what was drawn.

use super::*;
use crate::packages;

#[test]
fn what_is_no_picture_is_found() {
    let folder = workspace::target().join("xtask/test-sample");
    let path = folder.join("yard.png");
    assert_eq!(holds_a_picture(&path).expect_err("it is not there").status(), 1);
    for (bytes, is_good) in [
        (b"\x89PNG".to_vec(), false),
        (vec![0; 60_000], false),
        ([b"\x89PNG".to_vec(), vec![7; 60_000]].concat(), true),
    ] {
        packages::write(&path, &bytes).expect("the target folder can be written");
        assert_eq!(holds_a_picture(&path).is_ok(), is_good, "{} bytes", bytes.len());
    }
    fs::remove_dir_all(folder).expect("it can be removed");
}
