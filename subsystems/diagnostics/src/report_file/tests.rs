//! Tests of files that are there as a whole or not at all.

use std::string::String;
use std::vec::Vec;
use std::{format, fs};

use super::{PATH_BYTES_MAX, ReportFile};

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn the_name_is_given_when_the_file_is_whole() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().to_str().expect("its name is UTF-8");
    let mut file = ReportFile::create(path, format_args!("a-{}.txt", 1));
    file.write(b"one\n");
    assert_eq!(names(folder.path()), ["a-1.txt.partial"]);
    file.write(b"two\n");
    let path = file.finish().expect("the disk has room").to_path_buf();
    assert_eq!(names(folder.path()), ["a-1.txt"]);
    assert_eq!(fs::read_to_string(path).expect("it is there"), "one\ntwo\n");
}

#[test]
fn a_report_takes_the_place_of_none_that_is_being_written() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().to_str().expect("its name is UTF-8");
    let mut first = ReportFile::create(path, format_args!("a.txt"));
    let mut second = ReportFile::create(path, format_args!("a.txt"));
    second.write(b"second");
    let error = second.finish().expect_err("the name is in use");
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    first.write(b"first");
    first.finish().expect("nobody else's error is its own");
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let missing = format!("{}/missing", folder.path().display());
    let mut file = ReportFile::create(&missing, format_args!("a.txt"));
    file.write(b"lost");
    let error = file.finish().expect_err("there is no such folder");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(file.path().ends_with("missing/a.txt"), "{:?}", file.path());

    let long = "x".repeat(PATH_BYTES_MAX);
    let mut file = ReportFile::create(&long, format_args!("a.txt"));
    let error = file.finish().expect_err("a cut name is another's");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidFilename);

    // A folder that bears the final name cannot be replaced.
    fs::create_dir_all(folder.path().join("a.txt/full")).expect("it can be made");
    let path = folder.path().to_str().expect("its name is UTF-8");
    let mut file = ReportFile::create(path, format_args!("a.txt"));
    file.write(b"lost");
    file.finish().expect_err("the name belongs to a folder");
    assert_eq!(names(folder.path()), ["a.txt"], "the partial file was removed");
}
