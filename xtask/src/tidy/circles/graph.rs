//! Circles in a graph of a few dozen names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The arrows from each name, with where each was seen first.
pub(super) type Graph<'n, P> = BTreeMap<&'n str, BTreeMap<&'n str, P>>;

/// Names that all lead to each other, and a shortest circle among them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Circle<'n> {
    /// All names, in order.
    pub(super) names: Vec<&'n str>,
    /// A shortest circle: each leads to the next, and the last to the first.
    pub(super) shortest: Vec<&'n str>,
}

/// Returns the circles of a graph: each name is in one at most.
pub(super) fn circles<'n, P>(graph: &Graph<'n, P>) -> Vec<Circle<'n>> {
    let reached: BTreeMap<_, _> = graph.keys().map(|name| (*name, reach(graph, name))).collect();
    let leads = |from: &str, to: &str| reached.get(from).is_some_and(|names| names.contains(to));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for &name in graph.keys() {
        if !leads(name, name) || !seen.insert(name) {
            continue;
        }
        let both = |other: &&str| leads(name, other) && leads(other, name);
        let names: Vec<_> = graph.keys().copied().filter(both).collect();
        seen.extend(&names);
        let each = names.iter().filter_map(|name| way_back(graph, name));
        let shortest = each.min_by_key(Vec::len).unwrap_or_default();
        found.push(Circle { names, shortest });
    }
    found
}

/// Returns all names that arrows lead to from `start`; itself only if they lead back.
fn reach<'n, P>(graph: &Graph<'n, P>, start: &str) -> BTreeSet<&'n str> {
    let next = |name: &str| graph.get(name).into_iter().flat_map(BTreeMap::keys).copied();
    let mut open: Vec<_> = next(start).collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = open.pop() {
        if reached.insert(name) {
            open.extend(next(name));
        }
    }
    reached
}

/// Returns a shortest circle through `start`, beginning there.
fn way_back<'n, P>(graph: &Graph<'n, P>, start: &'n str) -> Option<Vec<&'n str>> {
    let mut open = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = open.pop_front() {
        for &next in graph.get(way.last()?).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                return Some(way);
            }
            if seen.insert(next) {
                let longer = way.iter().copied().chain([next]).collect();
                open.push_back(longer);
            }
        }
    }
    None
}
