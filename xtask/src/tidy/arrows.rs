//! Rules `arrows-down`, `no-sibling-talk`, `no-dev-back-edge` and `few-dependencies`: which crate
//! may name which.

use crate::tidy::finding::{Finding, line_of, line_of_key};
use crate::tree::Tree;
use crate::workspace::{Dependency, Member, Workspace};

/// The crates of tier 0, each on those before it.
const GROUND: [&str; 4] = ["loligo-allocators", "loligo-ids", "loligo-derive", "loligo-containers"];

/// What tier 0 may depend on besides itself.
const GROUND_LIBRARIES: [&str; 10] = [
    "libc",
    "memmap2",
    "allocator-api2",
    "lock_api",
    "bytemuck",
    "hashbrown",
    "static_assertions",
    "bitvec",
    // Enabled by a feature: the call stacks of traced allocations.
    "backtrace",
    // Enabled by a feature: ids and tables in any format.
    "serde_core",
];

/// What its crates of macros may depend on, of which nothing is in a program.
const MACRO_LIBRARIES: [&str; 3] = ["proc-macro2", "quote", "syn"];

/// Looks at every dependency of every member.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let map = tree.text("ARCHITECTURE.md").unwrap_or_default();
    for member in &workspace.members {
        let path = format!("{}/Cargo.toml", member.folder);
        let text = tree.text(&path).unwrap_or_default();
        let Some(tier) = member.tier else {
            let what = "state the tier under [package.metadata.loligo]; ARCHITECTURE.md lists them";
            let line = line_of(text, "[package]");
            findings.push(Finding::new("arrows-down", &path, line, what.into()));
            continue;
        };
        for dependency in workspace.dependencies(member) {
            let broken = match workspace.member(&dependency.package) {
                Some(other) => arrow(map, member, tier, other, &dependency),
                None => library(member, tier, &dependency),
            };
            if let Some((rule, what)) = broken {
                let line = line_of_key(text, &dependency.key);
                findings.push(Finding::new(rule, &path, line, what));
            }
        }
    }
}

/// Returns the rule that an arrow from `member` to `other` breaks, and what to do.
fn arrow(
    map: &str,
    member: &Member,
    tier: i64,
    other: &Member,
    dependency: &Dependency,
) -> Option<(&'static str, String)> {
    // A crate without a tier has a separate finding.
    let below = other.tier?;
    let (from, to) = (&member.name, &other.name);
    if below < tier {
        return None;
    }
    if below > tier {
        let rule =
            if dependency.kind == "dev-dependencies" { "no-dev-back-edge" } else { "arrows-down" };
        let what = format!(
            "`{from}` is of tier {tier} and must not name `{to}` of tier {below}: let the lower \
             crate define an interface, or move the test up"
        );
        return Some((rule, what));
    }
    match tier {
        0 if rank(to) < rank(from) => None,
        0 => {
            let what = format!("in tier 0 the order is {}", GROUND.join(" <- "));
            Some(("arrows-down", what))
        }
        3 => {
            let what = format!(
                "`{from}` and `{to}` are both of tier 3: share ids and plain data, and let the \
                 engine carry them"
            );
            Some(("no-sibling-talk", what))
        }
        _ if map.contains(&format!("`{from}` -> `{to}`")) => None,
        _ => {
            let what = format!(
                "`{from}` and `{to}` are both of tier {tier}: drop the dependency, or list \
                 `{from}` -> `{to}` in ARCHITECTURE.md with its reason"
            );
            Some(("arrows-down", what))
        }
    }
}

/// Returns the place of a tier-0 crate in the order; an unknown one comes last.
fn rank(name: &str) -> usize {
    GROUND.iter().position(|ground| *ground == name).unwrap_or(GROUND.len())
}

/// Returns the finding on a library from elsewhere.
fn library(member: &Member, tier: i64, dependency: &Dependency) -> Option<(&'static str, String)> {
    let package = dependency.package.as_str();
    let is_test = dependency.kind == "dev-dependencies";
    let is_for_macros = member.is_macros() && MACRO_LIBRARIES.contains(&package);
    if tier != 0 || is_test || is_for_macros || GROUND_LIBRARIES.contains(&package) {
        return None;
    }
    let what = format!(
        "tier 0 depends on nothing heavy: drop `{package}`, or add it to the list in \
         xtask/src/tidy/arrows.rs with the others"
    );
    Some(("few-dependencies", what))
}
