use super::*;

#[test]
fn the_total_is_read() {
    let text = "version: 1\nevents: Ir\n\nfn=(1) main\n7 1000\n\ntotals: 123456\n";
    assert_eq!(total(text), Some(123_456));
    assert_eq!(total("version: 1\n"), None);
    assert_eq!(total("totals: \n"), None);
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
