//! Tests of the summary.

use clap::Parser;

use super::*;
use crate::suites::peers::named;

/// A command line with the arguments of the summary.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    summary: Summary,
}

fn summary(arguments: &[&str]) -> Summary {
    let all = core::iter::once(&"suites").chain(arguments);
    Line::try_parse_from(all).expect("it is understood").summary
}

fn heaps() -> Vec<Peer> {
    ["threads", "glibc", "mimalloc"].map(|name| named(name).expect("is there")).to_vec()
}

#[test]
fn all_suites_are_measured_on_1_2_4_and_8_threads() {
    let cells = summary(&[]).cells(3);
    assert_eq!(cells.len(), 4 * Suite::ALL.len());
    assert_eq!((cells[3].suite, cells[3].threads), (Suite::Larson, 8));
    let cells = summary(&["cfrac", "--threads", "3"]).cells(3);
    assert_eq!(cells.len(), 1);
    assert_eq!((cells[0].suite, cells[0].threads), (Suite::Cfrac, 3));
}

#[test]
fn a_row_has_the_best_peer_by_medians_and_both_peaks() {
    let mut cells = summary(&["larson", "--threads", "2"]).cells(3);
    let heaps = heaps();
    for round in 0..3 {
        measure(&mut cells, &heaps, round, &|_, heap| {
            let seconds = match (heap.name, round) {
                ("threads", _) => 3.0,
                // Once the fastest, by chance.
                ("glibc", 0) => 0.5,
                ("glibc", _) => 4.0,
                _ => 2.0,
            };
            let peak_kib = if heap.name == "threads" { 2048 } else { 1024 };
            Ok(Figures { operations: 1, seconds, peak_kib })
        })
        .expect("nothing fails");
    }
    let table = table(&cells, &heaps);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines[2], "| larson | 2 | 3.000 | mimalloc | 2.000 | 1.50 | 2.0 | 1.0 | 2.00 |");
    for line in &lines {
        assert_eq!(line.matches('|').count(), HEADS.len() + 1, "{line}");
    }
    let all = each_heap(&cells, &heaps);
    let last = all.lines().last().expect("a row");
    assert_eq!(last, "| larson | 2 | 3.000, 2.0 | 4.000, 1.0 | 2.000, 1.0 |", "all heaps");
    assert!(all.starts_with("| suite | threads | threads: s, MiB | glibc: s, MiB |"), "{all}");
}

#[test]
fn a_run_that_fails_ends_the_rounds() {
    let mut cells = summary(&["larson"]).cells(3);
    let failed = rounds(5, Duration::MAX, &mut |round| {
        measure(&mut cells, &heaps(), round, &|_, heap| Err(format!("{} failed", heap.name)))
    });
    assert_eq!(failed, Err("threads failed".to_owned()));
}

#[test]
fn there_is_a_round_and_no_more_than_fit() {
    let mut done = 0;
    let mut count = |_: usize| {
        done += 1;
        Ok(())
    };
    assert_eq!(rounds(5, Duration::ZERO, &mut count), Ok(1));
    assert_eq!(rounds(5, Duration::from_secs(3600), &mut count), Ok(5));
    assert_eq!(done, 6);
}

#[test]
fn a_folder_that_is_absent_is_reported_before_the_work() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let absent = folder.path().join("absent").join("record");
    let absent = absent.to_str().expect("it is text");
    let error = summary(&["--record", absent]).run(&[], &mut |_| ()).expect_err("no folder");
    assert!(error.contains("absent") && error.contains("make it first"), "{error}");
}
