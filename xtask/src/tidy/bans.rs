//! Rule `tidy-bans`: text that must not remain in a file. Each finding says what to do instead.

use crate::tidy::code::{code_only, words};
use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;

/// The largest file that may be tracked.
const BYTES_MAX: usize = 2 << 20;

/// Macros that mark unfinished work, and what to do instead.
const MACROS: [(&str, &str); 3] = [
    ("dbg", "remove it; output that should stay belongs in an error or a report"),
    ("todo", "write the code, or leave the function out"),
    ("unimplemented", "write the code, or leave the function out"),
];

/// Notes that need an owner; below, the prefixes of paths on one person's machine. The strings are
/// split so that this file passes its own rule.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const MACHINE_PATHS: [&str; 6] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("C:", "\\Us", "ers"),
];

/// Checks every file.
pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (path, bytes) in tree.sizes() {
        if bytes > BYTES_MAX {
            let what = format!(
                "{bytes} bytes, over {BYTES_MAX}: keep it out of the repository, or make it smaller"
            );
            findings.push(Finding::new("tidy-bans", path, 1, what));
        }
    }
    for (path, text) in tree.texts() {
        // Generated or third-party texts, which are not edited here.
        if path.ends_with("Cargo.lock") || path.rsplit('/').next().is_some_and(is_licence) {
            continue;
        }
        if path.ends_with(".rs") {
            macros(path, text, findings);
        }
        notes(path, text, findings);
        machine_paths(path, text, findings);
        white_space(path, text, findings);
    }
}

fn is_licence(name: &str) -> bool {
    name.starts_with("LICENSE")
}

fn macros(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let code = code_only(text);
    for (name, instead) in MACROS {
        for at in words(&code, name) {
            if code[at + name.len()..].starts_with('!') {
                let what = format!("`{name}!` must not stay in the code: {instead}");
                findings.push(Finding::new("tidy-bans", path, line_at(text, at), what));
            }
        }
    }
}

fn notes(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for note in NOTES {
        for at in words(text, note) {
            let rest = &text[at + note.len()..];
            let owner = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            if owner.is_none_or(|(owner, _)| owner.trim().is_empty()) {
                let what = format!("a {note} needs an owner: write `{note}(name): ..`, or fix it");
                findings.push(Finding::new("tidy-bans", path, line_at(text, at), what));
            }
        }
    }
}

fn machine_paths(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for start in MACHINE_PATHS {
        for (at, _) in text.match_indices(start) {
            // After the name of another folder, or in a URL, the same characters do not begin an
            // absolute path.
            let is_root =
                !text[..at].ends_with(|c: char| c.is_alphanumeric() || "/._-~".contains(c));
            if is_root {
                let what = format!(
                    "`{start}..` exists on one machine only: use a path relative to the project's \
                     root, or ask the system for the folder"
                );
                findings.push(Finding::new("tidy-bans", path, line_at(text, at), what));
            }
        }
    }
}

fn white_space(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for (index, line) in text.split('\n').enumerate() {
        let what = if line.ends_with([' ', '\t', '\r']) {
            "remove the white space at the end of the line"
        } else if line.contains('\t') && !path.ends_with(".tsv") {
            "replace the tab by spaces"
        } else {
            continue;
        };
        findings.push(Finding::new("tidy-bans", path, index + 1, what.into()));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        let what = "end the last line with a newline".into();
        findings.push(Finding::new("tidy-bans", path, text.lines().count(), what));
    }
}
