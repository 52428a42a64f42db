//! `loligo replay --threads` from outside.

use std::fs;

use loligo_replay::trace::{Event, Op, write_trace};
use serde_json::Value;

use crate::support::Place;

/// Arguments that keep a run short.
const SHORT: [&str; 4] = ["replay", "--rounds", "1", "--peers=system"];

fn short<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SHORT, more].concat()
}

/// Returns a recording of 900 events of three threads: each block is allocated by one, resized by
/// the next and freed by the third.
fn recording() -> Vec<u8> {
    let mut events = Vec::new();
    for block in 0..300_u32 {
        let thread = |turn| ((block + turn) % 3) as u16;
        let slot = 0;
        let event =
            |op, turn, bytes| Event { op, align_log2: 4, thread: thread(turn), slot, bytes };
        events.push(event(Op::Allocate, 0, 20 + u64::from(block)));
        events.push(event(Op::Reallocate, 1, 400 - u64::from(block)));
        events.push(event(Op::Free, 2, 0));
    }
    let mut file = Vec::new();
    write_trace(&mut file, &events).expect("a vector takes every write");
    file
}

#[test]
fn threads_print_a_table_and_write_figures_and_report() {
    let place = Place::new();
    place.file("game.altrace", recording());
    let arguments = short(&["game.altrace", "--threads", "--verify", "--json", "figures.json"]);
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let mut lines = stdout.lines();
    assert_eq!(lines.next(), Some("game: 900 events, peak of 400 live bytes"), "{stdout}");
    assert_eq!(lines.next(), Some("  3 threads, 600 events on a block of another thread"));
    let headings = lines.next().expect("a line of headings");
    let headings: Vec<&str> = headings.split_whitespace().collect();
    let expected = "row kind ms min max events/s CPU ns waits memory peak KiB faults refused";
    assert_eq!(headings.join(" "), expected);
    assert!(stdout.contains("game: contents verified on 4 rows, nothing lost."), "{stdout}");
    assert!(stdout.contains("\ngame: 900 events are too few "), "{stdout}");
    assert!(stdout.ends_with("\nThe report is loligo-report/index.html.\n"), "{stdout}");
    let figures = fs::read_to_string(place.path("figures.json")).expect("the figures");
    let figures: Value = serde_json::from_str(&figures).expect("valid JSON");
    let rows = figures["traces"][0]["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["null", "locked-heap", "thread-heap", "page", "system"]);
    rows.iter().for_each(check_row);
    let page = fs::read_to_string(place.path("loligo-report/index.html")).expect("the page");
    assert!(page.contains("\"recorded_threads\":3"), "the page has the figures");
}

fn check_row(row: &Value) {
    let threads = &row["threads"];
    assert_eq!(
        (&threads["threads"], &threads["recorded_threads"]),
        (&3.into(), &3.into()),
        "{row}"
    );
    assert_eq!(threads["hand_overs"], 600, "{row}");
    assert!(threads["waits"].as_u64().is_some_and(|waits| waits <= 600), "{row}");
    for spread in ["elapsed_ns", "events_per_second"] {
        assert!(threads[spread]["median"].as_f64().is_some_and(|value| value > 0.0), "{row}");
    }
    assert!(threads["cpu_ns_per_event"].is_number() && row["worst_ns"].is_null(), "{row}");
    assert_eq!((&row["events_done"], &row["capped"]), (&900.into(), &false.into()), "{row}");
    if row["kind"] == "loop" {
        assert!(threads["peak_bytes"].is_null() && row["memory_ratio"].is_null(), "{row}");
    } else {
        // Threads run ahead, so more can be alive than ever was.
        assert!(threads["peak_live_bytes"].as_u64().is_some_and(|bytes| bytes >= 20), "{row}");
        assert!(threads["peak_bytes"].is_u64() && row["memory_ratio"].is_number(), "{row}");
        assert_eq!(row["refused"], 0, "{row}");
    }
}

#[test]
fn more_threads_than_allowed_are_folded() {
    let place = Place::new();
    place.file("game.altrace", recording());
    let (code, stdout, stderr) = place.run(&short(&["--threads=2", "game.altrace"]));
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let line = "\n  2 threads for 3 of the program, 400 events on a block of another thread\n";
    assert!(stdout.contains(line), "{stdout}");
}

#[test]
fn a_recording_of_one_thread_is_replayed_by_one() {
    let place = Place::new();
    place.recording("game.altrace");
    let (code, stdout, stderr) = place.run(&short(&["game.altrace", "--threads"]));
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let line = "\n  1 thread, 0 events on a block of another thread\n";
    assert!(stdout.contains(line), "{stdout}");
}

#[test]
fn without_the_option_one_thread_replays_all() {
    let place = Place::new();
    place.file("game.altrace", recording());
    let arguments = short(&["game.altrace", "--strategies", "none", "--json", "figures.json"]);
    let (code, stdout, _) = place.run(&arguments);
    assert_eq!(code, 0, "{stdout}");
    assert!(!stdout.contains("events on a block of another thread"), "{stdout}");
    let figures = fs::read_to_string(place.path("figures.json")).expect("the figures");
    assert!(!figures.contains("\"threads\""), "{figures}");
}

#[test]
fn what_serves_one_thread_is_refused() {
    let place = Place::new();
    place.file("game.altrace", recording());
    for (arguments, what) in [
        (["--strategies", "pools+heap"], "strategy `pools+heap` serves one thread"),
        (["--peers=talc", "--verify"], "peer `talc` serves one thread"),
    ] {
        let arguments = [&["replay", "game.altrace", "--threads"][..], &arguments].concat();
        let stderr = place.refused(&arguments);
        assert!(stderr.starts_with(&format!("loligo: {what}")), "{stderr}");
        assert!(stderr.contains("locked-heap, thread-heap, page, system, mimalloc"), "{stderr}");
    }
}

#[test]
fn wrong_numbers_and_damaged_recordings_are_refused() {
    let place = Place::new();
    for threads in ["--threads=0", "--threads=257", "--threads=many", "--threads="] {
        let stderr = place.refused(&["replay", threads]);
        assert!(stderr.contains("--threads"), "{stderr}");
    }
    // The second event frees a block that no thread has allocated.
    let event = |op, slot, bytes| Event { op, align_log2: 4, thread: slot as u16, slot, bytes };
    let mut file = Vec::new();
    let events = [event(Op::Allocate, 0, 10), event(Op::Free, 1, 0)];
    write_trace(&mut file, &events).expect("a vector takes every write");
    place.file("free.altrace", file);
    let stderr = place.refused(&short(&["free.altrace", "--threads"]));
    assert!(stderr.starts_with("loligo: free.altrace: record 1 "), "{stderr}");
    assert!(stderr.contains("slot 1, which holds no live block"), "{stderr}");
}

#[test]
fn help_names_the_option_with_an_example() {
    let (code, stdout, stderr) = Place::new().run(&["replay", "--help"]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.contains("--threads[=<N>]"), "{stdout}");
    assert!(stdout.contains("\n  loligo replay game.altrace.zst --threads "), "{stdout}");
    assert!(stdout.contains("\n  loligo replay game.altrace.zst --threads=4 "), "{stdout}");
}
