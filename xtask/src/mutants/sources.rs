//! The sources of tier 0: what the roots of its crates name, tests and models left out.

use syn::Item;

use super::cfg;
use crate::outcome::Failure;
use crate::tree::Tree;

/// The crates that are mutated, each before those that are on it.
pub(crate) const CRATES: [&str; 3] = ["allocators", "ids", "containers"];

/// A source file.
pub(super) struct Source {
    /// Its path from the root.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
    /// The text, read.
    pub(super) file: syn::File,
}

/// Returns the sources that the build compiles, by crate, a file before those that it names.
///
/// # Errors
///
/// [`Failure::Found`] if one is missing or is not Rust.
pub(super) fn read(tree: &Tree) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    for folder in CRATES {
        let root = format!("{folder}/src/lib.rs");
        walk(tree, &root, &format!("{folder}/src"), &mut found)?;
    }
    Ok(found)
}

/// Adds a file and those it names, which are in `folder`.
fn walk(tree: &Tree, path: &str, folder: &str, found: &mut Vec<Source>) -> Result<(), Failure> {
    let text = tree.text(path).ok_or_else(|| Failure::Found(format!("{path}:1: no such file")))?;
    let file = syn::parse_file(text).map_err(|error| {
        Failure::Found(format!("{path}:{}: {error}", error.span().start().line))
    })?;
    let mut inner = Vec::new();
    for item in &file.items {
        let Item::Mod(module) = item else {
            continue;
        };
        let name = module.ident.to_string();
        if module.content.is_none() && name != "tests" && cfg::is_active(&module.attrs) {
            inner.push(name);
        }
    }
    found.push(Source { path: path.to_owned(), text: text.to_owned(), file });
    for name in inner {
        let below = format!("{folder}/{name}");
        walk(tree, &format!("{below}.rs"), &below, found)?;
    }
    Ok(())
}
