//! What the tables of a project show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use loligo_compiler::{Dependency, Entry, nearest, read_source};
use loligo_text::STRINGS_TYPE;

use super::{Finding, Kind};
use crate::depends::place;
use crate::references::References;

/// Resources by type and name.
pub(super) type Names<'r> = BTreeSet<(&'r str, &'r str)>;

/// Returns what is named and not there.
pub(super) fn missing(references: &References) -> Vec<Finding> {
    let there = all(references);
    let mut found = BTreeSet::new();
    for entry in &references.index.entries {
        for of in &entry.references {
            let (type_name, name) = (&*of.type_name, &*of.name);
            if there.contains(&(type_name, name)) {
                continue;
            }
            let others = there.iter().filter(|(of, _)| *of == type_name).map(|(_, name)| *name);
            let hint = match nearest(name, others) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "add it, or name another".to_owned(),
            };
            let text = format!("there is no {type_name} `{name}`; {hint}");
            let place = place(entry, [of.line, of.column]);
            found.insert(Finding { kind: Kind::Missing, place, text });
        }
    }
    found.into_iter().collect()
}

/// Returns the resources that a game can come to: from its settings, by what names what, and by texts of scripts.
///
/// # Errors
///
/// What is to be printed, if a script cannot be read.
pub(super) fn reached<'r>(project: &Path, references: &'r References) -> Result<Names<'r>, String> {
    let there = all(references);
    let texts = script_texts(project, references)?;
    // A script that has the text of a folder makes names of it.
    let folders: Vec<&str> = texts
        .iter()
        .map(|text| &**text)
        .filter(|text| text.len() > 1 && text.ends_with('/'))
        .collect();
    // Texts are asked for by the resource, a dot and the key.
    let of_texts: BTreeSet<&str> =
        texts.iter().filter_map(|text| Some(text.split_once('.')?.0)).collect();
    // The settings of subsystems have the name of those of the game.
    let is_root = |(type_name, name): &(&str, &str)| {
        *name == "game"
            || (*type_name == STRINGS_TYPE && of_texts.contains(name))
            || texts.contains(*name)
            || folders.iter().any(|folder| name.starts_with(folder))
    };
    let mut ways: Vec<(&str, &str)> = there.iter().copied().filter(is_root).collect();
    let mut reached: Names<'r> = ways.iter().copied().collect();
    let mut made_of: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    let mut entries: BTreeMap<(&str, &str), Vec<&Entry>> = BTreeMap::new();
    for entry in &references.index.entries {
        made_of.insert(&entry.source, named(entry));
        entries.entry(named(entry)).or_default().push(entry);
    }
    while let Some(name) = ways.pop() {
        for entry in entries.get(&name).into_iter().flatten() {
            let files = entry.dependencies.iter().filter_map(|of| match of {
                Dependency::File { path, .. } => made_of.get(&**path).copied(),
                _ => None,
            });
            let others = entry.references.iter().map(|of| (&*of.type_name, &*of.name));
            for other in others.chain(files) {
                if there.contains(&other) && reached.insert(other) {
                    ways.push(other);
                }
            }
        }
    }
    Ok(reached)
}

/// Returns the resources of the project that it cannot come to.
pub(super) fn unused(references: &References, reached: &Names<'_>) -> Vec<Finding> {
    let mut found = BTreeSet::new();
    for entry in &references.index.entries {
        // What comes with the program is there whether it is used or not.
        if reached.contains(&named(entry)) || is_built_in(entry) {
            continue;
        }
        let (type_name, name) = named(entry);
        let text = format!(
            "nothing that the game comes to names the {type_name} `{name}`; remove it, or put it into a package"
        );
        found.insert(Finding { kind: Kind::Unused, place: entry.source.to_string(), text });
    }
    found.into_iter().collect()
}

/// Returns files of the project with the same bytes, each with the first of them.
pub(super) fn doubles(project: &Path, references: &References) -> Vec<Finding> {
    let mut firsts = BTreeMap::new();
    let mut found = Vec::new();
    for file in &references.index.files {
        let bytes = project.join(&*file.path).metadata().map_or(0, |of| of.len());
        if bytes == 0 {
            continue;
        }
        // A resource is what its type makes of the bytes.
        let ending = file.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let first = *firsts.entry((file.hash.to_string(), ending)).or_insert(&file.path);
        if *first != file.path {
            let text = format!(
                "the same {bytes} bytes as {first}; keep one of them and name it in place of the other"
            );
            found.push(Finding { kind: Kind::Double, place: file.path.to_string(), text });
        }
    }
    found
}

/// Returns the resources of at least `large` bytes.
pub(super) fn large(references: &References, large: u64) -> Vec<Finding> {
    let of = |entry: &Entry| {
        let bytes = entry.output.map(|output| output.bytes).filter(|bytes| *bytes >= large)?;
        let text = format!("{} has {bytes} bytes; {large} are many", entry.name);
        Some(Finding { kind: Kind::Large, place: entry.source.to_string(), text })
    };
    references.index.entries.iter().filter_map(of).collect()
}

/// Returns a resource's type and name, without the properties of a variant.
pub(super) fn named(entry: &Entry) -> (&str, &str) {
    (&entry.name.type_name, &entry.name.name)
}

/// Returns whether a resource comes with the program.
pub(super) fn is_built_in(entry: &Entry) -> bool {
    entry.name.name.starts_with("core/")
}

fn all(references: &References) -> Names<'_> {
    references.index.entries.iter().map(named).collect()
}

/// Returns the texts of all scripts: each may be the name of a resource.
fn script_texts(project: &Path, references: &References) -> Result<BTreeSet<String>, String> {
    let mut texts = BTreeSet::new();
    for entry in references.index.entries.iter().filter(|entry| &*entry.name.type_name == "lua") {
        let read = read_source(project, &entry.source);
        // One that is not there comes with the program.
        if let Some(source) = read.map_err(|error| error.to_string())? {
            add_texts(&String::from_utf8_lossy(&source), &mut texts);
        }
    }
    Ok(texts)
}

/// Adds what is between quotes. What a comment quotes is added as well: better one that is not
/// used than one that is removed though it is.
fn add_texts(source: &str, texts: &mut BTreeSet<String>) {
    for line in source.lines() {
        for quote in ['"', '\''] {
            texts.extend(line.split(quote).skip(1).step_by(2).map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_script_are_what_is_between_quotes() {
        let mut texts = BTreeSet::new();
        add_texts("spawn(\"rocks/stone\", 'a b') -- it's \"one\"", &mut texts);
        for text in ["rocks/stone", "a b", "one"] {
            assert!(texts.contains(text), "{text}: {texts:?}");
        }
        assert!(!texts.contains("spawn("), "{texts:?}");
    }
}
