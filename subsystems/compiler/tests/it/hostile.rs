//! Malicious projects and data folders: nothing outside them is read, written or removed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use loligo_compiler::{Project, read_source};

use crate::place::{Place, two};
use crate::scripted::compilers;

/// A project whose data folder is in it, and a folder outside that must not be touched.
struct Cloned(Place);

impl Cloned {
    fn new() -> Self {
        let place = Place::with(&[("a.script", "text")]);
        let outside = place.data();
        fs::create_dir(&outside).expect("it may be made");
        for name in ["kept", "0", &"a".repeat(64)] {
            fs::write(outside.join(name), "kept").expect("it may be written");
        }
        Self(place)
    }

    fn outside(&self) -> PathBuf {
        self.0.data()
    }

    fn project(&self) -> PathBuf {
        self.0.sources()
    }

    fn data(&self) -> PathBuf {
        self.project().join(".loligo/linux")
    }

    /// Compiles into the project, and returns the error, if any.
    fn compile(&self) -> Option<String> {
        let compilers = compilers(1);
        let project = Project::new(&self.project(), &self.data(), &compilers);
        project.compile(&two()).err().map(|error| error.to_string())
    }

    fn outside_is_as_it_was(&self) {
        let mut found = BTreeMap::new();
        for entry in self.outside().read_dir().expect("it is there") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            found.insert(name, fs::read_to_string(path).expect("a text"));
        }
        let kept = |name: &str| (name.to_owned(), "kept".to_owned());
        let wanted = BTreeMap::from([kept("kept"), kept("0"), kept(&"a".repeat(64))]);
        assert_eq!(found, wanted, "what is outside");
    }
}

/// What is put in the place of a file or folder.
const PLANTED: [&str; 5] =
    ["link to a folder", "link to a file", "link to nothing", "pipe", "other"];

fn plant(what: &str, outside: &Path, at: &Path, is_folder: bool) {
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder).expect("it may be made");
    }
    match what {
        "link to a folder" => symlink(outside, at).expect("it may be made"),
        "link to a file" => symlink(outside.join("kept"), at).expect("it may be made"),
        "link to nothing" => symlink(outside.join("new"), at).expect("it may be made"),
        "pipe" => pipe(at),
        _ if is_folder => fs::write(at, "a file").expect("it may be written"),
        _ => fs::create_dir(at).expect("it may be made"),
    }
}

fn pipe(at: &Path) {
    assert!(Command::new("mkfifo").arg(at).status().expect("it runs").success(), "a pipe");
}

/// Puts the mark of a data folder in its place.
fn mark(cloned: &Cloned) {
    fs::create_dir_all(cloned.data()).expect("it may be made");
    fs::write(cloned.data().join("lock"), "loligo data folder 1\n").expect("it may be written");
}

#[test]
fn whatever_is_in_the_place_of_a_file_or_folder_is_refused_with_its_path() {
    let files = ["lock", "index", "resources", "names", "look"];
    let folders = ["blobs", "partial"];
    for what in PLANTED {
        for name in files.iter().chain(&folders) {
            let cloned = Cloned::new();
            if *name != "lock" {
                mark(&cloned);
            }
            let at = cloned.data().join(name);
            plant(what, &cloned.outside(), &at, folders.contains(name));
            let error = cloned.compile().expect("it is refused");
            assert!(error.starts_with(&at.display().to_string()), "{what} {name}: {error}");
            assert!(error.contains("; "), "there is a remedy: {error}");
            cloned.outside_is_as_it_was();
        }
    }
}

#[test]
fn a_link_on_the_way_to_the_data_folder_is_refused() {
    for step in [".loligo", ".loligo/linux"] {
        for what in PLANTED {
            let cloned = Cloned::new();
            let at = cloned.project().join(step);
            plant(what, &cloned.outside(), &at, true);
            let error = cloned.compile().expect("it is refused");
            assert!(error.starts_with(&at.display().to_string()), "{what} {step}: {error}");
            cloned.outside_is_as_it_was();
        }
    }
}

/// The reproducer of the issue: a clone brings a file `lock`, whatever is in it, and links.
#[test]
fn a_lock_alone_makes_no_data_folder_and_links_in_it_remove_nothing() {
    for lock in ["", "loligo data", "loligo data folder 1\n", "#!/bin/sh\n"] {
        for (name, target) in [("partial", ""), ("blobs", "")] {
            let cloned = Cloned::new();
            fs::create_dir_all(cloned.data()).expect("it may be made");
            fs::write(cloned.data().join("lock"), lock).expect("it may be written");
            symlink(cloned.outside().join(target), cloned.data().join(name)).expect("a link");
            cloned.compile().expect("it is refused");
            cloned.outside_is_as_it_was();
        }
    }
}

#[test]
fn what_a_compile_did_not_write_is_not_removed() {
    for planted in ["letter.txt", "12a", "123456789012345678901", ".0"] {
        let cloned = Cloned::new();
        mark(&cloned);
        let partial = cloned.data().join("partial");
        fs::create_dir(&partial).expect("it may be made");
        for name in ["7", planted] {
            fs::write(partial.join(name), "kept").expect("it may be written");
        }
        let error = cloned.compile().expect("it is refused");
        assert!(error.contains("was not written by a compile; move it elsewhere"), "{error}");
        assert!(error.contains(planted), "{error}");
        assert!(partial.join("7").is_file(), "nothing was removed before it was seen");
        fs::remove_file(partial.join(planted)).expect("it is there");
        assert_eq!(cloned.compile(), None, "moved away it is no more in the way");
        assert_eq!(partial.read_dir().expect("it is there").count(), 0);
    }
    // A number that is a link or a folder is not ours either; among the blobs others are left
    // alone.
    let cloned = Cloned::new();
    mark(&cloned);
    fs::create_dir(cloned.data().join("partial")).expect("it may be made");
    symlink(cloned.outside().join("0"), cloned.data().join("partial/0")).expect("a link");
    cloned.compile().expect("it is refused");
    fs::remove_file(cloned.data().join("partial/0")).expect("it is there");
    fs::write(cloned.data().join("blobs/letter.txt"), "kept").expect("it may be written");
    assert_eq!(cloned.compile(), None);
    assert!(cloned.data().join("blobs/letter.txt").is_file(), "it is left alone");
    symlink(cloned.outside().join("0"), cloned.data().join("blobs").join("a".repeat(64)))
        .expect("a link");
    let error = cloned.compile().expect("it is refused");
    assert!(error.contains("is a link"), "{error}");
    cloned.outside_is_as_it_was();
}

#[test]
fn a_folder_of_an_older_version_is_taken_over_where_all_in_it_is_of_our_form() {
    let cloned = Cloned::new();
    assert_eq!(cloned.compile(), None);
    let lock = cloned.data().join("lock");
    let read = || fs::read_to_string(&lock).expect("it is there");
    assert_eq!(read(), "loligo data folder 1\n");
    for (old, name, is_taken) in [
        ("", "last.png", true),
        ("loligo d", "partial/3", true),
        ("", "blobs/letter.txt", false),
        ("", "letter.txt", false),
        ("other\n", "last.png", false),
        ("loligo data folder 1\nmore", "last.png", false),
    ] {
        fs::write(&lock, old).expect("it may be written");
        fs::write(cloned.data().join(name), "").expect("it may be written");
        let error = cloned.compile();
        assert_eq!(error.is_none(), is_taken, "{old:?} {name}: {error:?}");
        if is_taken {
            assert_eq!(read(), "loligo data folder 1\n");
        } else {
            assert!(error.is_some_and(|error| error.contains("is not that of a data folder")));
            assert_eq!(read(), old, "it is as it was");
            fs::remove_file(cloned.data().join(name)).expect("it is there");
        }
    }
}

#[test]
fn a_folder_of_the_users_own_is_not_taken_for_a_data_folder() {
    let cloned = Cloned::new();
    let compilers = compilers(1);
    for lock in ["", "pid 4711\n"] {
        fs::write(cloned.outside().join("lock"), lock).expect("it may be written");
        fs::create_dir_all(cloned.outside().join("partial")).expect("it may be made");
        fs::write(cloned.outside().join("partial/thesis"), "").expect("it may be written");
        let project = Project::new(&cloned.project(), &cloned.outside(), &compilers);
        let error = project.compile(&two()).expect_err("it is refused").to_string();
        assert!(error.contains("is not that of a data folder; name an empty folder"), "{error}");
        assert!(cloned.outside().join("partial/thesis").is_file());
    }
    let link = cloned.project().join("elsewhere");
    symlink(cloned.outside(), &link).expect("a link");
    let project = Project::new(&cloned.project(), &link, &compilers);
    let error = project.compile(&two()).expect_err("it is refused").to_string();
    assert!(error.contains("elsewhere: ") && error.contains("is a link"), "{error}");
}

#[test]
fn sources_outside_the_project_pipes_and_devices_are_not_read() {
    let cloned = Cloned::new();
    let project = cloned.project();
    symlink("../data/kept", project.join("out.script")).expect("a link");
    symlink(cloned.outside().join("kept"), project.join("whole.script")).expect("a link");
    symlink("/dev/zero", project.join("zero.script")).expect("a link");
    symlink("circle.script", project.join("circle.script")).expect("a link");
    symlink("a.script", project.join("in.script")).expect("a link");
    symlink("nowhere", project.join("gone.script")).expect("a link");
    pipe(&project.join("pipe.script"));
    fs::write(project.join("reads.script"), "read out.script").expect("it may be written");
    let long = fs::File::create(project.join("long.script")).expect("it may be made");
    long.set_len(1 << 40).expect("it may be so long");
    let compilers = compilers(1);
    let report = Project::new(&project, &cloned.data(), &compilers).compile(&two());
    let report = report.expect("the folders can be read and written");
    let told: Vec<String> = report
        .errors
        .iter()
        .map(|error| format!("{}: {}", error.error.file, error.error.reason))
        .collect();
    assert_eq!(
        told,
        [
            "circle.script: `circle.script` is not in the project",
            "long.script: `long.script` has more than 1073741824 bytes",
            "out.script: `out.script` is not in the project",
            "pipe.script: `pipe.script` is not a regular file",
            "reads.script: `out.script` is not in the project",
            "whole.script: `whole.script` is not in the project",
            "zero.script: `zero.script` is not a regular file",
        ]
    );
    assert_eq!(report.compiled, 2, "a link in the project is followed");
}

#[test]
fn names_that_a_terminal_would_obey_are_refused_and_told_harmlessly() {
    let place =
        Place::with(&[("good.script", ""), ("new\nline.script", ""), ("\x1b[2J.script", "")]);
    let report = place.compile(&compilers(1));
    let told: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "\\u{1b}[2J.script: the name has a control character; rename the file",
            "new\\nline.script: the name has a control character; rename the file",
        ]
    );
    assert_eq!(report.compiled, 1);
}

#[test]
fn a_file_that_a_project_names_is_in_it() {
    let cloned = Cloned::new();
    let project = cloned.project();
    symlink("../data", project.join("folder")).expect("a link");
    symlink("../data/kept", project.join("file")).expect("a link");
    pipe(&project.join("pipe"));
    let read = |path: &str| read_source(&project, path);
    assert_eq!(read("a.script").expect("it is there"), Some(b"text".to_vec()));
    assert_eq!(read("none").expect("it can be asked"), None);
    let hostile = [
        "../data/kept",
        "/etc/passwd",
        "/dev/zero",
        "",
        ".",
        ".loligo/x",
        "folder/kept",
        "file",
        "pipe",
    ];
    for path in hostile {
        let error = read(path).expect_err("it is refused").to_string();
        assert!(error.contains("; "), "{path}: {error}");
    }
}
