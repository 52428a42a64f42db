//! A compile that finds everything as the last one left it needs no index to know that there is
//! nothing to do.

use core::cell::Cell;
use std::fs;

use loligo_compiler::{Compilers, Platform, Project, Report, Target, Watch};

use crate::place::{Place, later, two};
use crate::scripted::compilers;

/// How many resources a look lists that was written by a test, so that one sees whether it was
/// believed.
const TOLD: usize = 77;

fn project<'c>(place: &Place, compilers: &'c Compilers) -> Project<'c> {
    let mut project = place.project(compilers);
    project.set_clock(later);
    project
}

fn compile(project: &Project<'_>) -> Report {
    project.compile(&two()).expect("it can be read and written")
}

/// A project that was compiled until there is a look; the look then claims [`TOLD`] resources.
fn looked_at() -> Place {
    let place = Place::with(&[
        ("a.script", "list in\nread g.txt"),
        ("b.fr.script", "stays"),
        ("g.txt", "read"),
        ("in/d.config", "x = 1"),
        ("other.txt", "read by nobody"),
    ]);
    let compilers = compilers(1);
    assert_eq!(compile(&project(&place, &compilers)).compiled, 3, "all are new");
    assert!(!place.data().join("look").exists(), "something was done");
    assert_eq!(compile(&project(&place, &compilers)).fresh, 3, "nothing is");
    let path = place.data().join("look");
    let mut look = fs::read(&path).expect("nothing was done");
    assert_eq!(look[32..], 3_u64.to_le_bytes(), "it reports three resources");
    look[32..].copy_from_slice(&(TOLD as u64).to_le_bytes());
    fs::write(path, look).expect("it may be written");
    place
}

#[test]
fn a_look_is_believed_while_all_is_as_it_was() {
    let (place, compilers) = (looked_at(), compilers(1));
    for _ in 0..2 {
        let report = compile(&project(&place, &compilers));
        assert_eq!((report.fresh, report.compiled, report.removed), (TOLD, 0, 0));
        assert_eq!((report.errors, report.changed, report.notes.len()), (vec![], vec![], 0));
    }
    // By the true clock the files are too young to be believed.
    assert_eq!(place.compile(&compilers).fresh, 3);
}

#[test]
fn whatever_changes_a_look_is_not_believed() {
    type Change = fn(&Place);
    let changes: [(&str, Change); 14] = [
        ("a source is longer", |place| place.write("b.fr.script", "longer")),
        ("a source is another file of the same length", |place| {
            place.write("new", "yasts");
            let sources = place.sources();
            fs::rename(sources.join("new"), sources.join("b.fr.script")).expect("it may be");
        }),
        ("a source was touched", |place| place.touch("a.script", 1_000_000_000)),
        ("what nobody reads was touched", |place| place.touch("other.txt", 1_000_000_000)),
        ("a source is gone", |place| place.remove("b.fr.script")),
        ("a source is new", |place| place.write("in/e.script", "")),
        ("a source has another name", |place| {
            let sources = place.sources();
            fs::rename(sources.join("b.fr.script"), sources.join("b.en.script"))
                .expect("it may be");
        }),
        ("a folder is new", |place| {
            fs::create_dir(place.sources().join("in/deep")).expect("it may be made");
        }),
        ("a blob is gone", |place| {
            let blobs = fs::read_dir(place.data().join("blobs")).expect("it is there");
            let blob = blobs.last().expect("there are three").expect("it can be read").path();
            fs::remove_file(blob).expect("it is there");
        }),
        ("a blob is cut", |place| {
            let blobs = fs::read_dir(place.data().join("blobs")).expect("it is there");
            let blob = blobs.last().expect("there are three").expect("it can be read").path();
            fs::write(blob, "cut").expect("it may be written");
        }),
        ("there is no index", |place| remove(place, "index")),
        ("there is no table", |place| remove(place, "resources")),
        ("there are no names", |place| remove(place, "names")),
        ("the look is cut", |place| {
            fs::write(place.data().join("look"), "cut").expect("it may be written");
        }),
    ];
    let compilers = compilers(1);
    for (what, change) in changes {
        let place = looked_at();
        change(&place);
        let report = compile(&project(&place, &compilers));
        assert!(report.fresh < TOLD, "{what}: {report:?}");
        assert_eq!(report.errors, [], "{what}");
    }
}

fn remove(place: &Place, name: &str) {
    fs::remove_file(place.data().join(name)).expect("it is there");
}

#[test]
fn who_compiles_for_whom_is_part_of_a_look() {
    let first = compilers(1);
    let ps3 = Platform::find("ps3").expect("it is known");
    let targets = [
        Target { source: ps3, ..Target::default() },
        Target { destination: ps3, ..Target::default() },
        Target { languages: Some(vec!["fr".to_owned()]), ..Target::default() },
        Target { has_debug_names: false, ..Target::default() },
    ];
    for target in targets {
        let place = looked_at();
        let mut other = project(&place, &first);
        other.set_target(target.clone());
        assert!(compile(&other).fresh < TOLD, "{target:?}");
    }
    let place = looked_at();
    let mut other = project(&place, &first);
    other.set_option("quality", "high");
    assert!(compile(&other).fresh < TOLD, "another option");
    let (place, second) = (looked_at(), compilers(2));
    assert!(compile(&project(&place, &second)).fresh < TOLD, "another version");
    let place = looked_at();
    let mut more = compilers(1);
    more.register_end("words", "script");
    assert!(compile(&project(&place, &more)).fresh < TOLD, "another end");
}

#[test]
fn what_is_wrong_is_told_each_time() {
    let compilers = compilers(1);
    let place = Place::with(&[("a.script", "fail"), ("b.script", "well")]);
    for _ in 0..4 {
        assert_eq!(compile(&project(&place, &compilers)).errors.len(), 1);
    }
    assert!(!place.data().join("look").exists());
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let place = looked_at();
        let name = OsStr::from_bytes(b"\xff.script");
        fs::write(place.sources().join(name), "").expect("it may be written");
        for _ in 0..2 {
            assert_eq!(compile(&project(&place, &compilers)).errors.len(), 1, "no UTF-8");
        }
    }
}

#[test]
fn a_look_that_ends_early_has_seen_nothing() {
    let place = Place::with(&[("a.script", "stays"), ("in/b.script", "stays"), ("c/d.txt", "x")]);
    let compilers = compilers(1);
    let project = project(&place, &compilers);
    let mut watch = Watch::new();
    for folders in 0..3 {
        let asked = Cell::new(0);
        let goes_on = || asked.replace(asked.get() + 1) < folders;
        let looked = watch.look_while(&project, &goes_on);
        assert_eq!(looked.expect("it can be read"), None, "in folder {folders} of 3");
    }
    assert!(watch.look(&project).expect("it can be read"), "nothing was seen before");
    assert_eq!(watch.look_while(&project, &|| true).expect("it can be read"), Some(false));
    place.write("in/b.script", "goes");
    assert_eq!(watch.look_while(&project, &|| false).expect("it can be read"), None);
    assert!(watch.look(&project).expect("it can be read"), "the change is found later");
}
