//! Rule `unsafe-in-the-cellar`: the crates that may hold unsafe code are few and known.

use crate::tidy::code::{code_only, words};
use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;
use crate::workspace::Workspace;

/// The crates and files above tier 0 that may hold unsafe code, each with its reason.
const LISTED: &[(&str, &str)] = &[
    (
        "loligo-diagnostics",
        "contexts point to what callers lend, so that nothing is copied or allocated",
    ),
    (
        "loligo-expressions",
        "computes with vector instructions, and reads verified bytecode unchecked: half the time",
    ),
    (
        "loligo-monitor",
        "reads the time-stamp counter, writes events through a raw cursor, wraps allocators",
    ),
    ("loligo-tasks", "keeps closures that may borrow as the plain bytes of a task"),
    ("tools/cli/tests/children/recorded.rs", "a program to record counts below a global allocator"),
    ("loligo-resources", "says that aligned bytes are plain, and maps files"),
    ("loligo-script", "calls LuaJIT through its C interface, and is called by it"),
    ("loligo-replay", "maps files, forks, reads the time-stamp counter, calls peers' allocators"),
    ("loligo-preload", "is the C library's malloc, whose blocks are bare pointers"),
    ("loligo-foreign", "has peers' unsafe calls, whose tests allocate and free through them"),
    ("loligo-tests", "frees blocks, which is unsafe by contract, and hands them in wrongly"),
    ("loligo-bench", "calls allocators of three traits by hand, and limits a process's memory"),
    ("loligo-benches", "measures allocate and free, the latter being unsafe by contract"),
];

/// Looks at the exceptions from the root's `unsafe_code = "deny"`.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    root_denies(tree, workspace, findings);
    for (path, text) in tree.sources() {
        let Some(member) = workspace.owner(path) else {
            continue;
        };
        if member.tier == Some(0)
            || LISTED.iter().any(|(name, _)| [member.name.as_str(), path].contains(name))
        {
            continue;
        }
        let code = code_only(text);
        for word in ["expect", "allow", "warn"] {
            for at in words(&code, word) {
                if inside(&code[at + word.len()..]).contains("unsafe_code") {
                    let what = "only tier 0 and the crates listed in \
                        xtask/src/tidy/unsafe_code.rs hold unsafe code: move it below a safe type";
                    let line = line_at(text, at);
                    findings.push(Finding::new("unsafe-in-the-cellar", path, line, what.into()));
                }
            }
        }
        let inner = path.strip_prefix(&format!("{}/src/", member.folder)).unwrap_or_default();
        let is_root = matches!(inner, "lib.rs" | "main.rs") || inner.starts_with("bin/");
        if is_root && !code.contains("#![forbid(unsafe_code)]") {
            let what = "write `#![forbid(unsafe_code)]` below the file's doc".into();
            findings.push(Finding::new("unsafe-in-the-cellar", path, 1, what));
        }
    }
}

fn root_denies(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let lints = workspace.root.get("workspace").and_then(|table| table.get("lints"));
    let level = lints.and_then(|lints| lints.get("rust")?.get("unsafe_code"));
    if level.and_then(|level| level.as_str()) != Some("deny") {
        let text = tree.text("Cargo.toml").unwrap_or_default();
        let line = super::finding::line_of_key(text, "unsafe_code");
        let what = "write `unsafe_code = \"deny\"` under [workspace.lints.rust]".into();
        findings.push(Finding::new("unsafe-in-the-cellar", "Cargo.toml", line, what));
    }
}

/// Returns the text between the parentheses that `rest` begins with.
fn inside(rest: &str) -> &str {
    let Some(rest) = rest.trim_start().strip_prefix('(') else {
        return "";
    };
    rest.split_once(')').map_or(rest, |(inside, _)| inside)
}
