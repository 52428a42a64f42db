//! Rules `one-structure-per-file`, `file-size` and `map-first`: how a source file looks from
//! outside.

use crate::tidy::code::code_only;
use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;
use crate::workspace::Workspace;

/// Names that say nothing of what a file holds.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "common", "misc", "helpers", "helper"];

/// Lines from which a file should be thought over, and those it must not pass.
const LINES_WARNED: usize = 600;
const LINES_MAX: usize = 1_000;

/// What may begin an item of a `lib.rs`.
const MAP_ITEMS: [&str; 6] =
    ["mod ", "pub mod ", "pub(crate) mod ", "pub use ", "extern crate ", "pub extern crate "];

/// Looks at every source file.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    for (path, text) in tree.sources() {
        empty_name(path, findings);
        size(path, text, findings);
        if !text.starts_with("//!") {
            let what = "open the file with a `//!` line that says what it holds".into();
            findings.push(Finding::new("map-first", path, 1, what));
        }
        // The compiler wants macros where a crate begins.
        let maps = workspace.members.iter().filter(|member| !member.is_macros());
        if maps.map(|member| format!("{}/src/lib.rs", member.folder)).any(|root| root == path) {
            map_only(path, text, findings);
        }
    }
}

fn empty_name(path: &str, findings: &mut Vec<Finding>) {
    let parts = path.trim_end_matches(".rs").split('/');
    for part in parts {
        if EMPTY_NAMES.contains(&part) {
            let what =
                format!("`{part}` says nothing: name the file after its one structure or job");
            findings.push(Finding::new("one-structure-per-file", path, 1, what));
        }
    }
}

fn size(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let is_test = path.ends_with("tests.rs") || path.split('/').any(|part| part == "tests");
    let is_generated = text.lines().take(5).any(|line| line.contains("@generated"));
    let lines = text.lines().count();
    if is_test || is_generated || lines <= LINES_WARNED {
        return;
    }
    let what = format!("{lines} lines: split it by structure or job; {LINES_MAX} is the end");
    findings.push(if lines > LINES_MAX {
        Finding::new("file-size", path, LINES_MAX + 1, what)
    } else {
        Finding::warning("file-size", path, LINES_WARNED + 1, what)
    });
}

fn map_only(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let code = code_only(text);
    for (offset, item) in items(&code) {
        let is_map = MAP_ITEMS.iter().any(|start| item.starts_with(start));
        let is_inline = item.contains('{') && !item.starts_with("pub use");
        if !is_map || is_inline {
            let what = "lib.rs is the map: docs, `mod` and `pub use`; move this into a file".into();
            findings.push(Finding::new("map-first", path, line_at(text, offset), what));
        }
    }
}

/// Returns the items of the outermost level without their attributes, each with its offset.
pub(super) fn items(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(skip) = code[at..].find(|c: char| !c.is_whitespace()) {
        at += skip;
        let rest = &code[at..];
        let length = if rest.starts_with('#') {
            attribute(rest)
        } else {
            let length = item(rest);
            found.push((at, &rest[..length]));
            length
        };
        at += length;
    }
    found
}

/// Returns the length of the attribute that `rest` begins with.
fn attribute(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of the item that `rest` begins with.
fn item(rest: &str) -> usize {
    let is_use = rest.starts_with("use ") || rest.starts_with("pub use ");
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && !is_use {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
