//! Rule `dead-file`: every source file is reached from the root of a crate.

use std::collections::BTreeSet;

use toml::Value;

use crate::tidy::code::{code_only, words};
use crate::tidy::finding::Finding;
use crate::tree::Tree;
use crate::workspace::{Member, Workspace};

/// Follows the `mod` lines of every crate and names the files that none of them leads to.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let mut reached = BTreeSet::new();
    for member in &workspace.members {
        for root in roots(tree, member) {
            follow(tree, &root, true, &mut reached);
        }
    }
    for (path, _) in tree.sources() {
        if workspace.owner(path).is_some() && !reached.contains(path) {
            let what =
                "no `mod` leads here: declare the file where it belongs, or delete it".into();
            findings.push(Finding::new("dead-file", path, 1, what));
        }
    }
}

/// Returns the files that Cargo compiles of itself: those it finds by their place and those that
/// the manifest names.
fn roots(tree: &Tree, member: &Member) -> Vec<String> {
    let folder = &member.folder;
    let found = tree.sources().map(|(path, _)| path).filter(|path| {
        let Some(inner) = path.strip_prefix(folder.as_str()) else {
            return false;
        };
        let parts: Vec<_> = inner.trim_start_matches('/').split('/').collect();
        match parts.as_slice() {
            ["build.rs"] | ["src", "lib.rs" | "main.rs"] => inner.starts_with('/'),
            ["src", "bin", _] | ["examples" | "tests" | "benches", _] => true,
            ["src", "bin", _, "main.rs"] | ["examples" | "tests" | "benches", _, "main.rs"] => true,
            _ => false,
        }
    });
    let mut roots: Vec<_> = found.map(str::to_owned).collect();
    for table in ["lib", "bin", "example", "test", "bench"] {
        let stated = member.manifest.get(table);
        let one = stated.filter(|value| value.is_table());
        let many = stated.and_then(Value::as_array).into_iter().flatten();
        for target in one.into_iter().chain(many) {
            if let Some(path) = target.get("path").and_then(Value::as_str) {
                roots.push(format!("{folder}/{path}"));
            }
        }
    }
    roots
}

/// Marks `path` and all that its `mod` and `include!` lines lead to.
fn follow(tree: &Tree, path: &str, is_root: bool, reached: &mut BTreeSet<String>) {
    let Some(text) = tree.text(path) else { return };
    if !reached.insert(path.to_owned()) {
        return;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    // `foo.rs` has its modules in `foo/`; the root of a crate has them in its own folder.
    let modules = if is_root { folder.to_owned() } else { path.trim_end_matches(".rs").to_owned() };
    let code = code_only(text);
    for at in words(&code, "mod") {
        let rest = code[at + 3..].trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if rest[end..].trim_start().starts_with(';') {
            let child = match stated_path(text, at) {
                Some(stated) => format!("{folder}/{stated}"),
                None => format!("{modules}/{}.rs", &rest[..end]),
            };
            follow(tree, &normal(&child), false, reached);
        }
    }
    for at in words(&code, "include") {
        let mut quoted = text[at..].split('"');
        if let (true, Some(stated)) = (code[at..].starts_with("include!"), quoted.nth(1)) {
            follow(tree, &normal(&format!("{folder}/{stated}")), false, reached);
        }
    }
}

/// Returns the path of the `#[path = ".."]` just before the `mod` at `at`.
pub(super) fn stated_path(text: &str, at: usize) -> Option<&str> {
    let mut before = text[..at].trim_end();
    if let Some((rest, visibility)) = before.rsplit_once("pub")
        && (visibility.is_empty() || visibility.starts_with('(') && visibility.ends_with(')'))
    {
        before = rest.trim_end();
    }
    let attribute = before.strip_suffix("\"]")?;
    let (opening, path) = attribute.rsplit_once('"')?;
    opening.trim_end().ends_with("#[path =").then_some(path)
}

/// Resolves the `..` of a path.
pub(super) fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
