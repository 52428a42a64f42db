//! The rows of the engine: what a frame's script takes.
//!
//! `batch10k` is the update of 10 000 entities by one function in the table `batches`, from the
//! beginning of the frame to the end of its scripts: their positions are copied, changed by the
//! script, compared and set. `batch10k-over-calls` compares it with an `update` that calls
//! `Transform.set_xyz` for each.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::engine::{batch, calls};

/// Returns the rows of the engine.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, aim, measure| Row::new(format!("engine/{name}"), Unit::Ms, aim, measure);
    vec![
        row("batch10k", Aim::time(1.0, 0.3), Measure::Alone(batch)),
        row("batch10k-over-calls", Aim::over_peer(1.0, 0.5), Measure::Race(beside_calls)),
    ]
}

fn beside_calls() -> Race {
    Race { ours: batch(), peers: vec![calls()], absent: Vec::new() }
}
