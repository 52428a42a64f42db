//! Tests of whole files.

use super::*;

#[test]
fn preparing_leaves_nothing_and_writing_leaves_one_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("out.json");
    let output = Output::prepare(&path).expect("the folder may be written");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    for text in ["first", "2"] {
        output.write(text.as_bytes()).expect("the folder may be written");
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("none").join("out.json");
    for path in [folder.path(), &missing, Path::new("/proc/out.json")] {
        let error = Output::prepare(path).expect_err("no place for a file").to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
        assert!(error.contains("cannot write"), "{error}");
    }
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("out.json");
    fs::write(&path, "old").expect("writing");
    let mut output = Output::prepare(&path).expect("the folder may be written");
    output.beside = Some(folder.path().join("none").join("part"));
    output.write(b"new").expect_err("the part cannot be made");
    assert_eq!(fs::read_to_string(&path).expect("the file"), "old");
}

#[test]
fn devices_are_written_and_not_replaced() {
    let output = Output::prepare(Path::new("/dev/null")).expect("a device");
    output.write(b"gone").expect("a device takes it");
    assert!(!Path::new("/dev/null").is_file(), "it is a device still");
}
