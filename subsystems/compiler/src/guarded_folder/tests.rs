//! Tests of guarded folders.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};
use tempfile::TempDir;

use super::{EntryKind, GuardedFolder};

fn place() -> (TempDir, GuardedFolder) {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(place.path().join("in")).expect("it may be made");
    fs::create_dir(place.path().join("out")).expect("it may be made");
    fs::write(place.path().join("out/kept"), "kept").expect("it may be written");
    let folder = GuardedFolder::open(&place.path().join("in")).expect("it is there");
    (place, folder)
}

fn pipe(path: &Path) {
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)
        .expect("a pipe may be made");
}

#[test]
fn links_are_refused_at_each_step_and_never_written_through() {
    let (place, folder) = place();
    let kept = || fs::read_to_string(place.path().join("out/kept")).expect("it is there");
    symlink("../out", folder.path().join("folder")).expect("it may be made");
    symlink("../out/kept", folder.path().join("file")).expect("it may be made");
    let refused = |error: crate::FolderError| {
        assert!(error.to_string().contains("is a link"), "{error}");
    };
    refused(folder.enter("folder").map(drop).expect_err("a link"));
    refused(folder.open_file("file").map(drop).expect_err("a link"));
    refused(folder.read_below("folder/kept", 9).map(drop).expect_err("a link"));
    refused(folder.open_or_create("file").map(drop).expect_err("a link"));
    folder.create_folder("folder").expect("what is there stays");
    folder.create_file("file").map(drop).expect_err("it is there");
    assert_eq!(folder.kind("folder").expect("it can be asked"), Some(EntryKind::Link));
    let put = folder.replace("file", |file| file.write_all(b"new")).expect("the link is replaced");
    put.expect("it can be written");
    assert_eq!(
        (kept(), folder.read("file", 3).expect("it is a file")),
        ("kept".into(), Some(b"new".to_vec()))
    );
    folder.remove_file("folder").expect("the link goes, and what it leads to stays");
    assert_eq!(kept(), "kept");
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let (_place, folder) = place();
    pipe(&folder.path().join("pipe"));
    let _socket = UnixListener::bind(folder.path().join("socket")).expect("a socket");
    fs::create_dir(folder.path().join("folder")).expect("it may be made");
    for name in ["pipe", "socket", "folder"] {
        for error in [
            folder.open_file(name).map(drop).expect_err("no file"),
            folder.open_or_create(name).map(drop).expect_err("no file"),
            folder.replace(name, |_| Ok::<(), ()>(())).map(drop).expect_err("no file"),
        ] {
            assert!(error.to_string().contains("is not a regular file"), "{name}: {error}");
        }
    }
    let names = folder.names().expect("it can be read");
    assert_eq!(names.len(), 3, "nothing was left over: {names:?}");
}

#[test]
fn names_are_single_steps() {
    let (_place, folder) = place();
    for name in ["", ".", "..", "a/b", "/etc/passwd", "a/", "../out/kept"] {
        let error = folder.read(name, 9).expect_err("no name");
        assert!(error.to_string().contains("is not a name"), "{name}: {error}");
    }
    for path in ["/etc/passwd", "../out/kept", "a//b", "./a", ""] {
        assert!(folder.read_below(path, 9).is_err(), "{path}");
    }
    assert_eq!(folder.read_below("a/b", 9).expect("nothing is there"), None);
}

#[test]
fn long_files_are_refused_before_they_are_read() {
    let (_place, folder) = place();
    let file = folder.create_file("long").expect("it may be made");
    // Without a byte on the disk.
    file.set_len(1 << 40).expect("it may be so long");
    let error = folder.read("long", 1 << 30).expect_err("it is too long");
    assert!(error.to_string().contains("has more than 1073741824 bytes"), "{error}");
}

#[test]
fn a_replacement_that_fails_leaves_the_old_file_and_nothing_else() {
    let (_place, folder) = place();
    fs::write(folder.path().join("file"), "old").expect("it may be written");
    let failed = folder.replace("file", |file| {
        file.write_all(b"half")?;
        Err::<(), _>(io::Error::other("no more"))
    });
    failed.expect("the folder is all right").expect_err("the function failed");
    assert_eq!(folder.read("file", 9).expect("it is there"), Some(b"old".to_vec()));
    assert_eq!(folder.names().expect("it can be read").len(), 1);
}
