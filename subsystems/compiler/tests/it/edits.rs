//! A session that knows which files have changed looks at these alone, where that is enough.

use std::collections::BTreeSet;
use std::fs;

use loligo_compiler::{CompileSession, Compilers, Project, Report};

use crate::place::{Place, contents, two};
use crate::scripted::compilers;

fn place() -> Place {
    Place::with(&[
        ("a.script", "read t.txt\nname width\nrefer script b"),
        ("b.script", "alone"),
        ("c.script", "read t.txt\nread u.txt"),
        ("t.txt", "t"),
        ("u.txt", "u"),
        ("notes.txt", "nothing is made of it"),
    ])
}

/// Compiles what has changed; the data are then those of a compile from nothing.
fn changed(session: &mut CompileSession<'_>, place: &Place, paths: &[&str]) -> Report {
    let paths: BTreeSet<String> = paths.iter().map(|path| String::from(*path)).collect();
    let report = session.compile_changed(&paths, &two()).expect("it can be written");
    if report.errors.is_empty() {
        let clean = tempfile::tempdir().expect("a temporary folder");
        let data = clean.path().join("data");
        let compilers = compilers(1);
        let from_nothing = Project::new(&place.sources(), &data, &compilers).compile(&two());
        assert_eq!(from_nothing.expect("it can be written").errors, [], "{paths:?}");
        assert_eq!(contents(&place.data()), contents(&data), "{paths:?}");
    }
    report
}

/// Runs a test with a session that has compiled once.
fn with_session(test: impl FnOnce(&mut CompileSession<'_>, &Place)) {
    let (place, compilers): (Place, Compilers) = (place(), compilers(1));
    let project = place.project(&compilers);
    let mut session = CompileSession::new(&project);
    assert_eq!(session.compile(&two()).expect("it can be written").compiled, 3, "all are new");
    test(&mut session, &place);
}

fn index(place: &Place) -> Vec<u8> {
    fs::read(place.data().join("index")).expect("there is one")
}

#[test]
fn new_contents_are_compiled_without_a_look_at_the_rest() {
    with_session(|session, place| {
        let before = index(place);
        // Nobody says so, so it is left for a whole compile.
        place.write("b.script", "changed as well");
        place.write("u.txt", "v");
        let paths = BTreeSet::from(["u.txt".to_owned()]);
        let report = session.compile_changed(&paths, &two()).expect("it can be written");
        assert_eq!((report.compiled, report.fresh), (1, 2), "one resource reads it");
        assert_eq!(report.changed[0].to_string(), "c.script");
        assert_eq!(index(place), before, "the index is left for a whole compile");
        let seen = report.seen;
        let report = session.compile(&two()).expect("it can be written");
        assert_eq!(report.compiled, 1, "what was left out is found");
        assert_ne!(report.seen, seen, "and a look would have found it");
        assert_ne!(index(place), before, "now it is written");
        assert_eq!(place.compiled(&compilers(1)), 0, "nothing is left to do");
    });
}

#[test]
fn edits_one_after_another_are_those_of_a_compile_from_nothing() {
    with_session(|session, place| {
        for number in 0..5 {
            place.write("t.txt", &format!("edit {number}"));
            let report = changed(session, place, &["t.txt"]);
            assert_eq!((report.compiled, report.fresh), (2, 1), "two resources read it");
            place.write("b.script", &format!("alone {number}"));
            place.write("notes.txt", &format!("note {number}"));
            assert_eq!(changed(session, place, &["b.script", "notes.txt"]).compiled, 1);
        }
        assert_eq!(changed(session, place, &["t.txt"]).compiled, 0, "it has not changed");
        assert_eq!(changed(session, place, &[]).compiled, 0, "nothing has");
        let seen = session.compile(&two()).expect("it can be read").seen;
        assert_eq!(changed(session, place, &[]).seen, seen, "both see the same");
    });
}

#[test]
fn what_is_more_than_new_contents_is_compiled_whole() {
    type Edit = (&'static str, fn(&Place), &'static [&'static str], usize);
    let edits: [Edit; 7] = [
        ("a new file", |place| place.write("d.script", "new"), &["d.script"], 1),
        ("a file that is gone", |place| place.remove("b.script"), &["b.script"], 0),
        ("other names", |place| place.write("a.script", "name height"), &["a.script"], 1),
        ("another reference", |place| place.write("a.script", "refer script c"), &["a.script"], 1),
        ("other questions", |place| place.write("b.script", "read u.txt"), &["b.script"], 1),
        ("paths of nothing", |_| {}, &["../a", "/etc/passwd", "", "none/x", "a.script/"], 0),
        ("a link in its place", link, &["t.txt"], 2),
    ];
    for (what, edit, paths, compiled) in edits {
        with_session(|session, place| {
            edit(place);
            // A reference to what is gone is wrong.
            if what == "a file that is gone" {
                place.write("a.script", "name width");
            }
            let report = changed(session, place, &[paths, &["a.script"]].concat());
            assert!(report.errors.is_empty(), "{what}: {:?}", report.errors);
            assert!(report.compiled >= compiled, "{what}: {}", report.compiled);
            assert_eq!(session.compile(&two()).expect("it can be read").compiled, 0, "{what}");
        });
    }
}

fn link(place: &Place) {
    place.remove("t.txt");
    let (target, link) = (place.sources().join("u.txt"), place.sources().join("t.txt"));
    std::os::unix::fs::symlink(target, link).expect("it may be made");
}

#[test]
fn what_fails_is_reported_until_it_is_mended() {
    with_session(|session, place| {
        place.write("b.script", "fail");
        for _ in 0..2 {
            let report = changed(session, place, &["b.script"]);
            assert_eq!(report.errors.len(), 1, "{:?}", report.errors);
            assert!(report.errors[0].is_kept, "its last good version");
        }
        place.write("b.script", "good");
        assert_eq!(changed(session, place, &["b.script"]).compiled, 1, "it is mended");
        place.write("a.script", "refer script none");
        assert_eq!(changed(session, place, &["a.script"]).errors.len(), 1, "it names nothing");
    });
}
