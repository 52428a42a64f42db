//! What a step depends on of the two files that all packages share.
//!
//! A package that comes to the workspace changes the lock file and the root's manifest. Neither is an
//! input of a step that builds other packages: only the entries of its packages are, and those of
//! all that these need.

use std::collections::BTreeSet;

use toml::{Table, Value};

/// The entries of a lock file that packages need, and the names of all packages among them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LockPart {
    pub(super) text: String,
    pub(super) names: BTreeSet<String>,
}

/// Returns what packages need of a lock file; all of it, if it cannot be read.
pub(super) fn of_lock(lock: &str, packages: &BTreeSet<&str>) -> LockPart {
    let read = lock.parse::<Table>().ok();
    let entries = read.as_ref().and_then(|read| read.get("package")).and_then(Value::as_array);
    let Some(entries) = entries else {
        return LockPart { text: lock.into(), ..LockPart::default() };
    };
    let word = |entry: &Value, key: &str| {
        entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut needed = vec![false; entries.len()];
    let mut open: Vec<usize> = (0..entries.len())
        .filter(|at| packages.contains(word(&entries[*at], "name").as_str()))
        .collect();
    while let Some(at) = open.pop() {
        if core::mem::replace(&mut needed[at], true) {
            continue;
        }
        let others = entries[at].get("dependencies").and_then(Value::as_array);
        for other in others.into_iter().flatten().filter_map(Value::as_str) {
            // `name`, or with a version where there are several of that name.
            let mut words = other.split(' ');
            let (name, version) = (words.next().unwrap_or_default(), words.next());
            let is_it = |at: &usize| {
                word(&entries[*at], "name") == name
                    && version.is_none_or(|version| word(&entries[*at], "version") == version)
            };
            open.extend((0..entries.len()).filter(is_it));
        }
    }
    let mut part = LockPart::default();
    for entry in entries.iter().zip(needed).filter_map(|(entry, needed)| needed.then_some(entry)) {
        for key in ["name", "version", "checksum"] {
            part.text.push_str(&word(entry, key));
            part.text.push(if key == "checksum" { '\n' } else { ' ' });
        }
        part.names.insert(word(entry, "name"));
    }
    part
}

/// Returns what packages of these names depend on of the root's manifest, as text: all but the members,
/// and what it says of other packages alone.
pub(super) fn of_manifest(root: &Table, names: &BTreeSet<String>) -> String {
    let mut root = root.clone();
    let is_named = |key: &str, value: &Value| {
        let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
        names.contains(package)
    };
    if let Some(Value::Table(workspace)) = root.get_mut("workspace") {
        workspace.remove("members");
        if let Some(Value::Table(dependencies)) = workspace.get_mut("dependencies") {
            dependencies.retain(|key, value| is_named(key, value));
        }
    }
    if let Some(Value::Table(profiles)) = root.get_mut("profile") {
        for (_, profile) in profiles.iter_mut() {
            if let Some(Value::Table(packages)) = profile.get_mut("package") {
                packages.retain(|key, _| key == "*" || names.contains(key));
            }
        }
    }
    // The feature that writes TOML is not needed for anything else.
    format!("{root:?}")
}
