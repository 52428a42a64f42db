//! Rules `said-once`, `virtual-root` and `folder-is-crate`: what all crates share is stated in the
//! root manifest alone, and a crate's name is its folder's.

use toml::{Table, Value};

use crate::tidy::finding::{Finding, line_of, line_of_key};
use crate::tree::Tree;
use crate::workspace::{Member, Workspace};

/// What every member takes from `[workspace.package]`.
const SHARED: [&str; 6] =
    ["version", "edition", "rust-version", "license", "repository", "authors"];

/// The one package whose name is not made from its folder's: Cargo's users know it by this one.
const OWN_NAME: &str = "xtask";

/// Looks at the manifests.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    root(tree, workspace, findings);
    for member in &workspace.members {
        let path = format!("{}/Cargo.toml", member.folder);
        let text = tree.text(&path).unwrap_or_default();
        shared_keys(member, &path, text, findings);
        dependencies(workspace, member, &path, text, findings);
        folder_is_crate(member, &path, text, findings);
    }
}

fn root(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let text = tree.text("Cargo.toml").unwrap_or_default();
    if workspace.root.contains_key("package") {
        let what = "the root is virtual: move [package] into a folder".into();
        findings.push(Finding::new("virtual-root", "Cargo.toml", line_of(text, "[package]"), what));
    }
    for (path, _) in tree.texts() {
        let Some(folder) = path.strip_suffix("/Cargo.toml") else {
            continue;
        };
        // The fuzz targets are a workspace of their own, as they need another toolchain.
        let is_member = workspace.members.iter().any(|member| member.folder == folder);
        if !is_member && folder != "fuzz" && !folder.starts_with("fuzz/") {
            let what = format!("add \"{folder}\" to the root's members, or delete the folder");
            findings.push(Finding::new("said-once", path, 1, what));
        }
    }
}

fn shared_keys(member: &Member, path: &str, text: &str, findings: &mut Vec<Finding>) {
    let package = member.manifest.get("package").and_then(Value::as_table);
    for key in SHARED {
        let value = package.and_then(|table| table.get(key));
        // Tier 0 promises older compilers than the one that builds the rest.
        let is_older = key == "rust-version" && member.tier == Some(0);
        let is_stated = is_older && value.is_some_and(Value::is_str);
        if !is_stated && !value.is_some_and(inherits) {
            let what = format!("write `{key}.workspace = true`; the value is in the root");
            findings.push(Finding::new("said-once", path, line_of_key(text, key), what));
        }
    }
    if !member.manifest.get("lints").is_some_and(inherits) {
        let what = "write `workspace = true` under [lints]; the lints are in the root".into();
        findings.push(Finding::new("said-once", path, line_of(text, "[lints"), what));
    }
    for table in ["profile", "patch", "replace", "workspace"] {
        if member.manifest.contains_key(table) {
            let what = format!("move [{table}] to the root manifest; Cargo reads it only there");
            let line = line_of(text, &format!("[{table}"));
            findings.push(Finding::new("said-once", path, line, what));
        }
    }
}

fn inherits(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

fn dependencies(
    workspace: &Workspace,
    member: &Member,
    path: &str,
    text: &str,
    findings: &mut Vec<Finding>,
) {
    for dependency in workspace.dependencies(member) {
        if !dependency.inherited {
            let key = &dependency.key;
            let what = format!(
                "write `{key}.workspace = true` and state its version in the root's \
                 [workspace.dependencies]"
            );
            findings.push(Finding::new("said-once", path, line_of_key(text, key), what));
        }
    }
}

fn folder_is_crate(member: &Member, path: &str, text: &str, findings: &mut Vec<Finding>) {
    let folder = member.folder.rsplit('/').next().unwrap_or_default();
    let expected =
        if folder == OWN_NAME { OWN_NAME.to_owned() } else { format!("loligo-{folder}") };
    if member.name != expected {
        let what = format!("name the package `{expected}`, after its folder");
        findings.push(Finding::new("folder-is-crate", path, line_of_key(text, "name"), what));
    }
    let library = member.manifest.get("lib").and_then(Value::as_table);
    let name = library.and_then(|table: &Table| table.get("name")).and_then(Value::as_str);
    if let Some(name) = name
        && name != expected.replace('-', "_")
    {
        let what = "leave out the library's name; it is the package's with `_`".into();
        let line = line_of(text, &format!("\"{name}\""));
        findings.push(Finding::new("folder-is-crate", path, line, what));
    }
}
