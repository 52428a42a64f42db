//! Rule `no-circles`: the modules of a crate name each other in one direction.
//!
//! What [`arrows`](crate::tidy::arrows) is between crates, this is within one. The modules that one
//! module declares are looked at together, each with all that is below it: those of `lib.rs`, and
//! those of each module that has some. An arrow is a path that begins with `crate` or `super`, in a
//! `use` or elsewhere; a name that the module above re-exports counts as one of the module that has
//! it. Tests and comments do not count, nor do the arrows of the declaring module.

mod graph;
mod modules;
mod paths;

use std::collections::BTreeMap;

use crate::tidy::finding::{Finding, line_at, line_of};
use crate::tree::Tree;
use crate::workspace::Workspace;

use graph::{Circle, Graph, circles};
use modules::Module;
use paths::{paths, re_exports};

/// Where this rule is.
const SELF: &str = "xtask/src/tidy/circles.rs";

/// The files whose modules still name each other in circles. All are older than this rule; one that
/// has no circle any more is a finding, so the list gets shorter only.
const EXEMPT: &[&str] = &[
    // A whole crate: the suites of the tests, whose traits are in the suites and not below them.
    "tests/src/lib.rs",
    // Folders: parts of one structure, of one format or of one command.
    "allocators/src/blocks/shared_pool.rs",
    "allocators/src/heaps/size_class_heap.rs",
    "allocators/src/heaps/thread_heap.rs",
    "allocators/src/pages/guard_page.rs",
    "allocators/src/program/global_guard.rs",
    "allocators/src/threads.rs",
    "allocators/src/wrappers/canary.rs",
    "benches/src/work/containers/arrays.rs",
    "benches/src/work/containers/events.rs",
    "benches/src/work/expressions.rs",
    "containers/src/bytes/blob.rs",
    "containers/src/bytes/stream.rs",
    "containers/src/events/callbacks.rs",
    "containers/src/maps/sorted_map.rs",
    "subsystems/entities/src/transforms.rs",
    "subsystems/sjson/src/serde.rs",
    "tools/replay/src/fleet.rs",
    "tools/replay/src/strategies.rs",
    "tools/replay/src/trace.rs",
];

/// Looks at the modules of every crate.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    for (file, finding) in found(tree, workspace) {
        if !EXEMPT.contains(&file) {
            findings.push(finding);
        }
    }
}

/// Looks for files in the list of exempt ones that have no circle.
pub(crate) fn check_exempt(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let found = found(tree, workspace);
    for file in EXEMPT {
        findings.extend(needless(tree, &found, file));
    }
}

/// Returns the finding that the modules of `file` have no circle, if they have none.
fn needless(tree: &Tree, found: &[(&str, Finding)], file: &str) -> Option<Finding> {
    if found.iter().any(|(other, _)| *other == file) {
        return None;
    }
    let line = line_of(tree.text(SELF).unwrap_or_default(), &format!("\"{file}\""));
    let what = format!("the modules of {file} are free of circles: take it off the list");
    Some(Finding::new("no-circles", SELF, line, what))
}

/// Returns all circles, each with the file that declares its modules.
fn found<'t>(tree: &'t Tree, workspace: &Workspace) -> Vec<(&'t str, Finding)> {
    let mut found = Vec::new();
    for member in &workspace.members {
        for root in ["lib.rs", "main.rs"] {
            let root = Module::root(tree, &format!("{}/src/{root}", member.folder));
            for module in root.iter().flat_map(Module::all) {
                let graph = graph_of(module);
                let circles = circles(&graph).into_iter();
                found.extend(circles.map(|circle| (module.file, finding(module, &graph, &circle))));
            }
        }
    }
    found
}

/// Where a module names another.
struct Place<'t> {
    file: &'t str,
    line: usize,
    /// What it names.
    path: String,
}

/// Returns the arrows between the modules that `module` declares.
fn graph_of<'m>(module: &'m Module<'_>) -> Graph<'m, Place<'m>> {
    let mut graph = Graph::new();
    if module.children.len() < 2 {
        return graph;
    }
    let elsewhere = re_exports(module);
    let of_name: BTreeMap<_, _> =
        module.children.iter().map(|child| (child.name.as_str(), child.name.as_str())).collect();
    for child in &module.children {
        let arrows: &mut BTreeMap<_, _> = graph.entry(child.name.as_str()).or_default();
        for source in child.all() {
            for path in paths(source) {
                let Some([name, ..]) = path.steps.strip_prefix(module.path.as_slice()) else {
                    continue;
                };
                let target = of_name.get(name.as_str()).or_else(|| elsewhere.get(name));
                if let Some(&target) = target
                    && target != child.name
                {
                    let line = line_at(&source.code, path.at);
                    let path = path.steps.join("::");
                    arrows.entry(target).or_insert(Place { file: source.file, line, path });
                }
            }
        }
    }
    graph
}

/// Returns the finding on a circle, at its first arrow.
fn finding(module: &Module<'_>, graph: &Graph<'_, Place<'_>>, circle: &Circle<'_>) -> Finding {
    let next = circle.shortest.iter().cycle().skip(1);
    let steps = circle.shortest.iter().zip(next);
    let places: Vec<_> = steps.filter_map(|(from, to)| graph.get(from)?.get(to)).collect();
    let arrows = circle.shortest.iter().zip(&places).map(|(from, place)| {
        let Place { file, line, path } = place;
        format!("{from} names {path} ({file}:{line})")
    });
    let arrows: Vec<_> = arrows.collect();
    let what = format!(
        "modules of {} that name each other in a circle: {}. The shortest: {}. Move what they share \
         into a module below them, or let the lower one define an interface",
        module.file,
        circle.names.join(", "),
        arrows.join(", "),
    );
    let (file, line) = places.first().map_or((module.file, 1), |place| (place.file, place.line));
    Finding::new("no-circles", file, line, what)
}

#[cfg(test)]
mod tests;
