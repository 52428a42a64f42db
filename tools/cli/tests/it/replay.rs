//! `loligo replay` from outside.

use core::time::Duration;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use loligo_replay::trace::Trace;
use serde_json::Value;

use crate::support::{Place, recording, text};

/// Arguments that keep a run short.
const SHORT: [&str; 6] = ["replay", "--rounds", "1", "--peers=system,talc", "--strategies", "none"];

fn short<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SHORT, more].concat()
}

#[test]
fn help_has_examples() {
    let place = Place::new();
    let commands =
        ["advise", "convert", "record", "replay", "strategy"].map(|name| [name, "--help"]);
    for arguments in
        [&["--help"][..], &["replay", "-h"]].into_iter().chain(commands.iter().map(|c| &c[..]))
    {
        let (code, stdout, stderr) = place.run(arguments);
        assert_eq!((code, &*stderr), (0, ""), "{arguments:?}");
        assert!(stdout.contains("Examples:\n  loligo "), "{arguments:?}: {stdout}");
    }
    let (code, _, stderr) = place.run(&[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("Usage: loligo"), "{stderr}");
}

#[test]
fn a_replay_prints_a_table_and_writes_figures_and_report() {
    let place = Place::new();
    place.recording("game.altrace");
    let (code, stdout, stderr) = place.run(&short(&["game.altrace", "--json", "figures.json"]));
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.starts_with("game: 600 events, peak of "), "{stdout}");
    let lines: Vec<&str> = stdout.lines().collect();
    let [.., best, report] = &lines[..] else { panic!("{stdout}") };
    let few = "game: 600 events are too few to say what serves it best; record 2 000 at least.";
    assert_eq!(*best, few);
    assert_eq!(*report, "The report is loligo-report/index.html.");
    assert!(!stdout.contains('\u{1b}'), "no colours where there is no terminal");
    assert_eq!(place.names(), ["figures.json", "game.altrace", "loligo-report"]);
    let report = fs::read_dir(place.path("loligo-report")).expect("the folder is there");
    assert_eq!(report.count(), 1, "one page and nothing else");

    let figures = fs::read_to_string(place.path("figures.json")).expect("the figures");
    let figures: Value = serde_json::from_str(&figures).expect("valid JSON");
    let trace = &figures["traces"][0];
    assert_eq!(trace["name"], "game");
    assert_eq!(trace["events"], 600);
    let rows = trace["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    let expected = ["null", "heap", "heap-region", "slab", "buddy", "page", "system", "talc"];
    assert_eq!(names, expected);
    for row in rows {
        check_row(row);
    }
}

/// Checks that a row has the fields that were agreed, and no others.
fn check_row(row: &Value) {
    let mut fields: Vec<&str> =
        row.as_object().expect("an object").keys().map(|key| &**key).collect();
    let mut expected = [
        "name",
        "kind",
        "ns_per_event",
        "memory_ratio",
        "worst_ns",
        "faults",
        "refused",
        "capped",
        "events_done",
    ];
    expected.sort_unstable();
    fields.sort_unstable();
    assert_eq!(fields, expected, "{row}");
    let kind = match row["name"].as_str().expect("a name") {
        "null" => "loop",
        "system" | "talc" => "peer",
        _ => "ours",
    };
    assert_eq!(row["kind"], kind, "{row}");
    let ns = &row["ns_per_event"];
    let value = |name: &str| ns[name].as_f64().expect("a time");
    assert!(value("min") <= value("median") && value("median") <= value("max"), "{row}");
    assert_eq!(row["capped"], false, "{row}");
    assert_eq!(row["events_done"], 600, "{row}");
    if kind == "loop" {
        assert!(row["memory_ratio"].is_null() && row["worst_ns"].is_null(), "{row}");
    } else {
        assert!(row["memory_ratio"].as_f64().is_some_and(|ratio| ratio > 0.5), "{row}");
        assert!(row["worst_ns"].as_f64().is_some_and(|ns| ns > 0.0), "{row}");
        let may_refuse = ["slab", "buddy"].contains(&row["name"].as_str().expect("a name"));
        assert!(may_refuse || row["refused"] == 0, "{row}");
    }
}

#[test]
fn several_recordings_are_replayed_with_contents_verified() {
    let place = Place::new();
    place.recording("one.altrace");
    let packed = zstd::encode_all(&recording()[..], 3).expect("compressing in memory");
    place.file("two.altrace.zst", packed);
    let arguments = short(&["one.altrace", "two.altrace.zst", "--verify", "--report", "out/pages"]);
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    for name in ["one", "two"] {
        let line = format!("{name}: contents verified on 7 rows, nothing lost.");
        assert!(stdout.contains(&line), "{stdout}");
        assert!(stdout.contains(&format!("\n{name}: 600 events are too few ")), "{stdout}");
    }
    assert!(stdout.ends_with("The report is out/pages/index.html.\n"), "{stdout}");
}

#[test]
fn damaged_recordings_are_refused_with_file_record_and_reason() {
    let place = Place::new();
    let mut unknown = recording();
    unknown[8 + 16 * 5] = 9;
    place.file("unknown.altrace", &unknown);
    place.file("cut.altrace", &recording()[..8 + 16 * 7 + 3]);
    place.file("magic.altrace", b"ALTRACE3");
    let packed = zstd::encode_all(&unknown[..], 3).expect("compressing in memory");
    place.file("packed.altrace.zst", &packed);
    place.file("half.altrace.zst", &packed[..packed.len() / 2]);
    for (file, parts) in [
        ("unknown.altrace", &["record 5 ", "unknown operation 9"][..]),
        ("packed.altrace.zst", &["record 5 ", "unknown operation 9"]),
        ("cut.altrace", &["record 7 ", "broken length"]),
        ("magic.altrace", &["bad magic"]),
        ("half.altrace.zst", &["the compressed stream is damaged"]),
        ("none.altrace", &["cannot read"]),
    ] {
        let stderr = place.refused(&short(&[file, "--json", "figures.json"]));
        assert!(stderr.starts_with(&format!("loligo: {file}: ")), "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{stderr}");
        }
    }
}

#[test]
fn a_recording_that_ends_early_is_replayed_as_far_as_it_goes() {
    let place = Place::new();
    let whole = recording();
    let trace = Trace::read("whole", &whole[..]).expect("valid");
    let mut file = Vec::new();
    trace.write(&mut file).expect("a vector takes every write");
    // The magic, 150 events, and a part of the next.
    place.file("killed.altrace", &file[..8 + 32 * 150 + 5]);
    let (code, stdout, stderr) = place.run(&short(&["killed.altrace", "--verify"]));
    assert_eq!(code, 0, "{stderr}");
    let told = "loligo: killed ends early, as of a program that was killed: 150 events are whole, 5 \
                bytes left over\n";
    assert_eq!(stderr, told);
    assert!(stdout.starts_with("killed: 150 events, "), "{stdout}");
    assert!(stdout.contains("killed: contents verified on 7 rows, nothing lost."), "{stdout}");
}

#[test]
fn all_damaged_recordings_are_named_at_once() {
    let place = Place::new();
    place.recording("good.altrace");
    let stderr = place.refused(&short(&["bad.altrace", "good.altrace", "worse.altrace"]));
    assert!(stderr.contains("loligo: bad.altrace: "), "{stderr}");
    assert!(stderr.contains("loligo: worse.altrace: "), "{stderr}");
    assert!(!stderr.contains("good.altrace"), "{stderr}");
}

#[test]
fn unknown_strategies_and_peers_name_the_known_ones() {
    let place = Place::new();
    place.recording("game.altrace");
    let stderr = place.refused(&["replay", "game.altrace", "--strategies", "pools+heap,pond"]);
    assert!(stderr.contains("unknown strategy `pond`; known are pools+heap, "), "{stderr}");
    let stderr = place.refused(&["replay", "game.altrace", "--peers=glibc"]);
    assert!(stderr.contains("unknown peer `glibc`; known are system, "), "{stderr}");
}

#[test]
fn strategies_come_from_files() {
    let place = Place::new();
    place.recording("game.altrace");
    place.file(
        "mine.json",
        r#"{"strategies": [{"name": "mine", "tree": {"by-size": {
            "classes": [{"up_to": 64, "to": {"pool": {"bytes": 64}}}], "rest": {"heap": {}}}}}]}"#,
    );
    place.file("wrong.json", "{\"strategies\": [\n  {\"name\": \"mine\", \"bas\": \"heap\"}]}");
    let arguments = [
        "replay",
        "game.altrace",
        "--rounds",
        "1",
        "--peers=none",
        "--strategies",
        "mine.json,none",
    ];
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.contains("\n  mine  "), "{stdout}");
    assert!(!stdout.contains("pools+heap") && !stdout.contains("system"), "{stdout}");
    let stderr = place.refused(&["replay", "game.altrace", "--strategies", "wrong.json"]);
    assert!(stderr.contains("wrong.json: unknown field `bas`"), "{stderr}");
    assert!(stderr.contains("line 2 column 24"), "{stderr}");
}

#[test]
fn what_cannot_be_written_is_said_before_the_work() {
    let place = Place::new();
    place.recording("game.altrace");
    place.file("file", "a file and no folder");
    // Enough rounds to show by the time it takes if work were done first.
    let long = ["replay", "game.altrace", "--rounds", "10000"];
    for arguments in [["--report", "file"], ["--report", "file/x"], ["--json", "none/f.json"]] {
        let stderr = place.refused(&[&long[..], &arguments].concat());
        assert!(stderr.contains(arguments[1]), "{stderr}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let place = Place::new();
    for (arguments, part) in [
        (&["replay", "--rounds", "0"][..], "--rounds"),
        (&["replay", "--rounds", "many"], "--rounds"),
        (&["replay", "--cap", "0"], "must be more than 0"),
        (&["replay", "--cap=-1"], "--cap"),
        (&["replay", "--unknown"], "--unknown"),
        (&["reply"], "replay"),
    ] {
        let stderr = place.refused(arguments);
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn peers_may_be_given_bare() {
    let place = Place::new();
    place.recording("game.altrace");
    let arguments = ["replay", "--rounds", "1", "--strategies", "none", "--peers", "game.altrace"];
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""));
    for peer in ["system", "mimalloc", "dlmalloc", "talc", "rlsf", "linked_list_allocator"] {
        assert!(stdout.contains(&format!("\n  {peer} ")), "{peer}: {stdout}");
    }
}

#[test]
fn a_capped_row_is_marked() {
    let place = Place::new();
    place.recording("game.altrace");
    let arguments = short(&["game.altrace", "--cap", "0.000001", "--json", "figures.json"]);
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.contains("capped after 512 events"), "{stdout}");
    let figures = fs::read_to_string(place.path("figures.json")).expect("the figures");
    let figures: Value = serde_json::from_str(&figures).expect("valid JSON");
    let heap = &figures["traces"][0]["rows"][1];
    assert_eq!(heap["capped"], true);
    assert_eq!(heap["events_done"], 512);
    assert!(heap["ns_per_event"]["median"].is_number(), "{heap}");
    assert!(heap["memory_ratio"].is_null() && heap["worst_ns"].is_null(), "{heap}");
}

#[test]
fn an_interrupted_run_leaves_the_old_files_whole() {
    let place = Place::new();
    place.file("figures.json", "old figures");
    let mut child = place
        .loligo(&["replay", "--json", "figures.json", "--report", "pages"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    std::thread::sleep(Duration::from_millis(700));
    child.kill().expect("the child is ours");
    let status = child.wait().expect("the child is ours");
    assert_eq!(status.signal(), Some(9), "the bundled recordings take longer than that");
    let figures = fs::read_to_string(place.path("figures.json")).expect("the file is there");
    assert_eq!(figures, "old figures");
    let left: Vec<String> = place.names().into_iter().filter(|name| name != "pages").collect();
    assert_eq!(left, ["figures.json"]);
    if let Ok(pages) = fs::read_dir(place.path("pages")) {
        assert_eq!(pages.count(), 0, "no half of a page");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    let file = place.recording("game.altrace");
    let mut child = place
        .loligo(&short(&[text(&file)]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the child is ours");
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.lines().all(|phase| phase.ends_with(" ..")), "{stderr}");
}
