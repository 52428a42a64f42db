//! What names what, as SVG: a column for each step from the settings.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

use loligo_compiler::Dependency;
use loligo_replay::report::escape;

use super::findings::named;
use crate::references::References;

/// The most resources of the picture: more lines than that are read by nobody.
const NODES_MAX: usize = 300;

const ROW: f64 = 15.0;
const COLUMN: f64 = 230.0;

/// The most letters of a name.
const LETTERS: usize = 28;

/// Resources by type and name.
type Name<'r> = (&'r str, &'r str);

/// Returns a picture of what names what, and how many resources it lacks.
pub(super) fn graph(references: &References) -> (String, usize) {
    let ways = ways(references);
    let depths = depths(&ways);
    let mut columns: BTreeMap<usize, Vec<Name<'_>>> = BTreeMap::new();
    for (name, depth) in depths.iter().take(NODES_MAX) {
        columns.entry(*depth).or_default().push(*name);
    }
    let mut places = BTreeMap::new();
    for (at, column) in columns.values().enumerate() {
        for (row, name) in column.iter().enumerate() {
            places.insert(*name, [at as f64 * COLUMN + 4.0, row as f64 * ROW + 14.0]);
        }
    }
    let rows = columns.values().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (columns.len() as f64 * COLUMN, rows as f64 * ROW + 10.0);
    let mut svg = format!(
        "<div class=\"graph scroll\"><svg width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"what names what\">"
    );
    // Writing to a string cannot fail.
    for (from, others) in &ways {
        for to in others {
            let (Some([x, y]), Some([to_x, to_y])) = (places.get(from), places.get(to)) else {
                continue;
            };
            let (x, y, to_y) = (x + COLUMN - 34.0, y - 4.0, to_y - 4.0);
            let middle = f64::midpoint(x, *to_x);
            let _ = write!(
                svg,
                "<path d=\"M{x:.0} {y:.0}C{middle:.0} {y:.0} {middle:.0} {to_y:.0} {:.0} {to_y:.0}\"/>",
                to_x - 3.0
            );
        }
    }
    for ((type_name, name), [x, y]) in &places {
        let full = format!("{name}.{type_name}");
        let count = full.chars().count();
        let short: String = match count > LETTERS {
            true => core::iter::once('…').chain(full.chars().skip(count - LETTERS + 1)).collect(),
            false => full.clone(),
        };
        let _ = write!(
            svg,
            "<text x=\"{x:.0}\" y=\"{y:.0}\"><title>{}</title>{}</text>",
            escape(&full),
            escape(&short)
        );
    }
    svg.push_str("</svg></div>");
    (svg, depths.len().saturating_sub(NODES_MAX))
}

/// Returns what each resource names, and which other resources it is made of.
fn ways(references: &References) -> BTreeMap<Name<'_>, BTreeSet<Name<'_>>> {
    let entries = &references.index.entries;
    let sources: BTreeMap<&str, Name<'_>> =
        entries.iter().map(|entry| (&*entry.source, named(entry))).collect();
    let mut ways: BTreeMap<Name<'_>, BTreeSet<Name<'_>>> = BTreeMap::new();
    for entry in entries {
        let files = entry.dependencies.iter().filter_map(|of| match of {
            Dependency::File { path, .. } => sources.get(&**path).copied(),
            _ => None,
        });
        let others = entry.references.iter().map(|of| (&*of.type_name, &*of.name));
        let own = named(entry);
        ways.entry(own).or_default().extend(others.chain(files).filter(|other| *other != own));
    }
    ways
}

/// Returns how many steps each resource is from one that nothing names, those that are nearest first.
fn depths<'r>(ways: &BTreeMap<Name<'r>, BTreeSet<Name<'r>>>) -> Vec<(Name<'r>, usize)> {
    let named: BTreeSet<&Name<'r>> = ways.values().flatten().collect();
    let mut depths: BTreeMap<Name<'r>, usize> = BTreeMap::new();
    let mut now: Vec<Name<'r>> =
        ways.keys().filter(|name| !named.contains(name)).copied().collect();
    let mut depth = 0;
    while !now.is_empty() {
        let mut next = BTreeSet::new();
        for name in now {
            if depths.contains_key(&name) {
                continue;
            }
            depths.insert(name, depth);
            next.extend(ways.get(&name).into_iter().flatten().copied());
        }
        now = next
            .into_iter()
            .filter(|name| !depths.contains_key(name) && ways.contains_key(name))
            .collect();
        depth += 1;
    }
    // Those of a circle that nothing else names.
    for name in ways.keys() {
        depths.entry(*name).or_insert(0);
    }
    let mut all: Vec<_> = depths.into_iter().collect();
    all.sort_by_key(|(name, depth)| (*depth, *name));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_comes_after_what_names_it_and_circles_end() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| ("type", name));
        let ways = BTreeMap::from([
            (a, BTreeSet::from([b])),
            (b, BTreeSet::from([c])),
            (c, BTreeSet::from([b])),
            (d, BTreeSet::from([d])),
        ]);
        assert_eq!(depths(&ways), [(a, 0), (d, 0), (b, 1), (c, 2)]);
    }
}
