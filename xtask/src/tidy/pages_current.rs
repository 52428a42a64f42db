//! Rule `pages-current`: a page that a command writes is what the command would write now.

use crate::outcome::Failure;
use crate::tidy::finding::Finding;
use crate::tree::Tree;
use crate::{faults, verify};

/// Writes the pages again from the figures that are kept, and compares.
pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    compare(tree, verify::PAGE, verify::regenerated(tree), "cargo xtask verify --page", findings);
    match faults::regenerated(tree) {
        Ok(page) => {
            compare(tree, faults::PAGE, page, "cargo xtask planted --page", findings);
        }
        Err(Failure::Found(what) | Failure::Unable(what)) => {
            findings.push(Finding::new("pages-current", faults::LEDGER, 1, what));
        }
    }
}

fn compare(tree: &Tree, path: &str, page: String, command: &str, findings: &mut Vec<Finding>) {
    if tree.text(path) != Some(page.as_str()) {
        let what = format!("it is not what the figures give: run `{command}`");
        findings.push(Finding::new("pages-current", path, 1, what));
    }
}
