//! Tests of reading the files.

use super::*;

#[test]
fn a_folder_is_a_path_and_no_file() {
    let mut tree = Tree::default();
    tree.insert("a/b.rs", b"//! b".to_vec());
    assert!(tree.has_path("a"));
    assert!(tree.has_path("a/"));
    assert!(tree.has_file("a/b.rs"));
    assert!(!tree.has_file("a"));
    assert!(!tree.has_path("a/b"));
}

#[test]
fn bytes_that_are_no_text_are_counted_and_not_shown() {
    let mut tree = Tree::default();
    tree.insert("trace.zst", vec![0xff, 0xfe, 0]);
    tree.insert("zero", vec![0]);
    // A fuzzer made it, whatever it looks like.
    tree.insert("fuzz/corpus/sjson/1", b"a\tb".to_vec());
    assert_eq!(tree.text("trace.zst"), None);
    assert_eq!(tree.texts().count(), 0);
    let sizes = [("fuzz/corpus/sjson/1", 3), ("trace.zst", 3), ("zero", 1)];
    assert_eq!(tree.sizes().collect::<Vec<_>>(), sizes);
}

#[test]
fn git_and_walking_both_find_this_file() {
    let root = crate::workspace::root();
    let walked = listed_by_walking(&root).expect("the workspace can be listed");
    assert!(walked.iter().any(|path| path == "xtask/src/tree/tests.rs"));
    assert!(!walked.iter().any(|path| path.starts_with("target/")));
    if let Some(listed) = listed_by_git(&root) {
        assert!(listed.iter().all(|path| !path.starts_with("target/")));
    }
}
