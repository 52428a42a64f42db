//! Tests of medians, ratios, verdicts and the document.

use super::*;

fn raced(ours: &[f64], peers: &[(&str, &[f64])]) -> Reading {
    Reading::Raced {
        ours: ours.to_vec(),
        peers: peers.iter().map(|(name, figures)| ((*name).to_owned(), figures.to_vec())).collect(),
        absent: Vec::new(),
    }
}

fn close(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() < 1e-12)
}

#[test]
fn quantiles_of_odd_even_and_no_values() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median(&[7.0]), Some(7.0));
    assert_eq!(median(&[]), None);
    assert_eq!(quartile_distance(&[5.0, 1.0, 2.0, 4.0, 3.0]), Some(2.0));
    assert_eq!(quartile_distance(&[]), None);
}

#[test]
fn the_ratio_is_taken_within_each_round() {
    // The medians alone would give 2 / 3; the rounds give 1, 2 and 0.5.
    let reading = raced(&[3.0, 2.0, 1.0], &[("peer", &[3.0, 1.0, 2.0])]);
    let outcome = Outcome::of("r", "ns", &Aim::over_peer(1.0, 0.9), reading);
    assert_eq!(outcome.ratio, Some(1.0));
    assert_eq!(outcome.ours, Some(2.0));
    assert_eq!(outcome.best_peer, Some(2.0));
    assert!(close(outcome.spread, 0.75));
    assert_eq!(outcome.verdict, Verdict::Reached);
    assert!(outcome.reached);
}

#[test]
fn the_best_peer_is_the_one_that_leaves_us_least() {
    let peers: [(&str, &[f64]); 3] = [("slow", &[9.0]), ("quick", &[2.0]), ("middling", &[4.0])];
    let outcome = Outcome::of("r", "ns", &Aim::over_peer(1.0, 0.9), raced(&[3.0], &peers));
    assert_eq!(outcome.peer.as_deref(), Some("quick"));
    assert_eq!(outcome.ratio, Some(1.5));
    assert!(!outcome.reached);
    assert_eq!(outcome.verdict, Verdict::Missed);
}

#[test]
fn times_within_five_percent_of_the_target_count_as_equal() {
    let aim = Aim::over_peer(0.46, 0.41);
    assert_eq!(aim.judge(0.41), Verdict::Goal);
    assert_eq!(aim.judge(0.46), Verdict::Reached);
    assert_eq!(aim.judge(0.46 * 1.049), Verdict::Equal);
    assert_eq!(aim.judge(0.46 * 1.051), Verdict::Missed);
    assert!(Verdict::Equal.is_reached());
    assert!(!Verdict::Missed.is_reached());
    assert!(!Verdict::Open.is_reached());
}

#[test]
fn counts_are_exact() {
    let instructions = Aim::count(40.0, 30.0);
    assert_eq!(instructions.judge(40.0), Verdict::Reached);
    assert_eq!(instructions.judge(40.5), Verdict::Missed);
    let fill = Aim { at_least: true, ..Aim::bytes(0.97, 0.98) };
    assert_eq!(fill.judge(0.98), Verdict::Goal);
    assert_eq!(fill.judge(0.975), Verdict::Reached);
    assert_eq!(fill.judge(0.969), Verdict::Missed);
}

#[test]
fn figures_without_a_peer_are_held_to_the_target_themselves() {
    let memory = Outcome::of("heap/memory", "x", &Aim::bytes(1.1, 1.08), Reading::single(1.09));
    assert_eq!((memory.ours, memory.ratio), (Some(1.09), Some(1.09)));
    assert_eq!((memory.best_peer, memory.peer), (None, None));
    assert!(memory.reached);
    let figures = vec![0.9, 1.2, 1.04];
    let reading = Reading::Alone { figures, note: None };
    let added = Outcome::of("cost/statistics", "ns", &Aim::time(1.0, 0.5), reading);
    assert_eq!((added.ours, added.ratio), (Some(1.04), None));
    assert_eq!(added.verdict, Verdict::Equal);
}

#[test]
fn a_missing_peer_leaves_the_row_open() {
    let reading = Reading::Raced {
        ours: vec![1.0, 2.0, 3.0],
        peers: vec![("slab".to_owned(), vec![9.0, 9.0, 9.0])],
        absent: vec!["snmalloc", "jemalloc"],
    };
    let outcome = Outcome::of("pool/batch64", "ns", &Aim::over_peer(1.0, 0.9), reading);
    assert_eq!(outcome.ours, Some(2.0));
    assert_eq!((&outcome.peer, outcome.ratio), (&None, None));
    assert!(!outcome.reached);
    let note = outcome.note.expect("it says what is missing");
    assert!(note.contains("snmalloc and jemalloc") && note.contains("peers-all"));
}

#[test]
fn the_document_has_the_promised_fields() {
    let reading = raced(&[3.0], &[("peer", &[4.0])]);
    let raced = Outcome::of("pool/churn64", "ns", &Aim::over_peer(1.3, 1.15), reading);
    let open = Outcome::of(
        "pool/instructions",
        "instructions",
        &Aim::count(40.0, 30.0),
        Reading::Unmeasured("valgrind is not installed".to_owned()),
    );
    let document = Scoreboard { rows: vec![raced, open] };
    let text = serde_json::to_string(&document).expect("it has no maps with odd keys");
    assert_eq!(
        text,
        "{\"rows\":[\
         {\"row\":\"pool/churn64\",\"ours\":3.0,\"unit\":\"ns\",\"best_peer\":4.0,\
         \"peer\":\"peer\",\"ratio\":0.75,\"spread\":0.0,\"target\":1.3,\"goal\":1.15,\
         \"reached\":true},\
         {\"row\":\"pool/instructions\",\"ours\":null,\"unit\":\"instructions\",\
         \"best_peer\":null,\"peer\":null,\"ratio\":null,\"spread\":null,\"target\":40.0,\
         \"goal\":30.0,\"reached\":false}]}"
    );
}
