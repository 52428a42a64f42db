//! Rule `examples-run`: a crate's README is the doc of its library, so that its examples are tests,
//! and the root README shows no Rust that is not in one of them.

use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;
use crate::workspace::Workspace;

/// Looks at the READMEs.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    let mut run = Vec::new();
    for member in &workspace.members {
        let path = format!("{}/README.md", member.folder);
        let library = format!("{}/src/lib.rs", member.folder);
        let Some(text) = tree.text(&path) else {
            continue;
        };
        let examples = rust_blocks(text);
        let source = tree.text(&library).unwrap_or_default();
        if source.contains("include_str!(\"../README.md\")") {
            run.extend(examples.into_iter().map(|(_, block)| block));
        } else if let Some((at, _)) = examples.first() {
            let what = format!(
                "run the examples: `#![doc = include_str!(\"../README.md\")]` in {library}"
            );
            findings.push(Finding::new("examples-run", &path, line_at(text, *at), what));
        }
    }
    let text = tree.text("README.md").unwrap_or_default();
    for (at, block) in rust_blocks(text) {
        if !run.contains(&block) {
            let what =
                "show an example of a crate's README word for word, so that it is run".into();
            findings.push(Finding::new("examples-run", "README.md", line_at(text, at), what));
        }
    }
}

/// Returns the blocks that are fenced as Rust, each with its offset.
fn rust_blocks(text: &str) -> Vec<(usize, &str)> {
    let openings = text.match_indices("```rust");
    let blocks = openings.filter_map(|(at, _)| {
        let (_, rest) = text[at..].split_once('\n')?;
        let (block, _) = rest.split_once("```")?;
        Some((at, block))
    });
    blocks.collect()
}
