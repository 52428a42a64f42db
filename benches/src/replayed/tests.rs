//! Tests of the rows on traces.

use loligo_replay::results::{Kind, RowResult};
use loligo_replay::trace::Op;

use super::*;

fn row_result(name: &str, rounds_ns: &[f64], refused: u64) -> RowResult {
    RowResult {
        name: name.to_owned(),
        kind: Kind::Peer,
        ns_per_event: None,
        memory_ratio: Some(1.5),
        peak_bytes: None,
        worst_ns: Some(700.0),
        faults: None,
        refused: Some(refused),
        capped: false,
        events_done: 10,
        rounds_ns: rounds_ns.to_vec(),
        note: None,
        threads: None,
    }
}

fn replayed() -> Replayed {
    let mut replayed = Replayed::new(Traces::find());
    for (trace, factor) in replayed.traces.names().into_iter().zip([1.0, 4.0].into_iter().cycle()) {
        let result = TraceResult {
            name: trace.clone(),
            events: 10,
            peak_live_bytes: 100,
            rows: vec![
                row_result("heap-region", &[factor * 2.0, factor * 3.0], 0),
                row_result("heap", &[factor * 3.0, factor * 3.0], 0),
                row_result("system", &[factor * 4.0, factor * 9.0], 0),
                row_result("talc", &[factor * 4.0, factor * 4.0], 0),
                row_result("rlsf", &[factor, factor], 3),
            ],
        };
        replayed.times.insert(trace.clone(), result.clone());
        replayed.limits.insert(trace, result);
    }
    replayed
}

#[test]
fn the_mean_over_traces_is_geometric_and_of_each_round() {
    assert_eq!(geomeans(&[vec![1.0, 9.0], vec![4.0, 4.0]]), [2.0, 6.0]);
    let mut replayed = replayed();
    let reading = replayed.answer(&Question::Geomean { ours: "heap-region" }, 2);
    let Reading::Raced { ours, peers, .. } = reading else {
        panic!("it was measured: {reading:?}");
    };
    let ratios: Vec<f64> = ours.iter().zip(&peers[0].1).map(|(a, b)| a / b).collect();
    assert!((ratios[0] - 0.5).abs() < 1e-12 && (ratios[1] - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn peers_that_refuse_are_no_measure_and_those_not_there_are_named() {
    let mut replayed = replayed();
    let trace = replayed.traces.names().remove(0);
    let mut ask = |ours, peers| {
        let trace = trace.clone();
        replayed.answer(&Question::Trace { trace, ours, peers }, 2)
    };
    let Reading::Raced { peers, absent, .. } = ask("heap-region", &["talc", "rlsf"]) else {
        panic!("it was measured");
    };
    assert_eq!(peers.len(), 1);
    assert_eq!((peers[0].0.as_str(), absent.len()), ("talc", 0));
    let Reading::Raced { peers, absent, .. } = ask("heap", &["snmalloc"]) else {
        panic!("it was measured");
    };
    assert_eq!((peers.len(), &absent[..]), (0, &["snmalloc"][..]));
    let Reading::Unmeasured(why) = ask("rlsf", &["talc"]) else {
        panic!("three requests were refused");
    };
    assert!(why.contains("refused 3 requests"), "{why}");
}

#[test]
fn limits_are_those_of_the_worse_way() {
    let mut replayed = replayed();
    for result in replayed.limits.values_mut() {
        result.rows[1].worst_ns = Some(900.0);
    }
    let Reading::Alone { figures, note } = replayed.answer(&Question::Worst, 2) else {
        panic!("it was measured");
    };
    assert!((figures[0] - 0.9).abs() < 1e-12);
    assert_eq!(note.as_deref(), Some("heap-region 0.700, heap 0.900"));
}

#[test]
fn the_phases_shift_as_described() {
    let trace = shift::trace(&Shift { name: "shift20", least: 24, most: 480 });
    let phase_blocks = |phase: u64| (16 << 20) / (24 * phase);
    let blocks: u64 = (1..=20).map(phase_blocks).sum();
    let stay: u64 = (1..=20).map(|phase| phase_blocks(phase) / 50).sum();
    assert_eq!(trace.allocations, blocks);
    assert_eq!(trace.events.len() as u64, 2 * blocks - stay);
    assert!(trace.peak_live_bytes < (16 << 20) * 14 / 10);
    let trace = shift::trace(&Shift { name: "shiftw", least: 24, most: 12_000 });
    let sizes = trace.events.iter().filter(|event| event.op == Op::Allocate);
    let (first, last) = (sizes.clone().next(), sizes.clone().next_back());
    assert_eq!(first.map(|event| event.bytes), Some(24), "the first phase");
    assert_eq!(last.map(|event| event.bytes), Some(12_000), "the last one");
}
