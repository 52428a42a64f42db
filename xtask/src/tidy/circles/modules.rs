//! The modules of a crate, as its `mod` lines state them, without what is compiled for tests only.

use crate::tidy::code::{code_only, words};
use crate::tidy::dead_files::{normal, stated_path};
use crate::tree::Tree;

/// A module that has a file.
pub(super) struct Module<'t> {
    /// Its name in the module above; empty for the root of a crate.
    pub(super) name: String,
    /// Its path from the root of the crate.
    pub(super) path: Vec<String>,
    /// Its file, from the root of the project.
    pub(super) file: &'t str,
    /// Its code, without comments, strings and tests; each byte is where it is in the file.
    pub(super) code: String,
    /// The modules that it declares.
    pub(super) children: Vec<Self>,
}

impl<'t> Module<'t> {
    /// Returns the root of a crate with all modules below; `None` if there is no such file.
    pub(super) fn root(tree: &'t Tree, file: &str) -> Option<Self> {
        Self::read(tree, file, Vec::new())
    }

    fn read(tree: &'t Tree, file: &str, path: Vec<String>) -> Option<Self> {
        let (file, text) = tree.file(file)?;
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let modules = if path.is_empty() { folder } else { file.trim_end_matches(".rs") };
        let code = without_tests(&code_only(text));
        let mut children = Vec::new();
        for at in words(&code, "mod") {
            let rest = code[at + 3..].trim_start();
            let name = &rest[..end_of_name(rest)];
            if !rest[name.len()..].trim_start().starts_with(';') {
                continue;
            }
            let child = match stated_path(text, at) {
                Some(stated) => format!("{folder}/{stated}"),
                None => format!("{modules}/{name}.rs"),
            };
            let path = path.iter().cloned().chain([name.to_owned()]).collect();
            children.extend(Self::read(tree, &normal(&child), path));
        }
        Some(Self { name: path.last().cloned().unwrap_or_default(), path, file, code, children })
    }

    /// Returns this module and all below it.
    pub(super) fn all(&self) -> Vec<&Self> {
        let below = self.children.iter().flat_map(Self::all);
        core::iter::once(self).chain(below).collect()
    }
}

/// Returns the length of the name that `text` begins with.
pub(super) fn end_of_name(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Returns `code` with each item blanked that is compiled for tests only.
fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut at = 0;
    while let Some(start) = code[at..].find("#[").map(|offset| at + offset) {
        let end = end_of_brackets(code, start + 1);
        kept.push_str(&code[at..start]);
        let attribute: String = code[start..end].split_whitespace().collect();
        let predicate = attribute.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]"));
        at = match predicate {
            Some(predicate) if needs_test(predicate) => end_of_item(code, end),
            _ => end,
        };
        if at == end {
            kept.push_str(&code[start..end]);
        } else {
            let blank =
                |c: char| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) };
            kept.extend(code[start..at].chars().map(blank));
        }
    }
    kept.push_str(&code[at..]);
    kept
}

/// Returns `true` if a predicate of `cfg` holds in tests alone.
fn needs_test(predicate: &str) -> bool {
    let inside = |name: &str| {
        let rest = predicate.strip_prefix(name)?.strip_prefix('(')?;
        Some(split(rest.strip_suffix(')')?))
    };
    match (inside("all"), inside("any")) {
        (Some(all), _) => all.into_iter().any(needs_test),
        (_, Some(any)) => any.into_iter().all(needs_test),
        _ => predicate == "test",
    }
}

/// Splits a list at the commas that are in no parentheses.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = list.split(move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Returns where the brackets end that open at `start`.
fn end_of_brackets(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (offset, c) in code[start..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 1 => return start + offset + 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// What begins an item or a statement, which a comma does not end.
const KEYWORDS: [&str; 16] = [
    "async",
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "let",
    "macro_rules",
    "mod",
    "pub",
    "static",
    "struct",
    "trait",
    "type",
    "unsafe",
    "use",
];

/// Returns where the item, field or statement ends that begins at `start` or after the attributes
/// there.
fn end_of_item(code: &str, start: usize) -> usize {
    let mut at = start + code[start..].len() - code[start..].trim_start().len();
    while code[at..].starts_with("#[") {
        at = end_of_brackets(code, at + 1);
        at += code[at..].len() - code[at..].trim_start().len();
    }
    let is_item = KEYWORDS.contains(&&code[at..at + end_of_name(&code[at..])]);
    while let Some(c) = code[at..].chars().next() {
        match c {
            '(' | '[' | '{' => {
                at = end_of_brackets(code, at);
                if c == '{' {
                    return at;
                }
            }
            ';' => return at + 1,
            ',' if !is_item => return at + 1,
            ')' | ']' | '}' => return at,
            _ => at += c.len_utf8(),
        }
    }
    at
}
