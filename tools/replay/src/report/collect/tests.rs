//! What is first on the page.

use super::collect;
use crate::report::tests::{random_trace, result};
use crate::results::{Results, TraceResult};

#[test]
fn verdicts_come_first_and_name_the_best() {
    let trace = random_trace(1, 2200);
    let results = Results { traces: vec![result(&trace)] };
    let traces = [trace];
    let (opening, data) = collect(&results, &traces);
    let (name, verdict) = &opening.verdicts[0];
    assert_eq!(name, "test", "the trace");
    assert!(verdict.starts_with("`heap` serves it best"), "without its name again: {verdict}");
    assert_eq!(data.traces[0].best, Some("heap"), "the table marks it");
    let expected =
        "1 recorded program, 2,200 events of allocating and freeing, replayed over 2 allocators.";
    assert_eq!(opening.lede, expected, "the loop is no allocator");
}

#[test]
fn a_verdict_without_a_best_starts_as_a_sentence() {
    let traces = [random_trace(1, 2100)];
    let nobody = TraceResult { rows: Vec::new(), ..result(&traces[0]) };
    let results = Results { traces: vec![nobody] };
    let (opening, data) = collect(&results, &traces);
    assert_eq!(data.traces[0].best, None, "nobody is marked");
    let verdict = &opening.verdicts[0].1;
    assert_eq!(verdict, "Nothing served all of it.", "nobody");
}

#[test]
fn two_traces_of_one_name_keep_their_own_results() {
    let traces = [random_trace(1, 100), random_trace(2, 300)];
    let results = Results { traces: traces.iter().map(result).collect() };
    let (_, data) = collect(&results, &traces);
    let done: Vec<_> = data.traces.iter().map(|trace| trace.rows[0].result.events_done).collect();
    assert_eq!(done, [100, 300], "in their order");
}

#[test]
fn a_result_of_another_trace_is_not_shown() {
    let traces = [random_trace(1, 100)];
    let other = TraceResult { name: String::from("other"), ..result(&traces[0]) };
    let results = Results { traces: vec![other] };
    let (opening, data) = collect(&results, &traces);
    assert!(data.traces[0].rows.is_empty(), "no table");
    assert_eq!(opening.verdicts[0].1, "", "and no verdict");
}
