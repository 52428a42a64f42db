//! The rows of blocks of offsets, against the crate `offset-allocator`.
//!
//! - `churn`: 10 000 blocks of 16 to 4 096 units, of which a random one is freed and one of the
//!   next length taken.
//! - `filled`: how much of a range is live at the first refusal, where two blocks come for each
//!   that goes; at least what the peer fills.

use crate::contender::Race;
use crate::outcome::{Aim, Reading};
use crate::rows::{Measure, Row, Unit};
use crate::work::offsets;

/// Returns the rows of offsets.
#[must_use]
pub fn rows() -> Vec<Row> {
    let filled = Aim { at_least: true, timed: false, ..Aim::over_peer(1.0, 1.02) };
    vec![
        Row::new("offsets/churn", Unit::Ns, Aim::over_peer(1.0, 0.8), Measure::Race(churn)),
        Row::new("offsets/filled", Unit::LiveBytesPerByte, filled, Measure::Once(filled_range)),
    ]
}

fn churn() -> Race {
    Race {
        ours: offsets::churning_ours(),
        peers: vec![offsets::churning_peer()],
        absent: Vec::new(),
    }
}

fn filled_range() -> Reading {
    let [ours, theirs] = offsets::filled();
    let peers = vec![("offset-allocator".to_owned(), vec![theirs])];
    Reading::Raced { ours: vec![ours], peers, absent: Vec::new() }
}
