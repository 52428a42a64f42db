//! Tests of dated records.

use super::*;

#[test]
fn dates_follow_the_calendar() {
    let known = [
        (0, "1970-01-01"),
        (58, "1970-02-28"),
        (59, "1970-03-01"),
        (789, "1972-02-29"),
        (790, "1972-03-01"),
        (10_957, "2000-01-01"),
        (11_016, "2000-02-29"),
        (20_453, "2025-12-31"),
        (20_454, "2026-01-01"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ];
    for (days, date) in known {
        assert_eq!(date_of(days), date);
    }
}

#[test]
fn a_record_has_the_figures_and_how_they_were_taken() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let folder = folder.path().join("record");
    let arguments = ["--record".to_owned(), "benches/record".to_owned()];
    let rounds = "9, on two traces".to_owned();
    let facts = Facts::collect("cargo xtask scoreboard", &arguments, rounds);
    let text = write(&folder, "{\"rows\":[]}", &facts, "the table\n").expect("it can be written");
    let json = fs::read_to_string(text.with_extension("json")).expect("it stands beside");
    assert_eq!(json, "{\"rows\":[]}");
    let text = fs::read_to_string(text).expect("it was written");
    for part in [
        "cargo xtask scoreboard --record benches/record",
        "rustc 1.",
        "cores",
        "9, on two traces",
        "the table",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}
