//! The rows of scripts: what a call of a bound function costs beyond the loop that calls it.
//!
//! `plain` goes through Lua's stack, which is not compiled, though the loop around it may be;
//! `foreign` is. `plain-floor` is the same with a function in C that does nothing: what is left of
//! `plain` is ours. `plain-over-mlua` is the same call compared with the safe layer of mlua, loop and
//! all. `checks` is what it costs a foreign call to look whether a vector is one of this frame,
//! which games that are shipped may leave out.
//!
//! `batch10k` is one call of a script that moves 10 000 entities, whose columns it has as views;
//! `batch10k-interpreted` the same where nothing is compiled; `batch10k-over-calls` compares it
//! with a call for each entity.

use loligo_script::{Route, Settings};

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::script::batch::{batch, calls};
use crate::work::script::{Loop, empty_calls, mlua_calls, our_calls, our_vectors};

/// Returns the rows of scripts.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, aim, measure| Row::new(format!("script/{name}"), Unit::Ns, aim, measure);
    let in_ms =
        |name: &str, aim, measure| Row::new(format!("script/{name}"), Unit::Ms, aim, measure);
    vec![
        row("plain", Aim::time(19.0, 10.0), Measure::Added(plain)),
        row("foreign", Aim::time(3.0, 1.5), Measure::Added(foreign)),
        row("checks", Aim::time(5.0, 2.0), Measure::Added(checks)),
        row("plain-over-mlua", Aim::over_peer(1.0, 0.5), Measure::Race(beside_mlua)),
        row("plain-floor", Aim::time(19.0, 10.0), Measure::Added(floor)),
        in_ms("batch10k", Aim::time(1.0, 0.1), Measure::Alone(|| batch(&Settings::default()))),
        in_ms("batch10k-interpreted", Aim::time(5.0, 2.0), Measure::Alone(|| batch(&INTERPRETED))),
        in_ms("batch10k-over-calls", Aim::over_peer(0.2, 0.1), Measure::Race(beside_calls)),
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

fn floor() -> [Contender; 2] {
    [empty_calls(), our_calls(Loop::Empty)]
}

/// A limit of instructions has nothing compiled.
const INTERPRETED: Settings = Settings {
    instructions_max: Some(u32::MAX),
    route: Route::Plain,
    checks: true,
    temporaries: 16,
};

fn beside_calls() -> Race {
    Race { ours: batch(&Settings::default()), peers: vec![calls()], absent: Vec::new() }
}

fn beside_mlua() -> Race {
    Race { ours: our_calls(Loop::Plain), peers: vec![mlua_calls()], absent: Vec::new() }
}
