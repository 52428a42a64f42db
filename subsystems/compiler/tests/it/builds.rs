//! What is compiled when, and what is reported.

use core::num::NonZeroUsize;
use std::fs;
use std::sync::Mutex;

use loligo_compiler::{CompileObserver, Compilers, Platform, Target, Threads};
use loligo_resources::{HEADER_BYTES, HeaderError, ResourceHeader};

use crate::place::{Place, contents, two};
use crate::scripted::compilers;

/// Returns the payload of the only resource of a name.
fn payload(place: &Place, name: &str) -> String {
    let index = place.index();
    let entry = index.entries.iter().find(|entry| entry.name.name == name).expect("it is there");
    let file = entry.output.expect("it went well").file;
    let bytes = fs::read(place.data().join(format!("blobs/{file}"))).expect("it is there");
    String::from_utf8_lossy(&bytes[HEADER_BYTES..]).into_owned()
}

#[test]
fn only_what_has_changed_is_compiled() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "one"), ("in/b.script", "two"), ("c.png", "")]);
    assert_eq!(place.compiled(&compilers), 2);
    assert_eq!(place.compiled(&compilers), 0);
    place.write("a.script", "six");
    let report = place.compile(&compilers);
    assert_eq!((report.compiled, report.fresh, report.removed), (1, 1, 0));
    assert_eq!(report.changed.len(), 1);
    assert_eq!(report.changed[0].to_string(), "a.script");
    assert_eq!(payload(&place, "a"), "six\n");
    place.touch("in/b.script", 1_000_000_000);
    assert_eq!(place.compiled(&compilers), 0, "a touch changes nothing");
    place.remove("a.script");
    assert_eq!(place.compile(&compilers).removed, 1);
    assert_eq!(contents(&place.data()).len(), 3, "two tables and a blob");
}

#[test]
fn an_edit_of_the_same_length_within_the_same_second_is_seen() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "0")]);
    for number in 0..20 {
        place.write("a.script", &number.to_string());
        place.touch("a.script", 1_000_000_000);
        assert_eq!(place.compile(&compilers).errors, []);
        assert_eq!(payload(&place, "a"), format!("{number}\n"));
    }
}

#[test]
fn what_a_compiler_asked_for_is_what_it_depends_on() {
    let compilers = compilers(1);
    let place = Place::with(&[
        ("reads.script", "read other.txt"),
        ("lists.script", "list in"),
        ("alone.script", "alone"),
        ("in/some.txt", ""),
    ]);
    assert_eq!(place.compiled(&compilers), 3);
    assert_eq!(payload(&place, "reads"), "None\n");
    place.write("other.txt", "x");
    assert_eq!(place.compiled(&compilers), 1, "a file that was absent came");
    place.write("other.txt", "y");
    assert_eq!(place.compiled(&compilers), 1);
    place.remove("other.txt");
    assert_eq!(place.compiled(&compilers), 1);
    place.write("in/some.txt", "changed");
    assert_eq!(place.compiled(&compilers), 0, "the names in the folder are the same");
    place.write("in/more.txt", "");
    assert_eq!(place.compiled(&compilers), 1);
    fs::remove_dir_all(place.sources().join("in")).expect("it is there");
    assert_eq!(place.compiled(&compilers), 1);
    assert_eq!(payload(&place, "lists"), "None\n");
}

#[test]
fn options_versions_and_targets_are_dependencies() {
    let place = Place::with(&[
        ("asks.script", "option quality"),
        ("platform.script", "platform"),
        ("alone.script", "alone"),
    ]);
    let one = compilers(1);
    assert_eq!(place.compiled(&one), 3);
    let with = |options: &[(&str, &str)], target: Target, compilers: &Compilers| {
        let mut project = place.project(compilers);
        project.set_target(target);
        for (name, value) in options {
            project.set_option(name, value);
        }
        project.compile(&two()).expect("it can be written").compiled
    };
    let here = Target::default;
    assert_eq!(with(&[("quality", "high")], here(), &one), 1);
    assert_eq!(with(&[("quality", "high"), ("other", "1")], here(), &one), 0);
    assert_eq!(with(&[("platform", "mine")], here(), &one), 1, "back, and the platform stays");
    let android = Platform::find("android").expect("it is known");
    assert_eq!(with(&[], Target { destination: android, ..here() }, &one), 1);
    let ps3 = Platform::find("ps3").expect("it is known");
    assert_eq!(with(&[], Target { destination: ps3, ..here() }, &one), 3, "the other byte order");
    assert_eq!(with(&[], Target { destination: ps3, ..here() }, &compilers(2)), 3);
    let shipped = Target { destination: ps3, has_debug_names: false, ..here() };
    assert_eq!(with(&[], shipped, &compilers(2)), 3);
}

#[test]
fn the_source_platform_and_the_destination_are_two() {
    let place = Place::with(&[("a.ps3.script", "of ps3"), ("a.script", "of all")]);
    let compilers = compilers(1);
    let ps3 = Platform::find("ps3").expect("it is known");
    let mut project = place.project(&compilers);
    project.set_target(Target { source: ps3, ..Target::default() });
    assert_eq!(project.compile(&two()).expect("it can be written").compiled, 1);
    assert_eq!(payload(&place, "a"), "of ps3\n");
    let index = place.index();
    let file = index.entries[0].output.expect("it went well").file;
    let path = place.data().join(format!("blobs/{file}"));
    let header = ResourceHeader::read(&fs::read(&path).expect("it is there"));
    assert_eq!(header.map(|header| header.debug_name.to_string()), Ok("a".to_owned()));

    project.set_target(Target { destination: ps3, ..Target::default() });
    assert_eq!(project.compile(&two()).expect("it can be written").compiled, 1);
    assert_eq!(payload(&place, "a"), "of all\n");
    let file = place.index().entries[0].output.expect("it went well").file;
    let bytes = fs::read(place.data().join(format!("blobs/{file}"))).expect("it is there");
    if cfg!(target_endian = "little") {
        assert_eq!(ResourceHeader::read(&bytes), Err(HeaderError::OtherEndian));
    }
}

#[test]
fn what_fails_keeps_its_last_good_version_and_is_told_each_time() {
    let compilers = compilers(1);
    let place =
        Place::with(&[("a.script", "good"), ("b.script", "good, too"), ("c.script", "fail")]);
    let report = place.compile(&compilers);
    assert_eq!((report.compiled, report.errors.len()), (2, 1));
    let text = report.errors[0].to_string();
    assert_eq!(
        text,
        "c.script:1:1: it fails; let it not [resource c of type script]\n    When compiling: c.script"
    );
    let good = contents(&place.data());

    place.write("a.script", "text\nneed none.txt");
    for _ in 0..2 {
        let report = place.compile(&compilers);
        assert_eq!((report.compiled, report.fresh), (0, 1));
        let texts: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "a.script:2:1: there is no file `none.txt`; add it to the project, or name another \
             [resource a of type script, the last good one stays]\n    When compiling: a.script",
                "c.script:1:1: it fails; let it not [resource c of type script]\n    When compiling: c.script",
            ]
        );
        assert_eq!(contents(&place.data()), good);
    }
    place.write("none.txt", "");
    place.write("c.script", "panic");
    let report = place.compile(&compilers);
    assert_eq!((report.compiled, report.errors.len()), (1, 1));
    let text = report.errors[0].to_string();
    assert!(text.contains("its compiler panicked: as the source says"), "{text}");
}

#[test]
fn resources_that_are_named_must_be_there() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "refer script b\nrefer script c"), ("b.script", "")]);
    for _ in 0..2 {
        let report = place.compile(&compilers);
        let texts: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
        let expected = "a.script:2:1: there is no resource `c` of type `script`; add its source, or \
            name another [resource a of type script]";
        assert_eq!(texts, [expected]);
    }
    place.write("c.fr.script", "");
    assert_eq!(place.compiled(&compilers), 1);
}

#[test]
fn a_damaged_index_or_blob_is_recreated() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "one"), ("b.script", "two")]);
    assert_eq!(place.compiled(&compilers), 2);
    let good = contents(&place.data());
    let index = place.data().join("index");
    let mut bytes = fs::read(&index).expect("it is there");
    bytes[70] ^= 1;
    fs::write(&index, bytes).expect("it may be written");
    let report = place.compile(&compilers);
    assert_eq!((report.compiled, report.notes.len()), (2, 1));
    assert!(report.notes[0].contains("everything is recompiled"), "{}", report.notes[0]);

    let blob = good.keys().find(|name| name.starts_with("blobs")).expect("there are two");
    fs::write(place.data().join(blob), b"cut").expect("it may be written");
    assert_eq!(place.compiled(&compilers), 1);
    fs::remove_file(place.data().join(blob)).expect("it is there");
    assert_eq!(place.compiled(&compilers), 1);
    fs::remove_file(place.data().join("resources")).expect("it is there");
    fs::write(place.data().join("names"), b"junk").expect("it may be written");
    fs::write(place.data().join("partial/7"), b"left").expect("it may be written");
    assert_eq!(place.compiled(&compilers), 0);
    assert_eq!(contents(&place.data()), good);
}

#[test]
fn a_folder_that_is_no_data_folder_is_left_alone() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "")]);
    fs::create_dir(place.data()).expect("it may be made");
    fs::write(place.data().join("photo"), b"").expect("it may be written");
    let error = place.project(&compilers).compile(&two()).expect_err("it is somebody's");
    assert!(error.to_string().contains("it is no data folder; name an empty folder"), "{error}");
    assert!(!place.data().join("lock").exists(), "nothing was changed");
    let nowhere = place.sources().join("none");
    let project = loligo_compiler::Project::new(&nowhere, &nowhere.join("data"), &compilers);
    let error = project.compile(&two()).expect_err("there is no project");
    assert!(error.to_string().contains("there is no such folder"), "{error}");
    assert!(!nowhere.exists(), "nothing was made");
}

#[test]
fn the_data_folder_may_lie_in_the_project_and_one_compile_writes_at_a_time() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "list "), ("b.data", "x")]);
    let inner = place.sources().join("out");
    let project = loligo_compiler::Project::new(&place.sources(), &inner, &compilers);
    assert_eq!(project.compile(&two()).expect("it can be written").compiled, 2);
    assert_eq!(project.compile(&two()).expect("it can be written").compiled, 0);
    let lock = fs::File::open(inner.join("lock")).expect("it is there");
    lock.lock().expect("nobody holds it");
    let error = project.compile(&two()).expect_err("it is held");
    assert!(error.to_string().contains("another compile writes to it"), "{error}");
}

#[test]
fn who_watches_is_told_each_source_and_what_is_refused_is_not_begun() {
    struct Told(Mutex<Vec<String>>);
    impl CompileObserver for Told {
        fn begin(&self, source: &str) {
            self.0.lock().expect("nobody panics with it").push(format!("+{source}"));
        }

        fn end(&self, source: &str) {
            self.0.lock().expect("nobody panics with it").push(format!("-{source}"));
        }
    }
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "one"), ("b.script", "two"), ("c.script", "three")]);
    let told = Told(Mutex::new(Vec::new()));
    let mut project = place.project(&compilers);
    project.set_observer(&told);
    project.refuse("b.script", "it ended the process");
    let report = project.compile(&Threads::new(NonZeroUsize::MIN)).expect("it can be done");
    assert_eq!(report.compiled, 2);
    assert_eq!(report.errors.len(), 1);
    let error = report.errors[0].to_string();
    assert!(error.starts_with("b.script: it ended the process; correct the source"), "{error}");
    let told = told.0.into_inner().expect("nobody panics with it");
    assert_eq!(told, ["+a.script", "-a.script", "+c.script", "-c.script"]);
    assert_eq!(place.compiled(&compilers), 1, "what was refused is compiled when it may be");
}
