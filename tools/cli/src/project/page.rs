//! The page about a project: it needs nothing outside itself.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use loligo_compiler::Entry;
use loligo_replay::report::{Figure, escape, figures_page};

use super::findings::named;
use super::graph::graph;
use super::treemap::{Group, size, treemap};
use super::{Finding, Kind};
use crate::references::References;

/// The findings of a kind that are listed; the command prints all.
const LISTED_MAX: usize = 200;

const STYLE: &str = "
.treemap svg { display: block; width: 100%; height: auto; }
.treemap text { font: 600 13px var(--sans); fill: #fff; pointer-events: none; paint-order: stroke; stroke: #0006; stroke-width: 2.5px; }
.treemap rect { stroke: none; } .treemap rect:hover { opacity: .7; }
.c0 { fill: #2b7a78; } .c1 { fill: #b4552d; } .c2 { fill: #5b5ea6; } .c3 { fill: #8a7b22; }
.c4 { fill: #a04668; } .c5 { fill: #3f7f4f; } .c6 { fill: #6b7280; } .c7 { fill: #99a1ad; }
.findings td, .findings th { text-align: left; white-space: normal; vertical-align: baseline; } .findings code { white-space: nowrap; }
.graph { overflow: auto; max-height: 46rem; }
.graph text { font: 11px var(--mono, monospace); fill: var(--ink); }
.graph path { fill: none; stroke: var(--soft); stroke-opacity: .28; }
.graph path:hover { stroke-opacity: 1; stroke-width: 2; }
";

/// Returns the page.
pub(super) fn page(project: &Path, references: &References, findings: &[Finding]) -> String {
    let types = by_type(references);
    let packages = by_package(references);
    let total: u64 = types.iter().map(Group::bytes).sum();
    let (graph, lacks) = graph(references);
    let mut note = "Names lead from left to right: a resource is one column right of the leftmost that names it. Texts of scripts are no lines.".to_owned();
    if lacks > 0 {
        // Writing to a string cannot fail.
        let _ = write!(note, " {lacks} resources that are farther from the settings are left out.");
    }
    let figure = |heading: &str, note: &str, body: String| Figure {
        heading: heading.to_owned(),
        note: note.to_owned(),
        body,
    };
    let mut figures = vec![figure(
        "Findings",
        "What a person should look at: by file, line and column.",
        list(findings),
    )];
    figures.push(figure(
        "Bytes by type",
        "An area for each resource, as large as what it became; those of a type have one color.",
        treemap("bytes by type", &types),
    ));
    figures.push(figure(
        "Bytes by package",
        "The same by what is loaded together. What several packages have is in the first of them by name.",
        treemap("bytes by package", &packages),
    ));
    figures.push(figure("What names what", &note, graph));
    let title = format!("Project {}", project.file_name().unwrap_or_default().to_string_lossy());
    let counts = [
        ("resources", references.index.entries.len().to_string()),
        ("bytes", size(total)),
        ("findings", findings.len().to_string()),
    ];
    let counts = counts.map(|(name, count)| (name.to_owned(), count));
    let lede = "What is in a project, what takes the bytes, and what is wrong with it.";
    figures_page("check", (&title, lede), &counts, &figures, STYLE)
}

/// Returns the resources of each type, those with most bytes first.
fn by_type(references: &References) -> Vec<Group> {
    grouped(references.index.entries.iter().map(|entry| (entry, entry.name.type_name.to_string())))
}

/// Returns the resources of each package, and those of none.
fn by_package(references: &References) -> Vec<Group> {
    let mut of: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let entries = &references.index.entries;
    let by_name: BTreeMap<(&str, &str), &Entry> =
        entries.iter().map(|entry| (named(entry), entry)).collect();
    for package in entries.iter().filter(|entry| &*entry.name.type_name == "package") {
        let mut ways = vec![named(package)];
        let mut seen = BTreeSet::new();
        while let Some(name) = ways.pop() {
            if seen.insert(name) {
                of.entry(name).or_insert(&package.name.name);
                let named = by_name.get(&name).map(|entry| &*entry.references).unwrap_or_default();
                ways.extend(named.iter().map(|of| (&*of.type_name, &*of.name)));
            }
        }
    }
    let package = |entry| of.get(&named(entry)).copied().unwrap_or("in no package").to_owned();
    grouped(entries.iter().map(|entry| (entry, package(entry))))
}

fn grouped<'r>(all: impl Iterator<Item = (&'r Entry, String)>) -> Vec<Group> {
    let mut groups: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
    for (entry, group) in all {
        let bytes = entry.output.map_or(0, |output| output.bytes);
        groups.entry(group).or_default().push((entry.name.to_string(), bytes));
    }
    let mut groups: Vec<Group> =
        groups.into_iter().map(|(name, parts)| Group { name, parts }).collect();
    for group in &mut groups {
        group.parts.sort_by_key(|(_, bytes)| core::cmp::Reverse(*bytes));
    }
    groups.sort_by_key(|group| core::cmp::Reverse(group.bytes()));
    groups
}

fn list(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "<p>Nothing is to be said.</p>".to_owned();
    }
    let mut table =
        "<div class=\"scroll findings\"><table><thead><tr><th class=\"words\">kind</th><th class=\"words\">where</th>\
         <th class=\"words\">what</th></tr></thead><tbody>"
            .to_owned();
    for kind in Kind::ALL {
        let of = findings.iter().filter(|finding| finding.kind == kind);
        let count = of.clone().count();
        for Finding { place, text, .. } in of.take(LISTED_MAX) {
            let (place, text) = (escape(place), escape(text));
            // Writing to a string cannot fail.
            let _ = write!(
                table,
                "<tr><td class=\"words\">{}</td><td class=\"words\"><code>{place}</code></td>\
                 <td class=\"words\">{text}</td></tr>",
                kind.word()
            );
        }
        if count > LISTED_MAX {
            let (more, word) = (count - LISTED_MAX, kind.word());
            let _ = write!(
                table,
                "<tr><td class=\"words\">{word}</td><td></td><td class=\"words\">and {more} more: `loligo \
                 check` prints them</td></tr>"
            );
        }
    }
    table.push_str("</tbody></table></div>");
    table
}
