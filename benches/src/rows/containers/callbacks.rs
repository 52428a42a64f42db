//! The row of queued calls: queueing one and making it, compared with queues of boxed closures. The
//! aims are our own, set before the first run.

use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::callbacks as work;

/// Returns the rows.
pub(super) fn rows() -> Vec<Row> {
    let aim = Aim::over_peer(0.5, 0.35);
    vec![Row::new("containers/callbacks/run", Unit::Ns, aim, Measure::Race(work::run))]
}
