//! The folder and the file; and what the tests of this module's parts share.

mod toy;

use std::fs;

use loligo_allocators::Allocator;

use super::{PAGE, ReportError, prepare};
use crate::results::{Kind, Results, RowResult, Spread, TraceResult};
use crate::trace::{Event, Op, Trace};

pub(super) use toy::Toy;

/// A xorshift generator.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % bound
    }
}

/// A trace called `test` of operations, slots and sizes.
pub(super) fn trace(calls: &[(Op, u32, u64)]) -> Trace {
    let event = |&(op, slot, bytes)| Event { op, align_log2: 3, thread: 0, slot, bytes };
    Trace::from_events("test", calls.iter().map(event).collect()).expect("the trace is valid")
}

/// A valid trace of random calls.
pub(super) fn random_trace(seed: u64, events: usize) -> Trace {
    let mut random = Random(seed);
    let (mut live, mut dead, mut slots) = (Vec::new(), Vec::new(), 0);
    let mut calls = Vec::new();
    for _ in 0..events {
        let most = 1 << (1 + random.below(14));
        let bytes = 1 + random.below(most) as u64;
        match random.below(10) {
            0..4 if !live.is_empty() => {
                let slot = live.swap_remove(random.below(live.len()));
                dead.push(slot);
                calls.push((Op::Free, slot, 0));
            }
            4 if !live.is_empty() => {
                calls.push((Op::Reallocate, live[random.below(live.len())], bytes));
            }
            _ => {
                let slot = dead.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                });
                live.push(slot);
                calls.push((Op::Allocate, slot, bytes));
            }
        }
    }
    trace(&calls)
}

/// A result that goes with a trace.
pub(super) fn result(trace: &Trace) -> TraceResult {
    let row = |name: &str, kind, median| RowResult {
        name: name.to_owned(),
        kind,
        ns_per_event: Some(Spread { median, min: median, max: median }),
        memory_ratio: Some(1.5),
        peak_bytes: None,
        worst_ns: Some(900.0),
        faults: Some(3),
        refused: Some(0),
        capped: false,
        events_done: trace.events.len() as u64,
        rounds_ns: vec![median],
        note: None,
        threads: None,
    };
    TraceResult {
        name: trace.name.clone(),
        events: trace.events.len() as u64,
        peak_live_bytes: trace.peak_live_bytes,
        rows: vec![
            row("heap", Kind::Ours, 10.0),
            row("system", Kind::Peer, 20.0),
            row("null", Kind::Loop, 3.0),
        ],
    }
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

#[test]
fn the_report_is_one_file() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = place.path().join("some/report");
    let mut trace = random_trace(3, 1500);
    trace.name = String::from("</script><b>x");
    let results = Results { traces: vec![result(&trace)] };
    let report = prepare(&folder).expect("the folder can be made");
    assert_eq!(names(&folder), [""; 0], "preparing leaves no file");
    let path = report.write(&results, &[trace]).expect("the page can be written");
    assert_eq!(path, folder.join(PAGE), "it is where it says");
    assert_eq!(names(&folder), [PAGE], "and nothing else does");
    let page = fs::read_to_string(path).expect("the page is text");
    assert!(!page.contains("<b>x") && !page.contains("http"), "escaped, and no link");
    assert!(page.ends_with("</html>\n"), "it is whole");
    let json = page.split_once("id=\"report-data\">").expect("the data is there").1;
    let json = json.split_once("</script>").expect("the data ends").0;
    let data: serde_json::Value = serde_json::from_str(json).expect("the data is JSON");
    let drawn = &data["traces"][0];
    assert_eq!(drawn["name"], "</script><b>x", "the name means what it meant");
    assert_eq!(drawn["rows"][0]["ns_per_event"]["median"], 10.0, "the rows are there");
    assert_eq!(drawn["allocators"].as_array().map(Vec::len), Some(3), "heap, slab and buddy");
    assert_eq!(data["films"][0]["levels"], 5, "the demonstration");
}

#[test]
fn an_older_report_is_replaced() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join(PAGE), "old").expect("a file for the test");
    let report = prepare(place.path()).expect("the folder can be used");
    assert_eq!(
        fs::read(place.path().join(PAGE)).ok(),
        Some(b"old".to_vec()),
        "not before it is done"
    );
    let path = report.write(&Results::default(), &[]).expect("the page can be written");
    assert!(fs::read(path).is_ok_and(|page| page.starts_with(b"<!doctype html>")), "the new page");
}

fn refusal(error: &ReportError, folder: &std::path::Path) {
    let text = error.to_string();
    assert!(text.contains(&folder.display().to_string()), "names the folder: {text}");
    assert!(text.contains("--report DIR"), "names the remedy: {text}");
    let cause = core::error::Error::source(error).expect("there is a cause").to_string();
    assert!(text.contains(&cause), "names the reason: {text}");
}

#[test]
fn a_folder_inside_a_file_is_refused_before_the_work() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let file = place.path().join("file");
    fs::write(&file, "").expect("a file for the test");
    refusal(&prepare(&file).expect_err("a file is no folder"), &file);
    let inside = file.join("report");
    refusal(&prepare(&inside).expect_err("nor can it hold one"), &inside);
}

#[test]
fn a_folder_in_the_place_of_the_page_is_refused() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::create_dir(place.path().join(PAGE)).expect("a folder for the test");
    refusal(&prepare(place.path()).expect_err("the page has no place"), place.path());
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let report = prepare(place.path()).expect("the folder can be used");
    fs::create_dir(place.path().join(PAGE)).expect("a folder for the test");
    let error = report.write(&Results::default(), &[]).expect_err("the page has no place");
    refusal(&error, place.path());
    assert_eq!(names(place.path()), [PAGE], "the half-made file is gone");
    drop(place);
    let gone = report.write(&Results::default(), &[]).expect_err("the folder is gone");
    assert!(gone.to_string().contains("cannot write"), "{gone}");
}

/// Checks that an allocator ended a test with nothing alive.
pub(super) fn nothing_live(allocator: &dyn Allocator) {
    assert_eq!(allocator.stats().live, 0, "blocks are left in {}", allocator.name());
    allocator.verify().expect("the allocator is sound");
}
