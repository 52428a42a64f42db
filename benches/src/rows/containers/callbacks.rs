//! The row of queued calls: queueing one and making it, beside queues of boxed closures. The aims are our own:
//! both sides pay for an indirect call, which is most of it where processors do not predict those.

use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::callbacks as work;

/// Returns the rows.
pub(super) fn rows() -> Vec<Row> {
    let aim = Aim::over_peer(0.8, 0.6);
    vec![Row::new("containers/callbacks/run", Unit::Ns, aim, Measure::Race(work::run))]
}
