//! Rule `sections-stated`: the doc of an allocator, a container or an id table states what it
//! costs and how threads may use it, that of an allocator also when it is not the right one, in
//! sections that have one order everywhere.

use crate::tidy::code::code_only;
use crate::tidy::finding::{Finding, line_at};
use crate::tidy::groups::{Module, modules};
use crate::tree::Tree;

/// The folder of the allocators' modules.
const FOLDER: &str = "allocators/src/";

/// The folders of the crates with containers and id tables.
const CONTAINERS: [&str; 2] = ["containers/src/", "ids/src/"];

/// The sections that every container has, and every allocator.
const STATED: [&str; 3] = ["Complexity", "Memory", "Threads"];

/// The sections that follow where there is something to say, in this order. Every allocator has the
/// first.
const FOLLOWING: [&str; 6] =
    ["When not to use it", "Errors", "Panics", "Safety", "Examples", "Invariants"];

/// Types of that crate that are chosen as an allocator is, without being one.
const LIKE_ALLOCATORS: [&str; 4] = ["BuddyOffsets", "MemoryGlobals", "Overview", "Sites"];

/// Types of those crates that are chosen as a container is, and only read memory.
const LIKE_CONTAINERS: [&str; 2] = ["Blob", "ReverseLookup"];

/// Looks at the allocators in the modules right below their crate's root or in a group there, and
/// at the containers and id tables in all files of theirs.
pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let allocators =
        modules(tree, FOLDER).into_iter().map(|Module { path, text, .. }| (path, text));
    for (path, text) in allocators {
        let stated: Vec<_> = STATED.into_iter().chain(["When not to use it"]).collect();
        check_file(path, text, "allocator", &stated, is_allocator, findings);
    }
    let of_containers = |path: &str| CONTAINERS.iter().any(|folder| path.starts_with(folder));
    for (path, text) in tree.sources().filter(|(path, _)| of_containers(path)) {
        check_file(path, text, "container", &STATED, is_container, findings);
    }
}

/// Looks at the docs of the public types of a file for which `is_held` is `true`.
fn check_file(
    path: &str,
    text: &str,
    kind: &str,
    stated: &[&str],
    is_held: impl Fn(&str, usize, &str) -> bool,
    findings: &mut Vec<Finding>,
) {
    let code = code_only(text);
    for (offset, name) in names_after(&code, "pub struct ") {
        if !is_held(&code, offset, name) {
            continue;
        }
        if let Some(what) = fault(kind, stated, &sections(&text[..offset])) {
            let line = line_at(text, offset);
            findings.push(Finding::new("sections-stated", path, line, format!("`{name}`: {what}")));
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

/// Returns `true` if `code` has an allocator's trait for the type of that name, or if the type is
/// held to the same.
fn is_allocator(code: &str, _offset: usize, name: &str) -> bool {
    let traits = ["Allocator for ", "GlobalAlloc for "];
    LIKE_ALLOCATORS.contains(&name)
        || traits
            .into_iter()
            .any(|before| names_after(code, before).any(|(_, found)| found == name))
}

/// Returns `true` if the type of that name at `offset` of `code` owns memory of an allocator, or if
/// it is held to the same.
///
/// Such a type is generic over the allocator, whose lifetime is its only one; a guard or a handle
/// has the lifetime of the container too. The iterators that own their container are called so.
fn is_container(code: &str, offset: usize, name: &str) -> bool {
    let rest = &code[offset..];
    let head = &rest[..rest.find(['{', ';']).unwrap_or(rest.len())];
    let parameters = head.split_once('(').map_or(head, |(before, _)| before);
    let has_one_lifetime = parameters.contains("<'a,") || parameters.contains("<\n    'a,");
    let owns = parameters.contains(": Allocator") && has_one_lifetime && !name.ends_with("Iter");
    owns || LIKE_CONTAINERS.contains(&name)
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
fn fault(kind: &str, stated: &[&str], sections: &[&str]) -> Option<String> {
    if let Some(missing) = stated.iter().find(|heading| !sections.contains(heading)) {
        let all = stated.join(", ");
        return Some(format!("state its `# {missing}`; every {kind} states {all}"));
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
