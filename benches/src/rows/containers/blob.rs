//! The rows of blobs: a level of units, some with a light, all with a name.
//!
//! The aims are our own, set before the first run: reading is to cost what native structs cost,
//! opening no more than rkyv's checked access, which computes no checksum; with ours at most four
//! times that.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::blob::{self, Native, Opened, Opening, Rkyv};

/// Returns the rows of blobs.
#[must_use]
pub(super) fn rows() -> Vec<Row> {
    let row = |name: &str, target, goal, made: fn() -> Race| {
        let aim = Aim::over_peer(target, goal);
        Row::new(format!("containers/blob/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    vec![
        row("read", 1.1, 1.0, || {
            race(blob::read::<Opened>("Blob"), blob::read::<Native>("structs"))
        }),
        row("read-rkyv", 1.0, 0.9, || {
            race(blob::read::<Opened>("Blob"), blob::read::<Rkyv>("rkyv"))
        }),
        row("open-structure", 1.0, 0.5, || {
            race(blob::open(Opening::Structure), blob::open(Opening::Rkyv))
        }),
        row("open", 4.0, 2.0, || race(blob::open(Opening::Whole), blob::open(Opening::Rkyv))),
    ]
}

fn race(ours: crate::contender::Contender, peer: crate::contender::Contender) -> Race {
    Race { ours, peers: vec![peer], absent: Vec::new() }
}
