//! What came of a compile in another process.

use std::collections::BTreeSet;

use loligo_resources::ContentHash;

/// What came of a compile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compiled {
    pub(super) compiled: u64,
    pub(super) fresh: u64,
    /// How many sources are wrong.
    pub(super) errors: u64,
    /// What the sources looked like.
    pub(super) seen: Option<ContentHash>,
}

/// Where what a compile says goes.
pub(super) struct Heard<'h> {
    /// What is wrong with sources.
    pub(super) texts: &'h mut Vec<String>,
    /// Is called when there is new data.
    pub(super) written: &'h mut dyn FnMut(),
}

/// How a compile in a process ended.
pub(super) enum Ended {
    Done(Compiled),
    /// It could not do it.
    Failed(String),
    /// It ended, or was ended, while these were being compiled.
    Died(BTreeSet<String>, String),
}
