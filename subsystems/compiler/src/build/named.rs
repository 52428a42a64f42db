//! The order of a compile: the project's own sources, then those of the program that they name.

use std::collections::HashSet;

use super::compile::{Work, compile_all};
use crate::error::BuildError;
use crate::index::Entry;
use crate::report::Report;
use crate::select::Wanted;

/// Compiles the project's own resources, those of the program that they name, those that these
/// name, and so on: what comes with the program and is not used is not in the data. A shard compiles
/// its share of the project's own. Returns what was wanted, and what is to be remembered, in order.
pub(super) fn compile_named(
    work: &Work<'_>,
    plan: impl Fn(&[usize]) -> Vec<bool>,
    report: &mut Report,
) -> Result<(Vec<usize>, Vec<Entry>), BuildError> {
    let all = &work.selection.wanted;
    let is_own = |at: &usize| !work.shared.tree.is_built_in(&all[*at].source);
    let (mut next, mut left): (Vec<_>, Vec<_>) = (0..all.len()).partition(is_own);
    if let Some(shard) = work.project.shard {
        next.retain(|at| shard.takes(&all[*at].name));
    }
    let (mut wanted, mut entries) = (Vec::new(), Vec::new());
    while !next.is_empty() {
        let is_stale = plan(&next);
        report.fresh += is_stale.iter().filter(|is_stale| !**is_stale).count();
        let compiled = compile_all(work, &next, &is_stale, report)?;
        wanted.append(&mut next);
        if !left.is_empty() {
            (next, left) = named(all, left, &compiled);
        }
        entries.extend(compiled);
    }
    entries.sort_by(|a: &Entry, b| a.name.cmp(&b.name));
    Ok((wanted, entries))
}

/// Splits resources into those that some others name and the rest.
fn named(all: &[Wanted], left: Vec<usize>, by: &[Entry]) -> (Vec<usize>, Vec<usize>) {
    let references = by.iter().flat_map(|entry| &entry.references);
    let named: HashSet<(&str, &str)> = references.map(|to| (&*to.type_name, &*to.name)).collect();
    let is_named = |at: &usize| {
        let name = &all[*at].name;
        named.contains(&(&*name.type_name, &*name.name))
    };
    left.into_iter().partition(is_named)
}
