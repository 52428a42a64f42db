//! The rows of scripts: what a call of a bound function costs beyond the loop that calls it.
//!
//! `plain` goes through Lua's stack, which is not compiled, though the loop around it may be;
//! `foreign` is. `plain-over-mlua` is the same call compared with the safe layer of mlua, loop and
//! all. `checks` is what it costs a foreign call to look whether a vector is one of this frame,
//! which games that are shipped may leave out.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::script::{Loop, mlua_calls, our_calls, our_vectors};

/// Returns the rows of scripts.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, aim, measure| Row::new(format!("script/{name}"), Unit::Ns, aim, measure);
    vec![
        row("plain", Aim::time(19.0, 10.0), Measure::Added(plain)),
        row("foreign", Aim::time(3.0, 1.5), Measure::Added(foreign)),
        row("checks", Aim::time(5.0, 2.0), Measure::Added(checks)),
        row("plain-over-mlua", Aim::over_peer(1.0, 0.5), Measure::Race(beside_mlua)),
    ]
}

fn plain() -> [Contender; 2] {
    [our_calls(Loop::Plain), our_calls(Loop::Empty)]
}

fn foreign() -> [Contender; 2] {
    [our_calls(Loop::Foreign), our_calls(Loop::Empty)]
}

fn checks() -> [Contender; 2] {
    [our_vectors(true), our_vectors(false)]
}

fn beside_mlua() -> Race {
    Race { ours: our_calls(Loop::Plain), peers: vec![mlua_calls()], absent: Vec::new() }
}
