//! Tests of the command's parts. The programs themselves are tested in `loligo_replay::suites`.

use crate::suites::figures::Figures;
use crate::suites::peers::{self, PEERS};

use super::*;

mod recorded;

#[test]
fn each_heap_is_found_by_its_name() {
    for peer in PEERS {
        assert_eq!(peers::named(peer.name).map(|found| found.is_ours), Ok(peer.is_ours));
    }
    let error = peers::named("nonsense").expect_err("there is none");
    assert!(error.contains("nonsense") && error.contains("glibc, mimalloc"), "{error}");
}

#[test]
fn each_suite_has_the_name_that_the_command_line_takes() {
    for suite in Suite::ALL {
        assert_eq!(Suite::from_str(suite.name(), false), Ok(suite));
    }
}

#[test]
fn figures_are_read_as_they_are_written() {
    let figures = Figures { operations: 20_000_000, seconds: 0.5, peak_kib: 11_264 };
    let line = format!("suite larson heap glibc threads 2 {figures}");
    assert_eq!(line.parse(), Ok(figures));
    assert!(line.ends_with("millions_a_second 40.00"), "{line}");
    for wrong in ["", "operations", "operations x seconds 1", "operations 1 seconds 1"] {
        assert!(wrong.parse::<Figures>().is_err(), "`{wrong}`");
    }
}

#[test]
fn figures_of_a_process_have_its_peak() {
    let timing =
        Timing { operations: 3, elapsed: core::time::Duration::from_millis(1500), own_kib: 0 };
    let figures = Figures::of_process(timing).expect("Linux states it");
    assert_eq!((figures.operations, figures.seconds), (3, 1.5));
    assert!(figures.peak_kib > 100, "{figures:?}");
}
