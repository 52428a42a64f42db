//! The rows of the monitor.
//!
//! `two-stamps` is the floor: a scope's two time stamps, and nothing done with them. `scope` is a
//! whole scope compared with puffin's and one of tracing whose subscriber takes stamps and keeps
//! them, which is the least that it can do. `scope-added` is the scope less the floor, within each
//! round; `scope-current` the same through the thread's current recorder. Handing blocks in is part
//! of all of them, consuming them is not. `scope-off` is what is left when recording is switched
//! off, less the empty loop.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::monitor::{
    counter, current, empty, off, puffin, scope, tracing, two_stamps, vector,
};

/// Returns the rows of the monitor. The floor is the machine's, so its aim says no more than that
/// the machine is fit to be measured on.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name, aim, measure| Row::new(name, Unit::Ns, aim, measure);
    vec![
        row("monitor/scope", Aim::over_peer(1.0, 0.5), Measure::Race(beside_others)),
        row("monitor/two-stamps", Aim::time(200.0, 40.0), Measure::Alone(two_stamps)),
        row("monitor/scope-added", Aim::time(4.0, 2.0), Measure::Added(added)),
        row("monitor/scope-current", Aim::time(5.0, 3.0), Measure::Added(added_current)),
        row("monitor/scope-off", Aim::time(1.0, 0.5), Measure::Added(added_off)),
        row("monitor/counter", Aim::time(4.0, 2.0), Measure::Added(added_counter)),
        row("monitor/vector", Aim::time(5.0, 3.0), Measure::Added(added_vector)),
    ]
}

fn beside_others() -> Race {
    Race { ours: scope(), peers: vec![puffin(), tracing()], absent: Vec::new() }
}

fn added() -> [Contender; 2] {
    [scope(), two_stamps()]
}

fn added_current() -> [Contender; 2] {
    [current(), two_stamps()]
}

fn added_off() -> [Contender; 2] {
    [off(), empty()]
}

fn added_counter() -> [Contender; 2] {
    [counter(), empty()]
}

fn added_vector() -> [Contender; 2] {
    [vector(), empty()]
}
