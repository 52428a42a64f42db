//! Tests of copying and writing.

use super::*;

#[test]
fn a_copy_changes_texts_and_keeps_bytes() {
    let folder = workspace::target().join("xtask/test-copy");
    let (from, to) = (folder.join("from"), folder.join("to"));
    write(&from.join("deep/a.rs"), b"old").expect("the target folder can be written");
    write(&from.join("b.bin"), &[0xff, b'o', b'l', b'd'])
        .expect("the target folder can be written");
    copy(&from, &to, &|text| text.replace("old", "new")).expect("it can be copied");
    assert_eq!(fs::read(to.join("deep/a.rs")).expect("it is there"), b"new");
    assert_eq!(fs::read(to.join("b.bin")).expect("it is there"), [0xff, b'o', b'l', b'd']);
    fs::remove_dir_all(&folder).expect("it can be removed");
}
