//! Tests of shares, of results as files, and of merging them. No time is judged.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::*;
use crate::measure::{Options, measure};
use crate::results::{Kind, RowResult, Spread};
use crate::rows::Row;
use crate::trace::{Event, Op, write_trace};

/// A folder with recordings of `names`.
fn folder_of(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        record(&folder.path().join(format!("{name}.altrace")), 64);
    }
    folder
}

fn record(path: &Path, bytes: u64) {
    let event = |op, slot, bytes| Event { op, align_log2: 3, thread: 0, slot, bytes };
    let events = [event(Op::Allocate, 0, bytes), event(Op::Free, 0, 0)];
    let mut file = Vec::new();
    write_trace(&mut file, &events).expect("a vector takes every write");
    fs::write(path, file).expect("the folder can be written");
}

fn listed(folder: &tempfile::TempDir) -> Vec<Recording> {
    recordings(&[folder.path().to_owned()]).expect("there are recordings")
}

fn options() -> RunOptions {
    RunOptions {
        rows: ["null", "heap"].map(str::to_owned).to_vec(),
        strategies: RunOptions::fingerprint(&[]),
        rounds: 1,
        threads: None,
        verify: true,
        cap_ns: None,
    }
}

fn measure_one(trace: &Trace) -> Result<Measured, MeasureError> {
    let rows = [Row::null(), crate::our_rows::heap_row()];
    let options = Options { rounds: 1, worst_rounds: 1, verify: true, ..Options::default() };
    let mut measured = measure(core::slice::from_ref(trace), &rows, &options, &mut |_| {})?;
    Ok(measured.pop().expect("one trace has one result"))
}

/// Runs a shard and returns what was done, with the names that were begun.
fn run_shard(
    recordings: &[Recording],
    shard: &str,
    folder: &Path,
    options: &RunOptions,
) -> (Done, Vec<String>) {
    let _alone = child::alone();
    let shard = shard.parse().expect("a share");
    let task = Task { recordings, shard, folder, limits: Limits::default(), options };
    let mut begun = Vec::new();
    let done = run(&task, &mut measure_one, &mut |step| {
        if !step.is_skipped {
            begun.push(step.name.to_owned());
        }
    });
    (done, begun)
}

#[test]
fn the_shares_of_a_list_are_the_list() {
    for of in 1..6 {
        let mut taken = BTreeSet::new();
        for number in 1..=of {
            let shard: Shard = format!("{number}/{of}").parse().expect("a share");
            let own = (0..17).filter(|place| shard.takes(*place));
            own.for_each(|place| assert!(taken.insert(place), "{place} is in two shares"));
        }
        assert_eq!(taken.len(), 17);
    }
    for text in ["", "1", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1/99999999999"] {
        let error = text.parse::<Shard>().expect_err(text).to_string();
        assert!(error.starts_with(&format!("`{text}` is not a share I/N")), "{error}");
    }
}

#[test]
fn recordings_are_sorted_by_name_wherever_they_are() {
    let (one, other) = (folder_of(&["b", "d"]), folder_of(&["a", "c"]));
    fs::write(one.path().join("notes.txt"), "no recording").expect("written");
    let list = |paths: &[PathBuf]| {
        recordings(paths).map(|list| list.into_iter().map(|one| one.name).collect::<Vec<_>>())
    };
    let paths = [one.path().to_owned(), other.path().to_owned()];
    assert_eq!(list(&paths).expect("four"), ["a", "b", "c", "d"]);
    let twice = [one.path().to_owned(), one.path().join("b.altrace")];
    assert_eq!(list(&twice).expect("a file named twice is one"), ["b", "d"]);
    record(&other.path().join("b.altrace"), 8);
    let error = list(&paths).expect_err("two have a name").to_string();
    assert!(error.contains("b.altrace and ") && error.contains("have the same name"), "{error}");
    let empty = tempfile::tempdir().expect("a folder");
    let error = list(&[empty.path().to_owned()]).expect_err("none").to_string();
    assert!(error.contains("no file there ends in .altrace"), "{error}");
}

#[test]
fn processes_share_a_folder_and_skip_what_is_done() {
    let (recorded, kept) = (folder_of(&["a", "b", "c"]), tempfile::tempdir().expect("a folder"));
    let (list, options) = (listed(&recorded), options());
    let (first, begun) = run_shard(&list, "1/2", kept.path(), &options);
    assert_eq!((first.measured, first.skipped, &first.failed), (2, 0, &vec![]));
    assert_eq!(begun, ["a", "c"]);
    let (second, begun) = run_shard(&list, "2/2", kept.path(), &options);
    assert_eq!((second.measured, begun), (1, vec!["b".to_owned()]));
    let (again, begun) = run_shard(&list, "1/1", kept.path(), &options);
    assert_eq!((again.measured, again.skipped, begun.len()), (0, 3, 0));
    // Another recording of the same name, and other options, are measured again.
    record(&list[1].path, 128);
    let (again, begun) = run_shard(&list, "1/1", kept.path(), &options);
    assert_eq!((again.skipped, begun), (2, vec!["b".to_owned()]));
    let other = RunOptions { cap_ns: Some(9), ..options };
    assert_eq!(run_shard(&list, "1/1", kept.path(), &other).0.measured, 3);
    let names = fs::read_dir(kept.path()).expect("the folder").count();
    assert_eq!(names, 3, "one file a recording and no other");
}

#[test]
fn a_recording_that_cannot_be_replayed_ends_no_other() {
    let (recorded, kept) = (folder_of(&["a", "b", "c"]), tempfile::tempdir().expect("a folder"));
    fs::write(recorded.path().join("b.altrace"), "ALTRACE1 and no more").expect("written");
    fs::write(kept.path().join("c.json"), "{\"mine\": 1}").expect("written");
    let (done, _) = run_shard(&listed(&recorded), "1/1", kept.path(), &options());
    assert_eq!((done.measured, done.failed.len()), (1, 2), "{done:?}");
    assert!(done.failed[0].contains("b.altrace: "), "{done:?}");
    assert!(done.failed[1].contains("c.json: not a result of "), "{done:?}");
    let text = fs::read_to_string(kept.path().join("c.json")).expect("it is there");
    assert_eq!(text, "{\"mine\": 1}", "another's file is left alone");
}

#[test]
fn a_row_that_ends_its_process_is_reported() {
    let _alone = child::alone();
    let (recorded, kept) = (folder_of(&["a", "b"]), tempfile::tempdir().expect("a folder"));
    let (recordings, options) = (listed(&recorded), options());
    let task = Task {
        recordings: &recordings,
        shard: "1/1".parse().expect("a share"),
        folder: kept.path(),
        limits: Limits::default(),
        options: &options,
    };
    let mut measure = |trace: &Trace| {
        if trace.name == "a" {
            std::process::abort();
        }
        measure_one(trace)
    };
    let done = run(&task, &mut measure, &mut |_| {});
    assert_eq!((done.measured, done.failed.len()), (1, 1), "{done:?}");
    assert!(done.failed[0].contains("a.altrace: the process that replayed it died"), "{done:?}");
}

fn row(name: &str, kind: Kind, ns: f64, memory: f64) -> RowResult {
    RowResult {
        name: name.to_owned(),
        kind,
        ns_per_event: Some(Spread { median: ns, min: ns, max: ns }),
        memory_ratio: Some(memory),
        peak_bytes: None,
        worst_ns: Some(100.0 * ns),
        faults: Some(0),
        refused: Some(0),
        capped: false,
        events_done: 2000,
        rounds_ns: vec![],
        note: None,
        threads: None,
    }
}

/// Keeps a result in which `heap` takes `heap_ns`, `system` 10 ns, and `slab` as it is given.
fn keep(folder: &Path, name: &str, heap_ns: f64, slab: RowResult) -> Kept {
    let rows = vec![
        row("null", Kind::Loop, 1.0, 0.1),
        row("heap", Kind::Ours, heap_ns, 1.5),
        row("system", Kind::Peer, 10.0, 1.25),
        slab,
    ];
    let names = rows.iter().map(|row| row.name.clone()).collect();
    let result = TraceResult { name: name.to_owned(), events: 2000, peak_live_bytes: 9, rows };
    let file = RecordingFile { name: name.to_owned(), bytes: 1, fingerprint: "0".repeat(16) };
    let options = RunOptions { rows: names, ..options() };
    let kept = Kept::new(options, file, result, Vec::new());
    kept.write(&folder.join(format!("{name}.json"))).expect("the folder can be written");
    kept
}

fn slab(ns: f64) -> RowResult {
    row("slab", Kind::Ours, ns, 1.0)
}

#[test]
fn a_result_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = keep(folder.path(), "game.v2", 5.0, slab(7.0));
    assert_eq!(Kept::read(&folder.path().join("game.v2.json")).expect("it is whole"), kept);
}

#[test]
fn merging_shows_distributions_and_wins() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, heap_ns) in [("a", 2.0), ("b", 4.0), ("c", 6.0), ("d", 8.0), ("e", 20.0)] {
        keep(folder.path(), name, heap_ns, slab(7.0));
    }
    let refused = RowResult { refused: Some(3), ..slab(0.5) };
    keep(folder.path(), "f", 4.0, refused);
    fs::write(folder.path().join(".a.json.7.part"), "half").expect("written");
    let merged = merge(folder.path()).expect("six results");
    let text = merged.sheet().to_string();
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    // Over a to f: 0.2 0.4 0.4 0.6 0.8 2.0 for the heap, 0.7 five times for the slab.
    let expected = [
        "heap 6 0.500 0.400 0.750 0.200 a 2.000 e 4",
        "slab 5 0.700 0.700 0.700 0.700 a 0.700 e 2",
        "system 6 1.000 1.000 1.000 1.000 a 1.000 f 0",
    ];
    let time = lines.iter().position(|line| line.first() == Some(&"Time:")).expect("the table");
    let rows: Vec<String> = lines[time + 2..time + 5].iter().map(|line| line.join(" ")).collect();
    assert_eq!(rows, expected, "{text}");
    assert!(text.contains("  f          slab  refused 3 requests"), "{text}");
    assert!(text.contains("time: `heap` has the least median, 0.500; best on 4 of 6."), "{text}");
    assert!(!text.contains("null"), "the loop is no allocator: {text}");
    assert!(!merged.has_losses());
}

#[test]
fn damaged_and_foreign_results_are_all_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    keep(folder.path(), "good", 5.0, slab(7.0));
    let whole = fs::read_to_string(path("good.json")).expect("it is there");
    let spoil = |name: &str, text: String| fs::write(path(name), text).expect("written");
    let own = |name: &str| whole.replace("\"good\"", &format!("\"{name}\""));
    spoil("cut.json", own("cut")[..whole.len() / 2].to_owned());
    spoil("other.json", whole.clone());
    spoil("later.json", own("later").replace("result 1", "result 2"));
    spoil("minus.json", own("minus").replace("\"median\": 5.0", "\"median\": -5.0"));
    spoil("more.json", own("more").replace("\"format\"", "\"mine\": 1,\n  \"format\""));
    spoil("rows.json", own("rows").replacen("\"slab\"", "\"slob\"", 1));
    spoil("deep.json", "[".repeat(100_000));
    let error = merge(folder.path()).expect_err("seven are spoiled").to_string();
    for (name, what) in [
        ("cut", "EOF while parsing"),
        ("other", "it is the result of `good`, not of `other`"),
        ("later", "its format is `loligo replay result 2`"),
        ("minus", "a figure of row `heap` cannot be"),
        ("more", "unknown field `mine`"),
        ("rows", "its rows are not those that its options name"),
        ("deep", "invalid type: sequence"),
    ] {
        let line = error.lines().find(|line| line.contains(&format!("{name}.json: not a result")));
        assert!(line.is_some_and(|line| line.contains(what)), "{name}: {error}");
    }
    assert_eq!(error.lines().count(), 7, "{error}");
}

#[test]
fn results_of_other_options_are_not_mixed() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = keep(folder.path(), "a", 5.0, slab(7.0));
    let mut other = keep(folder.path(), "b", 5.0, slab(7.0));
    other.options.rounds = 9;
    other.write(&folder.path().join("b.json")).expect("written");
    let error = merge(folder.path()).expect_err("rounds differ").to_string();
    assert!(
        error.contains("b.json were measured with different options: 1 and 9 rounds"),
        "{error}"
    );
    let fields = [
        RunOptions { threads: Some(4), ..kept.options.clone() },
        RunOptions { verify: false, ..kept.options.clone() },
        RunOptions { strategies: "1".into(), ..kept.options.clone() },
        RunOptions { cap_ns: Some(1), ..kept.options.clone() },
    ];
    for options in fields {
        other.options = options;
        other.write(&folder.path().join("b.json")).expect("written");
        assert!(matches!(merge(folder.path()), Err(MergeError::Mixed(..))), "{:?}", other.options);
    }
    let empty = tempfile::tempdir().expect("a folder");
    let error = merge(empty.path()).expect_err("nothing is there").to_string();
    assert!(error.contains("no result is there; `loligo replay --shard 1/1 --json"), "{error}");
}
