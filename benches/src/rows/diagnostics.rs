//! The rows of diagnostics: what they cost while nothing is wrong.
//!
//! `context` is what a context with a name and data adds to a scope, pushed and popped in a loop,
//! so that each push waits for the pop before it; `context-nested` the same in calls eight deep,
//! which is what programs do. `ensure` is a check that holds, compared with a bare branch. Its
//! message has arguments; names within the text would keep their variables in memory, which is a
//! store for each.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::diagnostics::{
    branch, context, ensured, nested_contexts, no_context, no_nested_contexts,
};

/// Returns the rows of diagnostics.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row =
        |name: &str, aim, measure| Row::new(format!("diagnostics/{name}"), Unit::Ns, aim, measure);
    let aim = Aim::time(2.0, 1.0);
    vec![
        row("context", aim, Measure::Added(around_a_scope)),
        row("context-nested", aim, Measure::Added(around_calls)),
        row("ensure", Aim::over_peer(1.0, 1.0), Measure::Race(beside_a_branch)),
    ]
}

fn around_a_scope() -> [Contender; 2] {
    [context(), no_context()]
}

fn around_calls() -> [Contender; 2] {
    [nested_contexts(), no_nested_contexts()]
}

fn beside_a_branch() -> Race {
    Race { ours: ensured(), peers: vec![branch()], absent: Vec::new() }
}
