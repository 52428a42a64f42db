//! Rule `sections-stated`: the doc of an allocator states what it costs, how threads may use it,
//! and when it is not the right one, in sections that have one order everywhere.

use crate::tidy::code::code_only;
use crate::tidy::finding::{Finding, line_at};
use crate::tidy::groups::{Module, modules};
use crate::tree::Tree;

/// The folder of the allocators' modules.
const FOLDER: &str = "allocators/src/";

/// The sections that every allocator has.
const STATED: [&str; 4] = ["Complexity", "Memory", "Threads", "When not to use it"];

/// The sections that follow where there is something to say, in this order.
const FOLLOWING: [&str; 5] = ["Errors", "Panics", "Safety", "Examples", "Invariants"];

/// Types of that crate that are chosen as an allocator is, without being one.
const LIKE_ALLOCATORS: [&str; 4] = ["BuddyOffsets", "MemoryGlobals", "Overview", "Sites"];

/// Looks at the public types in the modules right below the crate's root or in a group there.
pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for Module { path, text, .. } in modules(tree, FOLDER) {
        let code = code_only(text);
        for (offset, name) in names_after(&code, "pub struct ") {
            if !is_allocator(&code, name) && !LIKE_ALLOCATORS.contains(&name) {
                continue;
            }
            if let Some(what) = fault(&sections(&text[..offset])) {
                let line = line_at(text, offset);
                let what = format!("`{name}`: {what}");
                findings.push(Finding::new("sections-stated", path, line, what));
            }
        }
    }
}

/// Returns the names that follow `before` in `code`, each with the offset of that `before`.
fn names_after<'c>(
    code: &'c str,
    before: &'static str,
) -> impl Iterator<Item = (usize, &'c str)> + use<'c> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(before).map(move |(offset, _)| {
        let rest = &code[offset + before.len()..];
        (offset, &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())])
    })
}

/// Returns `true` if `code` has an allocator's trait for the type of that name.
fn is_allocator(code: &str, name: &str) -> bool {
    let traits = ["Allocator for ", "GlobalAlloc for "];
    traits.into_iter().any(|before| names_after(code, before).any(|(_, found)| found == name))
}

/// Returns the headings of the doc that `before` ends with, but for those within an example.
fn sections(before: &str) -> Vec<&str> {
    let lines = before.lines().rev();
    let mut doc: Vec<_> = lines
        .take_while(|line| line.starts_with("///") || line.starts_with("#["))
        .filter_map(|line| line.strip_prefix("///"))
        .map(str::trim)
        .collect();
    doc.reverse();
    let mut is_example = false;
    doc.retain(|line| {
        is_example ^= line.starts_with("```");
        !is_example
    });
    doc.into_iter().filter_map(|line| line.strip_prefix("# ")).collect()
}

/// Returns what is wrong with the headings of a doc.
fn fault(sections: &[&str]) -> Option<String> {
    if let Some(missing) = STATED.iter().find(|heading| !sections.contains(heading)) {
        return Some(format!(
            "state its `# {missing}`; every allocator states complexity, memory, threads, and when \
             not to use it"
        ));
    }
    let order: Vec<_> = STATED.into_iter().chain(FOLLOWING).collect();
    let places: Vec<_> =
        sections.iter().map(|heading| order.iter().position(|known| known == heading)).collect();
    // A section of the type's own comes before all of these, so its place is `None`, which is
    // least.
    let late = places.windows(2).position(|pair| pair[0] > pair[1])?;
    Some(format!(
        "move `# {}` before `# {}`: its other sections, then {}",
        sections[late + 1],
        sections[late],
        order.join(", ")
    ))
}
