//! The example, and a program whose allocators are wrong.

use std::fs;
use std::process::Command;

use loligo_replay::bundled::bundled;
use loligo_tests::misuse::Wrong;

/// Runs a program with its report in a temporary folder; returns status, output, errors and page.
fn run(program: &str, arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let place = tempfile::tempdir().expect("a folder for the report");
    let output = Command::new(program)
        .args(arguments)
        .arg("--report")
        .arg(place.path())
        .current_dir(place.path())
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let page = fs::read_to_string(place.path().join("bench.html")).unwrap_or_default();
    (output.status.code(), text(output.stdout), text(output.stderr), page)
}

const OWN: &str = env!("CARGO_BIN_EXE_bench_own");
const WRONG: &str = env!("CARGO_BIN_EXE_loligo-bench-wrong");

/// Returns the lines of a table of the output, the headings first, as cells.
fn table<'t>(text: &'t str, heading: &str) -> Vec<Vec<&'t str>> {
    let lines = text.lines().skip_while(|line| !line.starts_with(&format!("{heading}:")));
    let lines = lines.skip(1).take_while(|line| line.starts_with("  "));
    lines
        .map(|line| {
            line.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
        })
        .collect()
}

#[test]
fn the_example_has_a_row_beside_all_others_in_every_part() {
    let (code, text, errors, page) = run(OWN, &["--quick", "--rounds", "1"]);
    assert_eq!(code, Some(0), "{text}\n{errors}");
    let checks = table(&text, "Conformance");
    assert_eq!(checks[0], ["check", "mine"]);
    assert_eq!(checks.len(), 18, "17 checks: {checks:?}");
    assert!(checks[1..].iter().all(|line| line[1] == "passed"), "{checks:?}");
    let misuse = table(&text, "Misuse");
    assert_eq!(misuse[0], ["misuse", "mine", "heap", "system"]);
    assert_eq!(misuse.len(), 1 + Wrong::ALL.len());
    assert_eq!(misuse[1][..3], ["double free", misuse[1][1], "detected"]);
    for (heading, columns) in
        [("Fill and class shift", 3), ("Replay: time", 2), ("Replay: memory", 2)]
    {
        let rows = table(&text, heading);
        for row in ["mine", "heap", "thread-heap", "system", "mimalloc", "talc"] {
            let line = rows.iter().find(|line| line[0] == row);
            let line = line.unwrap_or_else(|| panic!("{heading} lacks {row}: {text}"));
            let figures = line[1..].iter().filter(|cell| cell.starts_with(char::is_numeric));
            assert!(figures.count() >= columns, "{heading}: {line:?}");
        }
    }
    let threads = table(&text, "Threads: speed");
    assert_eq!(threads[0][..3], ["row, threads", "larson 1", "larson 2"]);
    assert!(threads.iter().any(|line| line[0] == "mine" && line.len() == threads[0].len()));
    assert!(text.contains("\nmine: 17 of 17 checks passed; "), "{text}");
    assert!(page.contains("<h1>mine among others</h1>"), "the page is there");
    assert!(page.contains("<tr class=\"marked\"><th scope=\"row\" class=\"words\">mine</th>"));
    assert!(errors.starts_with("conformance: "), "each part is announced: {errors}");
    assert!(!text.contains('\u{1b}'), "no colours where there is no terminal");
}

#[test]
fn what_is_wrong_is_found_and_does_not_end_the_program() {
    let (code, text, errors, _) =
        run(WRONG, &["--quick", "--rounds", "1", "--only", "conformance,misuse,replay"]);
    assert_eq!(code, Some(1), "{text}\n{errors}");
    let checks = table(&text, "Conformance");
    assert_eq!(checks[0], ["check", "unclean", "abrupt", "theirs", "naive"]);
    let verdicts = |check: &str| {
        let line = checks.iter().find(|line| line[0] == check);
        line.unwrap_or_else(|| panic!("no check {check}: {text}"))[1..].to_vec()
    };
    assert_eq!(verdicts("zeroed"), ["FAILED", "passed", "passed", "passed"]);
    assert_eq!(verdicts("reallocate"), ["passed", "FAILED", "passed", "passed"]);
    assert_eq!(verdicts("leak"), ["-", "-", "-", "passed"]);
    let died = "the process died: signal: 6 (SIGABRT) (core dumped): abrupt: cannot resize";
    let died_without_core = died.replace(" (core dumped)", "");
    assert!(text.contains(died) || text.contains(&died_without_core), "{text}");
    assert!(text.contains("theirs: 17 of 17 checks passed; "), "{text}");
    let frees = table(&text, "Misuse");
    assert_eq!(frees[1][4], "detected", "the naive allocator reports a double free: {frees:?}");
    // What loses contents or dies is not timed; the others are.
    let times = table(&text, "Replay: time");
    let cells = |row: &str| times.iter().find(|line| line[0] == row).expect("a row")[1..].to_vec();
    assert!(cells("abrupt").contains(&"-"), "{times:?}");
    assert!(!cells("theirs").contains(&"-"), "{times:?}");
}

#[test]
fn what_cannot_be_done_is_refused_before_any_work() {
    let (code, text, errors, _) = run(OWN, &["none.altrace"]);
    assert_eq!((code, &*text), (Some(2), ""), "{errors}");
    assert!(errors.starts_with("bench: none.altrace: "), "{errors}");
    let (code, _, errors, _) = run(OWN, &["--only", "speed"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("conformance, misuse, fill, replay, threads"), "{errors}");
    let (code, text, _, _) = run(OWN, &["--help"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("Examples:\n  cargo run --release "), "{text}");
}

#[test]
fn quick_recordings_are_bundled_ones() {
    let names: Vec<&str> = bundled().iter().map(|one| one.name).collect();
    assert!(["git-log", "sqlite"].iter().all(|name| names.contains(name)), "{names:?}");
}
