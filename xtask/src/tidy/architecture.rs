//! Rule `architecture`: the map names what is there, all of it, and links to nothing.

use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;
use crate::workspace::Workspace;

const MAP: &str = "ARCHITECTURE.md";

/// A page and a half.
const LINES_MAX: usize = 150;

/// The possible ends of the name of a file that is not a path of ours.
const FILE_ENDINGS: [&str; 7] = [".rs", ".toml", ".md", ".json", ".lock", ".html", ".tree"];

/// Looks at the map.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let Some(text) = tree.text(MAP) else {
        let what = "write the map: bird's eye, code map, tiers, what is absent".into();
        findings.push(Finding::new("architecture", MAP, 1, what));
        return;
    };
    for (at, name) in code_spans(text) {
        if is_path(name) && !tree.has_path(name) {
            let what =
                format!("`{name}` is not there: name the file that is, or take the line out");
            findings.push(Finding::new("architecture", MAP, line_at(text, at), what));
        }
    }
    for (at, _) in text.match_indices("](") {
        let what = "the map has no links, since links rot: write the name in backticks".into();
        findings.push(Finding::new("architecture", MAP, line_at(text, at), what));
    }
    for member in &workspace.members {
        if !text.contains(&format!("`{}`", member.name)) {
            let what = format!("say what `{}` in {} is for", member.name, member.folder);
            findings.push(Finding::new("architecture", MAP, 1, what));
        }
    }
    let lines = text.lines().count();
    if lines > LINES_MAX {
        let what = format!("{lines} lines: keep the map to {LINES_MAX}, a page and a half");
        findings.push(Finding::new("architecture", MAP, LINES_MAX, what));
    }
}

/// Returns the texts between backticks, each with its offset.
fn code_spans(text: &str) -> Vec<(usize, &str)> {
    let ticks: Vec<_> = text.match_indices('`').map(|(at, _)| at).collect();
    let pairs = ticks.chunks_exact(2);
    pairs.map(|pair| (pair[0], &text[pair[0] + 1..pair[1]])).collect()
}

/// Returns `true` if a code span is meant as a path.
fn is_path(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    // Capitals as in `tools/NAME` mean any name.
    let is_pattern = name.split(['/', '-']).any(|part| part == "NAME" || part == "NNNN");
    let ends_as_file = FILE_ENDINGS.iter().any(|ending| name.ends_with(ending));
    name.chars().all(plain) && !is_pattern && (name.contains('/') || ends_as_file)
}
