//! What is to be done so that a resource has another name.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use loligo_compiler::{Dependency, Entry, ResourceName, read_source};

use crate::depends::place;
use crate::references::References;

/// A source with other names in it.
pub(super) struct Rewritten {
    /// Its path in the project.
    pub(super) path: String,
    pub(super) text: String,
    /// The lines and columns at which a name was replaced.
    places: BTreeSet<[u32; 2]>,
}

/// What is to be done so that a resource has another name.
pub(super) struct Plan {
    old: String,
    new: String,
    pub(super) rewritten: Vec<Rewritten>,
    /// Files that get another name: from, and to.
    pub(super) moved: Vec<(String, String)>,
    /// What is left to the user: places, with the reason.
    pub(super) by_hand: Vec<String>,
}

impl Plan {
    /// Finds out what is to be done. Nothing is changed.
    ///
    /// # Errors
    ///
    /// What is to be printed: the resource is built in, the new name is taken, or a source cannot be read.
    pub(super) fn new(
        project: &Path,
        references: &References,
        old: &ResourceName,
        new: &ResourceName,
    ) -> Result<Self, String> {
        if old.type_name != new.type_name {
            return Err(format!(
                "`{new}` has another type than `{old}`; a resource keeps its type"
            ));
        }
        if let Some(taken) = references.variants(&new.type_name, &new.name).next() {
            return Err(format!("`{new}` is there, as {}; give another name", taken.source));
        }
        let mut plan = Self {
            old: old.name.clone(),
            new: new.name.clone(),
            rewritten: Vec::new(),
            moved: Vec::new(),
            by_hand: Vec::new(),
        };
        let mut sources: BTreeMap<&str, BTreeSet<[u32; 2]>> = BTreeMap::new();
        for (entry, at) in references.naming(&old.type_name, &old.name) {
            sources.entry(&entry.source).or_default().insert(at);
        }
        for entry in references.made_of(&old.type_name, &old.name) {
            let text = text_of(project, &entry.source)?;
            sources.entry(&entry.source).or_default().extend(plan.inherits(&text));
        }
        for (source, places) in sources {
            plan.rewrite(project, source, places)?;
        }
        for variant in references.variants(&old.type_name, &old.name) {
            plan.move_variant(project, references, variant, new)?;
        }
        plan.moved.sort();
        plan.moved.dedup();
        plan.look_into_scripts(project, references)?;
        Ok(plan)
    }

    /// Replaces the name at some places of a source.
    fn rewrite(
        &mut self,
        project: &Path,
        source: &str,
        places: BTreeSet<[u32; 2]>,
    ) -> Result<(), String> {
        let mut text = text_of(project, source)?;
        let mut replaced = BTreeSet::new();
        // From the last one on, so that places before it stay where they are.
        for at in places.into_iter().rev() {
            let start = offset(&text, at);
            if start.is_some_and(|start| text[start..].starts_with("\"*\"")) {
                // A package has all of a type, by whatever names.
                continue;
            }
            match start.and_then(|start| self.name_at(&text, start)) {
                Some(start) => {
                    text.replace_range(start..start + self.old.len(), &self.new);
                    replaced.insert(at);
                }
                // What it inherits names it, and its own source does not.
                None if at[0] == 0 && !self.is_in(&text) => {}
                None => {
                    let [line, column] = at;
                    let place = if line == 0 { String::new() } else { format!(":{line}:{column}") };
                    self.by_hand.push(format!("{source}{place}: names it in another way"));
                }
            }
        }
        if !replaced.is_empty() {
            self.rewritten.push(Rewritten { path: source.to_owned(), text, places: replaced });
        }
        Ok(())
    }

    /// Returns the places at which a source of entities inherits the old name; that it is made of it without such a
    /// place, by what else it inherits, is at line 0.
    fn inherits(&self, text: &str) -> Vec<[u32; 2]> {
        let mut places = Vec::new();
        for (at, word) in text.match_indices("inherit") {
            let after =
                text[at + word.len()..].trim_start_matches(|of: char| " \t\"=:".contains(of));
            let start = text.len() - after.len();
            if self.name_at(text, start).is_some() {
                let line = text[..start].matches('\n').count() as u32 + 1;
                let begin = text[..start].rfind('\n').map_or(0, |end| end + 1);
                places.push([line, text[begin..start].chars().count() as u32 + 1]);
            }
        }
        if places.is_empty() {
            places.push([0; 2]);
        }
        places
    }

    /// Returns whether a text has the old name as a whole somewhere.
    fn is_in(&self, text: &str) -> bool {
        text.match_indices(&*self.old).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let is_start = before.is_none_or(|before| !is_of_name(before));
            is_start && self.name_at(text, at).is_some()
        })
    }

    /// Returns where the old name begins: at a place, or one byte after it where it is in quotes.
    fn name_at(&self, text: &str, start: usize) -> Option<usize> {
        let start = start + usize::from(text[start..].starts_with('"'));
        let rest = text[start..].strip_prefix(&*self.old)?;
        let is_whole = !rest.starts_with(is_of_name);
        is_whole.then_some(start)
    }

    /// Moves the source of a variant, and the file of the same name that it is made of if it does not name one.
    fn move_variant(
        &mut self,
        project: &Path,
        references: &References,
        variant: &Entry,
        new: &ResourceName,
    ) -> Result<(), String> {
        let properties = variant.name.properties.clone();
        let to = ResourceName { properties, ..new.clone() };
        let source = text_of(project, &variant.source)
            .map_err(|error| format!("{error}; what comes with the program cannot be renamed"))?;
        self.moved.push((variant.source.to_string(), to.to_string()));
        for dependency in &variant.dependencies {
            let Dependency::File { path, hash: Some(_) } = dependency else { continue };
            let Some(ending) = path.strip_prefix(&*self.old).filter(|rest| rest.starts_with('.'))
            else {
                continue;
            };
            let is_resource = references.index.entries.iter().any(|entry| entry.source == *path);
            let file = path.rsplit('/').next().unwrap_or(path);
            if is_resource || source.contains(file) {
                continue;
            }
            let is_shared = references.index.entries.iter().any(|entry| {
                let is_other = (&entry.name.type_name, &entry.name.name)
                    != (&variant.name.type_name, &variant.name.name);
                let reads =
                    |of: &Dependency| matches!(of, Dependency::File { path: of, .. } if of == path);
                is_other && entry.dependencies.iter().any(reads)
            });
            if is_shared {
                return Err(format!(
                    "{} is made of {path} without naming it, and so is another resource; name it in the source \
                     first, and rename then",
                    variant.source
                ));
            }
            self.moved.push((path.to_string(), format!("{}{ending}", self.new)));
        }
        for (_, to) in &self.moved {
            if project.join(to).symlink_metadata().is_ok() {
                return Err(format!("{to} is there already; move it away, or give another name"));
            }
        }
        Ok(())
    }

    /// Lists lines of scripts in which the name is a text.
    fn look_into_scripts(&mut self, project: &Path, references: &References) -> Result<(), String> {
        let quoted = ['"', '\''].map(|quote| format!("{quote}{}{quote}", self.old));
        for script in references.index.entries.iter().filter(|entry| entry.name.type_name == "lua")
        {
            // Those that come with the program name no resource of the project.
            let Ok(text) = text_of(project, &script.source) else { continue };
            for (line, column) in text.lines().zip(1..).filter_map(|(line, number)| {
                let found = quoted.iter().find_map(|quoted| line.find(&**quoted))?;
                Some((number, line[..found].chars().count() as u32 + 1))
            }) {
                let place = place(script, [line, column]);
                self.by_hand.push(format!("{place}: a script has this text; it may be this name"));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Rewritten { path, places, .. } in &self.rewritten {
            for [line, column] in places {
                writeln!(f, "{path}:{line}:{column}: {} becomes {}", self.old, self.new)?;
            }
        }
        for (from, to) in &self.moved {
            writeln!(f, "{from} becomes {to}")?;
        }
        for left in &self.by_hand {
            writeln!(f, "by hand: {left}")?;
        }
        Ok(())
    }
}

/// Returns whether names have a letter.
fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || "_/-.*".contains(letter)
}

/// Reads a source that is text.
fn text_of(project: &Path, source: &str) -> Result<String, String> {
    let bytes = read_source(project, source).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("{source}: there is no such file in the project"))?;
    String::from_utf8(bytes).map_err(|_| format!("{source}: is no text"))
}

/// Returns the byte at which a line and a column are, both from 1 on, columns in characters.
fn offset(text: &str, [line, column]: [u32; 2]) -> Option<usize> {
    let start = match line.checked_sub(2) {
        _ if line == 0 => return None,
        None => 0,
        Some(before) => text.match_indices('\n').nth(before as usize)?.0 + 1,
    };
    let own = text[start..].lines().next().unwrap_or_default();
    let mut bytes = own.char_indices().map(|(at, _)| at);
    let within = bytes.nth(column.checked_sub(1)? as usize)?;
    Some(start + within)
}
