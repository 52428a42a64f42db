//! The rows of SJSON: files of a game's project, compared with serde_json and json5 on the same
//! values as JSON, laid out alike. An operation is an event: a key, a value, or an end. json5
//! represents the dialects that people write by hand; a reader of SJSON itself that others could be
//! measured with is not published under a licence that we take.
//!
//! - `parse-events*` walks the events and adds all numbers up, which reads each of them; the peers'
//!   is a visitor.
//! - `parse-value*` makes a value in memory and drops it; the peers' is `serde_json::Value`.
//! - `*/mesh` is a megabyte of floats, `*/level` are keys, names and small objects. Without the
//!   folder of samples both are made up.
//!
//! The aims are our own, set before the first run: to be no slower than the best peer on events,
//! and to make values in 0.7 of its time, as they are in two blocks.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::sjson::{Peer, Text, our_events, our_value, their_events, their_value};

const PEERS: [Peer; 2] = [Peer::SerdeJson, Peer::Json5];

/// Returns the rows of SJSON.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, target, goal, made: fn() -> Race| {
        let aim = Aim::over_peer(target, goal);
        Row::new(format!("sjson/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    vec![
        row("parse-events/mesh", 1.0, 0.7, || events(Text::Mesh)),
        row("parse-events/level", 1.0, 0.7, || events(Text::Level)),
        row("parse-value/mesh", 0.7, 0.5, || value(Text::Mesh)),
        row("parse-value/level", 0.7, 0.5, || value(Text::Level)),
    ]
}

fn events(text: Text) -> Race {
    Race {
        ours: our_events(text),
        peers: PEERS.map(|peer| their_events(text, peer)).into(),
        absent: Vec::new(),
    }
}

fn value(text: Text) -> Race {
    Race {
        ours: our_value(text),
        peers: PEERS.map(|peer| their_value(text, peer)).into(),
        absent: Vec::new(),
    }
}
