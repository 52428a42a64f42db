//! Tests of counting instructions.

use super::*;
use crate::counted::run;

#[test]
fn totals_are_read_by_event() {
    let text = "version: 1\nevents: Ir Dr D1mr\n\nfn=(1) main\n7 1000 1 1\n\ntotals: 123456 7 9\n";
    assert_eq!(event(text, "Ir"), Some(123_456));
    assert_eq!(event(text, "D1mr"), Some(9));
    assert_eq!(event(text, "D1mw"), None);
    assert_eq!(event("version: 1\n", "Ir"), None);
    assert_eq!(event("events: Ir\ntotals: \n", "Ir"), None);
}

#[test]
fn every_workload_has_a_name_to_be_called_by() {
    for counted in Counted::value_variants() {
        assert!(counted.to_possible_value().is_some());
    }
}

#[test]
fn every_workload_runs() {
    for counted in Counted::value_variants() {
        run(*counted, 1);
    }
}
