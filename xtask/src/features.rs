//! Features: mixes of them for tier 0, and those that this machine can build for the rest.

use std::collections::BTreeSet;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::{self, Member, Workspace};

/// Packages that need what not every machine has: cmake, make, a C++ compiler, libclang, the headers of
/// libudev or ALSA.
const HEAVY: [&str; 6] =
    ["cpal", "ctt-astcenc", "gilrs", "joltc-sys", "tikv-jemallocator", "snmalloc-rs"];

/// Checks each tier-0 crate without features, with each one, each two, and all of them, warnings as
/// errors: a switch that is never built rots. All mixes of six features are 64 and would take
/// longer than every test; what breaks a build is one feature or the meeting of two.
pub(crate) fn powerset(workspace: &Workspace) -> Outcome {
    for member in workspace.tier_zero() {
        for mix in mixes(&member.public_features()) {
            let mut cargo = command::cargo(&workspace::root());
            cargo.args(["clippy", "--quiet", "--package", &member.name, "--lib"]);
            cargo.args(["--no-default-features", "--features", &mix.join(",")]);
            command::run(cargo.args(["--", "--deny", "warnings"]))?;
        }
    }
    Ok(())
}

/// Returns the subsets of `names` that have at most two of them, the empty one first, and all of
/// them.
fn mixes(names: &[String]) -> Vec<Vec<String>> {
    let mut mixes = vec![Vec::new()];
    for (index, first) in names.iter().enumerate() {
        mixes.push(vec![first.clone()]);
        mixes.extend(names[..index].iter().map(|second| vec![second.clone(), first.clone()]));
    }
    if names.len() > 2 {
        mixes.push(names.to_vec());
    }
    mixes
}

/// Returns every feature of every member as `package/feature`, but those that need a heavy package;
/// these are in the second list.
pub(crate) fn light_and_heavy(workspace: &Workspace) -> (Vec<String>, Vec<String>) {
    let mut light = Vec::new();
    let mut heavy = Vec::new();
    for member in &workspace.members {
        for (feature, _) in member.features() {
            let mut seen = BTreeSet::new();
            let list = if needs_heavy(workspace, member, &feature, &mut seen) {
                &mut heavy
            } else {
                &mut light
            };
            list.push(format!("{}/{feature}", member.name));
        }
    }
    (light, heavy)
}

/// Returns `true` if `feature` of `member` turns on a heavy package, itself or through others.
fn needs_heavy(
    workspace: &Workspace,
    member: &Member,
    feature: &str,
    seen: &mut BTreeSet<String>,
) -> bool {
    if !seen.insert(format!("{}/{feature}", member.name)) {
        return false;
    }
    let features = member.features();
    let parts = features.iter().find(|(name, _)| name == feature).map(|(_, parts)| parts);
    parts.into_iter().flatten().any(|part| {
        if let Some((key, inner)) = part.split_once('/') {
            let package = package(workspace, member, key.trim_end_matches('?'));
            let other = workspace.member(&package);
            return HEAVY.contains(&package.as_str())
                || other.is_some_and(|other| needs_heavy(workspace, other, inner, seen));
        }
        match part.strip_prefix("dep:") {
            Some(key) => HEAVY.contains(&package(workspace, member, key).as_str()),
            None => needs_heavy(workspace, member, part, seen),
        }
    })
}

/// Returns the package that a dependency's key means.
fn package(workspace: &Workspace, member: &Member, key: &str) -> String {
    let dependencies = workspace.dependencies(member);
    let meant = dependencies.into_iter().find(|dependency| dependency.key == key);
    meant.map_or_else(|| key.to_owned(), |dependency| dependency.package)
}

#[cfg(test)]
mod tests;
