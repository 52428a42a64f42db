//! The modules that a source requires by a text: `require "name"`, `require("name")`.

/// A module that is required, and where: line and column from 1 on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Required<'s> {
    pub(crate) module: &'s str,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Returns what a source that is Lua requires, in its order. What is computed is not seen.
pub(crate) fn required(source: &str) -> Vec<Required<'_>> {
    let mut found = Vec::new();
    let mut rest = source;
    let mut before = ' ';
    while let Some(character) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("--") {
            rest = long_text(comment).map_or_else(
                || comment.find('\n').map_or("", |end| &comment[end..]),
                |(_, rest)| rest,
            );
        } else if let Some((_, behind)) = long_text(rest).or_else(|| short_text(rest)) {
            rest = behind;
        } else if character.is_ascii_alphabetic() || character == '_' {
            let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let end = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            if name == "require" && before != '.' && before != ':' {
                let text = behind.trim_start();
                let text = text.strip_prefix('(').map_or(text, str::trim_start);
                if let Some((module, _)) = short_text(text).filter(|(text, _)| !text.contains('\\'))
                {
                    let at = source.len() - rest.len();
                    found.push(place(source, at, module));
                }
            }
            rest = behind;
        } else {
            rest = &rest[character.len_utf8()..];
        }
        if !character.is_whitespace() {
            before = character;
        }
    }
    found
}

fn place<'s>(source: &str, at: usize, module: &'s str) -> Required<'s> {
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let count = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    let line = count(before.matches('\n').count());
    Required { module, line, column: count(before[line_start..].chars().count()) }
}

/// Splits a text in quotes from what follows it.
fn short_text(source: &str) -> Option<(&str, &str)> {
    let quote = source.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = &source[1..];
    let mut escaped = false;
    for (at, character) in inner.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return Some((&inner[..at], &inner[at + 1..]));
        }
    }
    Some((inner, ""))
}

/// Splits a text in long brackets from what follows it.
fn long_text(source: &str) -> Option<(&str, &str)> {
    let inner = source.strip_prefix('[')?;
    let level = inner.len() - inner.trim_start_matches('=').len();
    let inner = inner[level..].strip_prefix('[')?;
    let end = format!("]{}]", "=".repeat(level));
    Some(inner.split_once(&end).unwrap_or((inner, "")))
}

#[cfg(test)]
mod tests {
    use super::{Required, required};

    #[test]
    fn what_is_required_by_a_text_is_found_and_nothing_else() {
        let source = "local a = require 'game/a'\n\
            --[==[ require 'no' ]] ]==] local b = require(\"b\")\n\
            -- require 'no'\n\
            local s = 'require \"no\"' .. [[ require 'no' ]]\n\
            thing.require 'no' required('no') require(name)\n\
            local é = 1 require\n 'c'";
        let found: Vec<_> = required(source)
            .into_iter()
            .map(|Required { module, line, column }| (module, line, column))
            .collect();
        assert_eq!(found, [("game/a", 1, 11), ("b", 2, 39), ("c", 6, 13)]);
    }

    #[test]
    fn what_is_no_lua_is_read_to_its_end() {
        for source in ["'open", "[[open", "--[[", "require '", "require('\\", "[==", "\\"] {
            let _ = required(source);
        }
    }
}
