//! The rows of streams of events.
//!
//! - `append-batch` and `append-one` are held against a vector of bytes that the bare structs are
//!   copied to, one by one, as far as it has room or grows; headers are what ours writes beyond.
//! - `merge` is held against copying the same bytes.
//! - `merge-time` merges four threads' streams whose events alternate at random, compared with a
//!   vector of an enum that std sorts: it finds the four runs and merges items of one size without
//!   a branch, so this is the hardest peer there is.
//! - `visit` and `visit-checked` are held against a vector of an enum; the second takes bytes from
//!   elsewhere, which are walked to their end first.
//! - `frame` writes, visits and forgets the events of a frame, compared with queues for several
//!   threads and, as `frame-bevy`, with bevy's, a vector for each type, which keeps no order
//!   between types and needs no check of the type in a visit. `merge-time` and those two have aims
//!   of our own, set before the first run.

use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::events as work;

/// Returns the rows.
pub(super) fn rows() -> Vec<Row> {
    let race = |name: &str, target, goal, made| {
        let aim = Aim::over_peer(target, goal);
        Row::new(format!("containers/events/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    vec![
        race("append-batch", 1.1, 0.95, work::append_batch),
        race("append-one", 1.3, 1.1, work::append_one),
        race("merge", 1.15, 1.05, work::merge),
        race("merge-time", 0.5, 0.3, work::merge_time),
        race("visit", 1.4, 1.2, work::visit),
        race("visit-checked", 1.4, 1.2, work::visit_checked),
        race("frame", 0.5, 0.3, work::frame),
        race("frame-bevy", 1.0, 0.7, work::frame_bevy),
        Row::new(
            "containers/events/bytes",
            Unit::BytesPerLiveByte,
            Aim::bytes(0.67, 0.65),
            Measure::Once(work::bytes),
        ),
    ]
}
