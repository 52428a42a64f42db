//! Rule `source-named`: a module of tier 0 names the article it follows, or is known to follow
//! none.

use crate::tidy::finding::Finding;
use crate::tidy::groups::{Module, modules};
use crate::tree::Tree;
use crate::workspace::Workspace;

/// Modules of tier 0 that no article describes. A new one is added here in review, so that a
/// forgotten source is a finding and not a silence.
const NO_SOURCE: &[&str] = &[
    "allocators/bookkeeping/address_table",
    "allocators/bookkeeping/block_table",
    "allocators/bookkeeping/char_boundary",
    "allocators/bookkeeping/counters",
    "allocators/bookkeeping/left",
    "allocators/bookkeeping/mark",
    "allocators/bookkeeping/sites",
    "allocators/blocks/offset_leak",
    "allocators/bookkeeping/source_allocator",
    "allocators/bookkeeping/table_memory",
    "allocators/contract/last_memory",
    "allocators/contract/leak",
    "allocators/contract/misuse",
    "allocators/contract/stats",
    "allocators/heaps/size_class_heap",
    "allocators/heaps/size_classes",
    "allocators/owners/slice_builder",
    "allocators/owners/text_builder",
    "allocators/program/bridge",
    "allocators/program/debug",
    "allocators/threads/fork",
    "allocators/threads/global",
    "allocators/threads/locked",
    "allocators/threads/sync",
    "allocators/wrappers/failing",
    "containers/derives",
    "ids/each",
    "ids/sync",
];

/// Looks at the head of every module right below a tier-0 `lib.rs` or in a group there.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    for member in workspace.tier_zero() {
        let folder = format!("{}/src/", member.folder);
        for Module { path, name, text, is_test } in modules(tree, &folder) {
            let known = format!("{}/{name}", member.folder);
            if is_test {
                continue;
            }
            if NO_SOURCE.contains(&known.as_str()) {
                continue;
            }
            if !names_source(&head(text)) {
                let what = "name the article in the module's doc as `After Author Name, \"Title\" \
                    (year)`, with our changes; one that follows none goes on the list in \
                    xtask/src/tidy/source_named.rs";
                findings.push(Finding::new("source-named", path, 1, what.into()));
            }
        }
    }
}

/// Returns the module's doc as one line.
fn head(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns `true` if `head` contains a quoted title with a name before and a year after it.
fn names_source(head: &str) -> bool {
    let quotes: Vec<_> = head.match_indices('"').map(|(at, _)| at).collect();
    quotes.windows(2).any(|pair| {
        let title = &head[pair[0] + 1..pair[1]];
        let before: Vec<_> = head[..pair[0]].split_whitespace().rev().take(8).collect();
        let capital = |word: &&str| word.starts_with(char::is_uppercase);
        let has_author = before.windows(2).any(|words| words.iter().all(capital));
        let after = head[pair[1] + 1..].trim_start();
        !title.trim().is_empty() && has_author && begins_with_year(after)
    })
}

/// Returns `true` if `text` begins with a parenthesis that holds a year.
fn begins_with_year(text: &str) -> bool {
    let Some((inside, _)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return false;
    };
    let mut numbers = inside.split(|c: char| !c.is_ascii_digit());
    numbers.any(|number| number.len() == 4 && matches!(&number[..2], "18" | "19" | "20"))
}
