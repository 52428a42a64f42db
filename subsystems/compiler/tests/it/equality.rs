//! Whatever was done to the sources, what is compiled is what a compile from nothing gives.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use loligo_compiler::{
    BuildError, CacheMode, CompileSession, DirectoryStore, Project, Report, ResourceError,
    TeamCache,
};
use proptest::prelude::*;

use crate::place::{Place, contents, index, later, now, two};
use crate::scripted::compilers;
use crate::test_drawn::{check, seeded};

/// Where files may be: sources of both kinds, variants, files that others ask for, and the same
/// name as file and folder.
const PATHS: [&str; 13] = [
    "a.script",
    "a.fr.script",
    "a.ps3.script",
    "b.script",
    "in/c.script",
    "in/c.hd.script",
    "in/d.config",
    "e.package",
    "in/f.data",
    "g.txt",
    "in/h.txt",
    "in/deep/i.script",
    "in.script/j.txt",
];

const CONTENTS: [&str; 16] = [
    "",
    "text",
    "txet",
    "x = 1",
    "x = { y = [ 1 2 ] }",
    "script = [ \"in/*\" ]",
    "script = [ \"a\" ]\ndata = [ \"in/f\" ]",
    "read g.txt",
    "need g.txt",
    "list in",
    "list \nread in/h.txt\nlist none",
    "list in/deep\nneed in/h.txt",
    "name width\nname height\nrefer script b",
    "read a.script\nread in/deep/i.script",
    "option quality\nplatform",
    "fail",
];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    Touch(usize, u32),
    RemoveFolder,
    Option(bool),
    Compile,
}

fn step() -> impl Strategy<Value = Step> {
    let (path, text) = (0..PATHS.len(), 0..CONTENTS.len());
    prop_oneof![
        8 => (path.clone(), text).prop_map(|(path, text)| Step::Write(path, text)),
        2 => path.clone().prop_map(Step::Remove),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => (path, 0..2_u32).prop_map(|(path, time)| Step::Touch(path, time)),
        1 => Just(Step::RemoveFolder),
        1 => any::<bool>().prop_map(Step::Option),
        6 => Just(Step::Compile),
    ]
}

/// Does a step; one that cannot be done changes nothing. Each gives files distinct times, which
/// steps in the same tick of the file system's clock would not have.
fn apply(place: &Place, step: &Step, number: u64) {
    let own = 1_000_000_000 + 2 * number;
    let path = |at: usize| place.sources().join(PATHS[at]);
    let made = |at: usize| {
        let path = path(at);
        let folder = path.parent().expect("it is in a folder");
        // A file of that name may be in the way.
        fs::create_dir_all(folder).is_ok().then_some(path)
    };
    match *step {
        Step::Write(at, text) => {
            if made(at).is_some_and(|path| fs::write(path, CONTENTS[text]).is_ok()) {
                place.touch(PATHS[at], own);
            }
        }
        Step::Remove(at) => {
            let _ = fs::remove_file(path(at));
        }
        Step::Rename(from, to) => {
            if let Some(to) = made(to) {
                let _ = fs::rename(path(from), to);
            }
        }
        Step::Touch(at, time) if path(at).exists() => {
            place.touch(PATHS[at], own + u64::from(time));
        }
        Step::RemoveFolder => {
            let _ = fs::remove_dir_all(place.sources().join("in"));
        }
        Step::Touch(..) | Step::Option(_) | Step::Compile => {}
    }
}

/// Adds what a step changes to what is known to have changed.
fn note(changed: &mut Option<BTreeSet<String>>, step: &Step) {
    let Some(paths) = changed else { return };
    match *step {
        Step::Write(at, _) | Step::Touch(at, _) | Step::Remove(at) => {
            paths.insert(PATHS[at].to_owned());
        }
        Step::Rename(from, to) => {
            paths.extend([from, to].map(|at| PATHS[at].to_owned()));
        }
        Step::RemoveFolder => *changed = None,
        Step::Option(_) | Step::Compile => {}
    }
}

/// Returns errors without what differs: whether there was an older version to keep.
fn told(errors: &[ResourceError]) -> Vec<ResourceError> {
    errors.iter().map(|error| ResourceError { is_kept: false, ..error.clone() }).collect()
}

/// Compiles on and from nothing, and compares.
fn compare(
    place: &Place,
    session: &mut CompileSession<'_>,
    from_nothing: &Project<'_>,
    (is_kept, changed): (bool, Option<&BTreeSet<String>>),
) {
    let clean = from_nothing.data();
    let compiled = |report: Result<Report, BuildError>| report.expect("it can be read and written");
    let from_nothing = compiled(from_nothing.compile(&two()));
    let on = compiled(match changed {
        Some(paths) => session.compile_changed(paths, &two()),
        None => session.compile(&two()),
    });
    let (ours, theirs) = (contents(&place.data()), contents(clean));
    // In memory or on the disk: what is known is the same.
    assert_eq!(compiled(session.compile(&two())).compiled, 0, "nothing is left to do");
    assert_eq!(contents(&place.data()), ours, "nothing was left out");
    let bytes = (ours, theirs);
    let (ours, theirs) = (index(&place.data()), index(clean));
    let failed: BTreeSet<_> =
        ours.entries.iter().filter(|entry| entry.is_failed).map(|entry| &entry.name).collect();
    assert_eq!(told(&on.errors), told(&from_nothing.errors), "the same is wrong");
    let good: Vec<_> = ours.entries.iter().filter(|entry| !entry.is_failed).collect();
    assert_eq!(good, theirs.entries.iter().collect::<Vec<_>>(), "the same is known");
    let (ours, theirs) = bytes;
    if failed.is_empty() {
        assert_eq!(ours, theirs, "the same bytes");
    } else {
        // What failed keeps its last good version, which nothing else has.
        for (name, bytes) in theirs.iter().filter(|(name, _)| name.starts_with("blobs/")) {
            assert_eq!(ours.get(name), Some(bytes), "{name}");
        }
    }
    if !is_kept {
        *session = CompileSession::new(session.project());
        assert_eq!(compiled(session.compile(&two())).compiled, 0, "nor after a new begin");
    }
}

/// Compiles as a machine with nothing but the cache of all that was compiled before, and compares.
fn compare_cached(from_nothing: &Project<'_>, cached: &Project<'_>) {
    let compile = |project: &Project<'_>| project.compile(&two()).expect("it can be written");
    // It is up to date, and what is wrong is reported each time.
    let (expected, report) = (compile(from_nothing), compile(cached));
    assert_eq!(report.errors, expected.errors, "the same is wrong");
    assert_eq!(report.notes, [] as [&str; 0], "no entry of the cache is wrong");
    assert_eq!(contents(cached.data()), contents(from_nothing.data()), "the same bytes");
    let (ours, theirs) = (index(cached.data()), index(from_nothing.data()));
    assert_eq!(ours.entries, theirs.entries, "the same is known");
}

/// A function that returns the time.
type Clock = fn() -> u64;

/// The default seed of the random sequences.
const SEED: u64 = 0x2011_1222;

/// The number of sequences, unless `PROPTEST_CASES` is set.
const CASES: u32 = 32;

#[test]
fn compiling_on_gives_what_compiling_from_nothing_gives() {
    let drawn = prop::collection::vec(step(), 1..40);
    check(seeded(SEED, CASES), &drawn, |steps| {
        // By the true clock no file is old enough to be known by its stamp; by the later one all
        // are.
        run(&steps, now);
        run(&steps, later);
        Ok(())
    });
}

fn run(steps: &[Step], clock: Clock) {
    let compilers = compilers(1);
    let place = Place::new();
    let cleans = tempfile::tempdir().expect("a temporary folder");
    let project = |data: &Path, quality: bool| {
        let mut project = Project::new(&place.sources(), data, &compilers);
        project.set_clock(clock);
        if quality {
            project.set_option("quality", "high");
        }
        project
    };
    // Two sessions write to one folder: each finds what the other did to it.
    let projects = [false, true].map(|quality| project(&place.data(), quality));
    let mut sessions = projects.each_ref().map(CompileSession::new);
    let mut quality = false;
    // What was done since each session's last compile; nothing where that is not known.
    let mut changed = [Some(BTreeSet::new()), Some(BTreeSet::new())];
    let store = DirectoryStore::create(&cleans.path().join("cache")).expect("it may be made");
    let cache = TeamCache::new(Arc::new(store), CacheMode::Write);
    for (number, step) in steps.iter().chain([&Step::Compile]).enumerate() {
        apply(&place, step, number as u64);
        changed.iter_mut().for_each(|changed| note(changed, step));
        let clean = cleans.path().join(number.to_string());
        match step {
            Step::Option(value) => quality = *value,
            Step::Compile => {
                let session = &mut sessions[usize::from(quality)];
                let is_kept = !number.is_multiple_of(4);
                // Every other time the session gets what has changed.
                let noted = changed[usize::from(quality)].replace(BTreeSet::new());
                let noted = noted.filter(|_| number.is_multiple_of(2));
                let from_nothing = project(&clean, quality);
                compare(&place, session, &from_nothing, (is_kept, noted.as_ref()));
                let mut cached = project(&cleans.path().join(format!("{number}.cached")), quality);
                cached.set_cache(&cache);
                compare_cached(&project(&clean, quality), &cached);
            }
            _ => {}
        }
    }
}
