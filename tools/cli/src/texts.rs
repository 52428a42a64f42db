//! The texts of a project: by resource and language, and what is missing where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use loligo_compiler::{Property, nearest, read_source};
use loligo_text::STRINGS_TYPE;
use loligo_text::compile::{SourceText, SourceTexts};

use crate::references::References;

/// Something that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Remark {
    /// Where, as `file:line:column`.
    pub(crate) place: String,
    pub(crate) text: String,
}

/// A source of texts.
pub(crate) struct TextFile {
    pub(crate) path: String,
    /// Whether it is for all for whom there is no other.
    pub(crate) is_base: bool,
    pub(crate) texts: SourceTexts,
}

/// A resource of texts, with all its variants.
pub(crate) struct TextResource {
    pub(crate) name: String,
    /// The base first, if there is one, and then by path.
    pub(crate) files: Vec<TextFile>,
}

impl TextFile {
    fn place(&self, (line, column): (u32, u32)) -> String {
        format!("{}:{line}:{column}", self.path)
    }
}

impl TextResource {
    /// Reads all of a project, by name. Sources that are wrong are left out: the compile has said so.
    ///
    /// # Errors
    ///
    /// What is to be printed, if a source cannot be read.
    pub(crate) fn all(project: &Path, references: &References) -> Result<Vec<Self>, String> {
        let mut all: BTreeMap<&str, Vec<TextFile>> = BTreeMap::new();
        for entry in &references.index.entries {
            if &*entry.name.type_name != STRINGS_TYPE {
                continue;
            }
            let read = read_source(project, &entry.source).map_err(|error| error.to_string())?;
            let Some(bytes) = read else { continue };
            let properties = &entry.name.properties;
            let texts = Property::read(&bytes).and_then(|of| SourceTexts::read(&of, properties));
            if let Ok(texts) = texts {
                let path = entry.source.to_string();
                let file = TextFile { path, is_base: properties.is_empty(), texts };
                all.entry(&entry.name.name).or_default().push(file);
            }
        }
        let of = |(name, mut files): (&str, Vec<TextFile>)| {
            files.sort_by(|a, b| (!a.is_base, &a.path).cmp(&(!b.is_base, &b.path)));
            Self { name: name.to_owned(), files }
        };
        Ok(all.into_iter().map(of).collect())
    }

    /// Returns all keys with the file and the text where each is first.
    pub(crate) fn keys(&self) -> BTreeMap<&str, (&TextFile, &SourceText)> {
        let mut keys = BTreeMap::new();
        // What the base has counts; without one, what any of them has.
        let has_base = self.files.first().is_some_and(|file| file.is_base);
        let count = if has_base { 1 } else { self.files.len() };
        for file in &self.files[..count] {
            for text in &file.texts.texts {
                keys.entry(&*text.key).or_insert((file, text));
            }
        }
        keys
    }

    /// Returns the keys that a file of it does not have, with the place of each in another.
    pub(crate) fn missing_in(&self, file: &TextFile) -> Vec<Remark> {
        let missing = self.keys().into_iter().filter(|(key, _)| file.texts.get(key).is_none());
        let remark = |(key, (first, text)): (&str, (&TextFile, &SourceText))| Remark {
            place: first.place(text.place),
            text: format!("`{key}` is not in {}; translate it", file.path),
        };
        missing.map(remark).collect()
    }

    /// Returns what is to be said of all variants: keys that one has and another has not, and values
    /// that one shows and another does not know.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        let keys = self.keys();
        let mut remarks = Vec::new();
        for file in &self.files {
            remarks.extend(self.missing_in(file));
            for text in &file.texts.texts {
                let place = file.place(text.place);
                let Some((first, other)) = keys.get(&*text.key) else {
                    let base = self.files.first().map_or("", |base| base.path.as_str());
                    let hint = match nearest(&text.key, keys.keys().copied()) {
                        Some(near) => format!("is `{near}` meant?"),
                        None => "add it there, or remove it".to_owned(),
                    };
                    let text = format!("`{}` is not in {base}; {hint}", text.key);
                    remarks.push(Remark { place, text });
                    continue;
                };
                let known = other.placeholders();
                for name in text.placeholders().difference(&known) {
                    let hint = match nearest(name, known.iter().copied()) {
                        Some(near) => format!("is `{{{near}}}` meant?"),
                        None => "name one that it has".to_owned(),
                    };
                    let text = format!(
                        "`{}` shows `{{{name}}}`, which it does not in {}; {hint}",
                        text.key, first.path
                    );
                    remarks.push(Remark { place: place.clone(), text });
                }
            }
        }
        remarks
    }
}

/// Returns the texts that scripts ask for by a name that no source has: of calls with the name in quotes.
///
/// # Errors
///
/// What is to be printed, if a script cannot be read.
pub(crate) fn unknown(
    project: &Path,
    references: &References,
    all: &[TextResource],
) -> Result<Vec<Remark>, String> {
    let names: BTreeSet<String> = all
        .iter()
        .flat_map(|of| of.keys().into_keys().map(|key| format!("{}.{key}", of.name)))
        .collect();
    let mut remarks = Vec::new();
    for entry in references.index.entries.iter().filter(|entry| &*entry.name.type_name == "lua") {
        let read = read_source(project, &entry.source).map_err(|error| error.to_string())?;
        // One that is not there comes with the program.
        let source = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        for ((line, column), name) in asked(&source.unwrap_or_default()) {
            if names.contains(&name) {
                continue;
            }
            let hint = match nearest(&name, names.iter().map(String::as_str)) {
                Some(near) => format!("is `{near}` meant?"),
                None => "add it to a source of texts".to_owned(),
            };
            let place = format!("{}:{line}:{column}", entry.source);
            remarks.push(Remark { place, text: format!("there is no text `{name}`; {hint}") });
        }
    }
    Ok(remarks)
}

/// Returns the names in `Text.get("name"` of a script, with line and column of each. A comment is not
/// looked at, as far as it begins with its line.
fn asked(source: &str) -> Vec<((usize, usize), String)> {
    const CALL: &str = "Text.get";
    let mut found = Vec::new();
    for (number, line) in source.lines().enumerate() {
        if line.trim_start().starts_with("--") {
            continue;
        }
        for (at, _) in line.match_indices(CALL) {
            let rest = line[at + CALL.len()..].trim_start();
            let inner = rest.strip_prefix('(').map_or(rest, str::trim_start);
            let Some(quote) = inner.chars().next().filter(|quote| ['"', '\''].contains(quote))
            else {
                continue;
            };
            let Some((name, after)) = inner[1..].split_once(quote) else { continue };
            // A name that is put together is not known before the game runs.
            if !after.trim_start().starts_with("..") {
                let column = line[..line.len() - inner.len()].chars().count() + 1;
                found.push(((number + 1, column), name.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn names_of_texts_are_found_in_calls() {
        let source = "
            local a = Text.get(\"menu.start\", { name = 'x' })
            -- Text.get('menu.comment')
            Draw(Text.get ( 'menu.a' ), Text.get 'menu.b') Text.get(name) Text.get('menu.' .. key)
            Text.get(\"open";
        let names = asked(source);
        let wanted = [((2, 32), "menu.start"), ((4, 29), "menu.a"), ((4, 50), "menu.b")];
        assert_eq!(names, wanted.map(|(at, name)| (at, name.to_owned())));
    }
}
