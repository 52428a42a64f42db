//! Rule `licences`: every package that we build upon may be used under a licence on the list of
//! `deny.toml`. Cargo says which those are; nothing needs to be installed.

use std::collections::BTreeSet;
use std::path::Path;

use toml::{Table, Value};

use crate::command;
use crate::outcome::Failure;
use crate::tidy::finding::{Finding, line_of};
use crate::tree::Tree;

/// A package of the dependency graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its licence expression, empty where it states none.
    pub(crate) licence: String,
}

/// Asks Cargo for every package that any feature of any crate brings in.
///
/// # Errors
///
/// [`Failure::Found`] if Cargo cannot resolve the graph.
pub(crate) fn packages(root: &Path) -> Result<BTreeSet<Package>, Failure> {
    let arguments = [
        "tree",
        "--locked",
        "--workspace",
        "--all-features",
        "--edges",
        "all",
        "--prefix",
        "none",
        "--format",
        "{p}|{l}",
    ];
    let listing = command::output(command::cargo(root).args(arguments))?;
    Ok(listing.lines().filter_map(package).collect())
}

/// Reads one line `name vVERSION (..)|LICENCE`.
fn package(line: &str) -> Option<Package> {
    let (package, licence) = line.split_once('|')?;
    let name = package.split_whitespace().next()?;
    Some(Package {
        name: name.to_owned(),
        // A package that was listed before bears a mark.
        licence: licence.trim().trim_end_matches("(*)").trim_end().to_owned(),
    })
}

/// Names the packages that none of the licences in `deny.toml` allows, for all or for that package alone.
pub(crate) fn check(tree: &Tree, packages: &BTreeSet<Package>) -> Vec<Finding> {
    let table = tree.text("deny.toml").and_then(|text| text.parse::<Table>().ok());
    let licenses = table.as_ref().and_then(|table| table.get("licenses"));
    let allowed = names(licenses.and_then(|licenses| licenses.get("allow")));
    let exceptions = licenses.and_then(|licenses| licenses.get("exceptions")?.as_array());
    let is_excepted = |package: &Package| {
        exceptions.into_iter().flatten().any(|exception| {
            let name = exception.get("crate").and_then(Value::as_str);
            name == Some(&*package.name)
                && permits(&package.licence, &names(exception.get("allow")))
        })
    };
    let lock = tree.text("Cargo.lock").unwrap_or_default();
    let is_broken =
        |package: &&Package| !permits(&package.licence, &allowed) && !is_excepted(package);
    let broken = packages.iter().filter(is_broken);
    let findings = broken.map(|package| {
        let line = line_of(lock, &format!("name = \"{}\"", package.name));
        let licence = match package.licence.as_str() {
            "" => "no licence",
            licence => licence,
        };
        let what = format!(
            "`{}` states {licence}, which deny.toml does not allow: use another package",
            package.name
        );
        Finding::new("licences", "Cargo.lock", line, what)
    });
    findings.collect()
}

/// Returns the names of a list.
fn names(list: Option<&Value>) -> Vec<String> {
    let names = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// Returns `true` if an SPDX expression can be met with the allowed licences alone.
fn permits(expression: &str, allowed: &[String]) -> bool {
    // An old way of writing OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let permitted = any_of(&mut words, allowed);
    // An empty or broken expression leaves words over or gives none at all.
    permitted == Some(true) && words.next().is_none()
}

type Words<'a> = core::iter::Peekable<core::str::SplitWhitespace<'a>>;

/// Reads `a OR b ..`; `None` where the expression is broken.
fn any_of(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut permitted = all_of(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        permitted |= all_of(words, allowed)?;
    }
    Some(permitted)
}

/// Reads `a AND b ..`, which binds closer than OR.
fn all_of(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut permitted = one(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        permitted &= one(words, allowed)?;
    }
    Some(permitted)
}

/// Reads a licence, with an exception or not, or an expression in parentheses.
fn one(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let word = words.next()?;
    if word == "(" {
        let permitted = any_of(words, allowed)?;
        return words.next_if_eq(&")").map(|_| permitted);
    }
    if matches!(word, ")" | "OR" | "AND" | "WITH") {
        return None;
    }
    // An exception only adds permissions, so the licence alone decides.
    if words.next_if_eq(&"WITH").is_some() {
        words.next()?;
    }
    Some(allowed.iter().any(|name| name == word))
}

#[cfg(test)]
mod tests;
