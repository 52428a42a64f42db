//! The order of a compile: the project's own sources, then those of the program that they name.

use std::collections::HashSet;

use loligo_resources::ContentHash;

use super::compile::{Work, compile_all};
use crate::error::BuildError;
use crate::index::Entry;
use crate::report::Report;
use crate::select::Wanted;

/// Compiles the project's own resources, those of the program that they name, those that these
/// name, and so on: what comes with the program and is not used is not in the data. Returns what
/// was wanted, and what is to be remembered, in order.
pub(super) fn compile_named(
    work: &Work<'_>,
    wanted: Vec<Wanted>,
    plan: impl Fn(&[Wanted]) -> Vec<Option<ContentHash>>,
    report: &mut Report,
) -> Result<(Vec<Wanted>, Vec<Entry>), BuildError> {
    let is_own = |one: &Wanted| !work.shared.tree.is_built_in(&one.source);
    let (mut next, mut left): (Vec<_>, Vec<_>) = wanted.into_iter().partition(is_own);
    let (mut wanted, mut entries) = (Vec::new(), Vec::new());
    while !next.is_empty() {
        let plan = plan(&next);
        report.fresh += next.len() - plan.iter().flatten().count();
        let compiled = compile_all(work, &next, plan, report)?;
        wanted.append(&mut next);
        if !left.is_empty() {
            (next, left) = named(left, &compiled);
        }
        entries.extend(compiled);
    }
    entries.sort_by(|a: &Entry, b| a.name.cmp(&b.name));
    Ok((wanted, entries))
}

/// Splits resources into those that some others name and the rest.
fn named(left: Vec<Wanted>, by: &[Entry]) -> (Vec<Wanted>, Vec<Wanted>) {
    let references = by.iter().flat_map(|entry| &entry.references);
    let named: HashSet<(&str, &str)> = references.map(|to| (&*to.type_name, &*to.name)).collect();
    left.into_iter().partition(|one| named.contains(&(&*one.name.type_name, &*one.name.name)))
}
