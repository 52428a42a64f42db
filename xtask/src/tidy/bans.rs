//! Rule `tidy-bans`: what must not be left in a file. Each ban names what to write instead.

use crate::tidy::code::{code_only, words};
use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;

/// The largest file that may be tracked.
const BYTES_MAX: usize = 2 << 20;

/// Macros that mark unfinished work, and what to do instead.
const MACROS: [(&str, &str); 3] = [
    ("dbg", "take it out; what should stay goes through an error or a report"),
    ("todo", "write the code, or leave the function out"),
    ("unimplemented", "write the code, or leave the function out"),
];

/// Notes that need an owner, and how the path of one person's machine begins. Taken apart, so that
/// this file passes its own rule.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const MACHINE_PATHS: [&str; 6] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("C:", "\\Us", "ers"),
];

/// Looks at every file.
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
        // Texts that came to us as they are.
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
                let what = format!("`{name}!` is no code to keep: {instead}");
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
                let what = format!("a {note} needs an owner: write `{note}(name): ..`, or do it");
                findings.push(Finding::new("tidy-bans", path, line_at(text, at), what));
            }
        }
    }
}

fn machine_paths(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for start in MACHINE_PATHS {
        for (at, _) in text.match_indices(start) {
            // Below another folder, or in an address, the same letters are no root.
            let is_root =
                !text[..at].ends_with(|c: char| c.is_alphanumeric() || "/._-~".contains(c));
            if is_root {
                let what = format!(
                    "`{start}..` is one machine's: name it from the project's root, or ask the \
                     system for its folder"
                );
                findings.push(Finding::new("tidy-bans", path, line_at(text, at), what));
            }
        }
    }
}

fn white_space(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for (index, line) in text.split('\n').enumerate() {
        let what = if line.ends_with([' ', '\t', '\r']) {
            "take the white space from the end of the line"
        } else if line.contains('\t') && !path.ends_with(".tsv") {
            "write spaces for the tab"
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
