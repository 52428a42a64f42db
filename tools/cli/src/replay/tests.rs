//! Tests of the options' meaning and of the report on contents.

use clap::Parser as _;
use loligo_replay::results::TraceResult;
use loligo_replay::threads::WORKERS_DEFAULT;
use loligo_replay::{Loss, LossKind, Verified};

use super::*;

/// The command with its options alone.
#[derive(Debug, clap::Parser)]
struct Alone {
    #[command(flatten)]
    replay: Replay,
}

#[test]
fn threads_have_a_number_if_none_is_given() {
    let threads = |arguments: &[&str]| {
        let arguments = ["loligo"].iter().chain(arguments);
        Alone::try_parse_from(arguments).expect("good options").replay.threads
    };
    assert_eq!(threads(&[]), None);
    assert_eq!(threads(&["--threads"]), Some(WORKERS_DEFAULT));
    assert_eq!(threads(&["--threads", "game.altrace"]), Some(WORKERS_DEFAULT));
    assert_eq!(threads(&["--threads=3"]), Some(3));
}

/// Returns what a row without figures was verified to be.
fn measured(losses: Vec<Loss>) -> Measured {
    let json = serde_json::json!({ "losses": losses, "refused": 0, "events_done": 9 });
    let verified: Verified = serde_json::from_value(json).expect("plain data");
    let rows = measure_threads(
        &[Trace::from_events("game", Vec::new()).expect("valid")],
        &[SharedRow::null()],
        &ThreadOptions { rounds: 1, memory: false, ..ThreadOptions::default() },
        &mut |_| {},
    );
    let rows = rows.expect("nothing is asked for").remove(0).result.rows;
    let name = String::from("game");
    let result = TraceResult { name, events: 9, peak_live_bytes: 0, rows };
    Measured { result, verified: vec![Some(verified)] }
}

#[test]
fn what_is_lost_makes_the_status_1() {
    let mut text = String::new();
    assert!(!describe_contents(&mut text, &measured(Vec::new())), "{text}");
    assert_eq!(text, "game: contents verified on 1 rows, nothing lost.\n\n");
    text.clear();
    let loss = Loss { event: Some(7), what: LossKind::Alignment { align: 64 } };
    assert!(describe_contents(&mut text, &measured(vec![loss])), "{text}");
    assert!(text.contains("LOST on 1:\n  null: event 7: a block is not aligned to 64"), "{text}");
}
