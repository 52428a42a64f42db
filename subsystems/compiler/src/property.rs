//! Sources in SJSON, value by value, each with its place.

use core::ops::RangeInclusive;

use loligo_diagnostics::nearest;
use loligo_sjson::{NodeKind, Options, SyntaxNode, SyntaxTree};

use crate::builtin::{unescaped, unread};
use crate::error::CompileError;
use crate::memory::with_heap;

/// A value of a source in SJSON, with its place. When it is not what a caller asks for, the error
/// has line and column.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Property;
///
/// let source = Property::read(b"radius = 2\nheight = \"3\"")?;
/// source.allow(&["radius", "height"])?;
/// assert_eq!(source.number_or("radius", 0.0..=100.0, 1.0)?, 2.0);
/// let error = source.number_or("height", 0.0..=100.0, 1.0).expect_err("a text");
/// assert_eq!(
///     error.to_string(),
///     ":2:10: expected a number, found a string; write a number from 0 to 100",
/// );
/// # Ok::<(), loligo_compiler::CompileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    key: String,
    /// Line and column of the key, or of the value where it has none.
    key_place: (u32, u32),
    place: (u32, u32),
    value: PropertyValue,
}

/// What a property is.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string, escapes replaced.
    String(String),
    /// Values in order.
    Array(Vec<Property>),
    /// Values under keys, in the order of the text.
    Object(Vec<Property>),
}

impl Property {
    /// Reads a source, which is an object. A text without any value is one, too.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the text is not SJSON, or no object.
    pub fn read(text: &[u8]) -> Result<Self, CompileError> {
        let root = with_heap(|heap| {
            let tree = SyntaxTree::try_parse_in(text, &Options::SJSON, heap).map_err(unread)?;
            let mut places = Places { text: tree.text(), at: 0, line: 1, column: 1 };
            Ok::<_, CompileError>(Self::of_node(tree.root(), &mut places))
        })?;
        root.members()?;
        Ok(root)
    }

    fn of_node(node: SyntaxNode<'_>, places: &mut Places<'_>) -> Self {
        let key = node.key().map(unescaped).unwrap_or_default();
        let key_place = node.key_span().map(|span| places.of(span.start));
        let place = places.of(node.span().start);
        let mut children = || node.children().map(|child| Self::of_node(child, places)).collect();
        let value = match node.kind() {
            NodeKind::Null => PropertyValue::Null,
            NodeKind::Bool => PropertyValue::Bool(node.text() == "true"),
            NodeKind::Number => PropertyValue::Number(node.text().parse().unwrap_or(f64::NAN)),
            NodeKind::String => {
                PropertyValue::String(node.string().map(unescaped).unwrap_or_default())
            }
            NodeKind::Array => PropertyValue::Array(children()),
            NodeKind::Object => PropertyValue::Object(children()),
        };
        Self { key, key_place: key_place.unwrap_or(place), place, value }
    }

    /// Returns its key, if any.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns line and column of the value.
    #[must_use]
    pub const fn place(&self) -> (u32, u32) {
        self.place
    }

    /// Returns what it is.
    #[must_use]
    pub const fn value(&self) -> &PropertyValue {
        &self.value
    }

    /// Returns the value of a key; `null` counts as no value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let PropertyValue::Object(members) = &self.value else { return None };
        let found = members.iter().rev().find(|member| member.key == key)?;
        (found.value != PropertyValue::Null).then_some(found)
    }

    /// Returns the value of a key that must be there.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not.
    pub fn need(&self, key: &str, remedy: &str) -> Result<&Self, CompileError> {
        self.get(key).ok_or_else(|| self.error(format!("there is no `{key}`"), remedy))
    }

    /// Holds an object to the keys that mean something in it, each once.
    ///
    /// # Errors
    ///
    /// [`CompileError`] at the first key that is not among them or comes twice.
    pub fn allow(&self, keys: &[&str]) -> Result<(), CompileError> {
        let members = self.members()?;
        for (at, member) in members.iter().enumerate() {
            let key = &member.key;
            let (line, column) = member.key_place;
            if !keys.contains(&&**key) {
                let remedy = match nearest(key, keys.iter().copied()) {
                    Some(near) => format!("is `{near}` meant?"),
                    None => format!("the keys are {}", keys.join(", ")),
                };
                let reason = format!("the key `{key}` means nothing here");
                return Err(CompileError::new(reason, remedy).at(line, column));
            }
            if members[..at].iter().any(|other| other.key == *key) {
                let reason = format!("the key `{key}` comes twice");
                return Err(CompileError::new(reason, "remove one").at(line, column));
            }
        }
        Ok(())
    }

    /// Returns the values of an object.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not an object.
    pub fn members(&self) -> Result<&[Self], CompileError> {
        match &self.value {
            PropertyValue::Object(members) => Ok(members),
            _ => Err(self.expected("an object", "write `key = value`")),
        }
    }

    /// Returns the values of an array.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not an array.
    pub fn items(&self) -> Result<&[Self], CompileError> {
        match &self.value {
            PropertyValue::Array(items) => Ok(items),
            _ => Err(self.expected("an array", "write values in brackets")),
        }
    }

    /// Returns a string.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not a string.
    pub fn string(&self) -> Result<&str, CompileError> {
        match &self.value {
            PropertyValue::String(text) => Ok(text),
            _ => Err(self.expected("a string", "put it in quotes")),
        }
    }

    /// Returns a number in a range, as 32 bits hold it.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not a number, or out of the range.
    pub fn number(&self, range: RangeInclusive<f32>) -> Result<f32, CompileError> {
        let remedy = || match (*range.start(), *range.end()) {
            (f32::MIN, f32::MAX) => "write a number".to_owned(),
            (low, f32::MAX) => format!("write a number of {low} or more"),
            (low, high) => format!("write a number from {low} to {high}"),
        };
        let PropertyValue::Number(number) = self.value else {
            return Err(self.expected("a number", remedy()));
        };
        let number = number as f32;
        match range.contains(&number) {
            true => Ok(number),
            false => Err(self.error(format!("{number} is not in the range"), remedy())),
        }
    }

    /// Returns the number of a key, or `default` if there is no such key.
    ///
    /// # Errors
    ///
    /// As [`number`](Self::number).
    pub fn number_or(
        &self,
        key: &str,
        range: RangeInclusive<f32>,
        default: f32,
    ) -> Result<f32, CompileError> {
        self.get(key).map_or(Ok(default), |value| value.number(range))
    }

    /// Returns the numbers of an array of length `N`.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not an array of `N` numbers, all in the range.
    pub fn numbers<const N: usize>(
        &self,
        range: RangeInclusive<f32>,
    ) -> Result<[f32; N], CompileError> {
        let wrong = || {
            let example = ["0"; N].join(" ");
            self.expected(&format!("{N} numbers"), format!("write `[ {example} ]`"))
        };
        let PropertyValue::Array(items) = &self.value else { return Err(wrong()) };
        if items.len() != N {
            return Err(wrong());
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items) {
            *number = item.number(range.clone())?;
        }
        Ok(numbers)
    }

    /// Returns the numbers of a key, or `default` if there is no such key.
    ///
    /// # Errors
    ///
    /// As [`numbers`](Self::numbers).
    pub fn numbers_or<const N: usize>(
        &self,
        key: &str,
        range: RangeInclusive<f32>,
        default: [f32; N],
    ) -> Result<[f32; N], CompileError> {
        self.get(key).map_or(Ok(default), |value| value.numbers(range))
    }

    /// Returns whether a key is true, or `default` where it is not there.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is neither true nor false.
    pub fn bool_or(&self, key: &str, default: bool) -> Result<bool, CompileError> {
        match self.get(key) {
            None => Ok(default),
            Some(Self { value: PropertyValue::Bool(value), .. }) => Ok(*value),
            Some(other) => Err(other.expected("true or false", "write one of both")),
        }
    }

    /// Returns the index in `words` of the string.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not one of them.
    pub fn word_index(&self, words: &[&str]) -> Result<usize, CompileError> {
        let text = self.string()?;
        let known = || format!("the values are \"{}\"", words.join("\", \""));
        let found = words.iter().position(|word| *word == text);
        found.ok_or_else(|| self.error(format!("\"{text}\" means nothing here"), known()))
    }

    /// Makes an error about the value.
    #[must_use]
    pub fn error(&self, reason: impl Into<String>, remedy: impl Into<String>) -> CompileError {
        CompileError::new(reason, remedy).at(self.place.0, self.place.1)
    }

    /// Makes the error of a value that is not a `what`.
    #[must_use]
    pub fn expected(&self, what: &str, remedy: impl Into<String>) -> CompileError {
        let found = match &self.value {
            PropertyValue::Null => "null",
            PropertyValue::Bool(_) => "a truth value",
            PropertyValue::Number(_) => "a number",
            PropertyValue::String(_) => "a string",
            PropertyValue::Array(items) => {
                return self
                    .error(format!("expected {what}, found an array of {}", items.len()), remedy);
            }
            PropertyValue::Object(_) => "an object",
        };
        self.error(format!("expected {what}, found {found}"), remedy)
    }
}

/// Finds lines and columns of places that come in the order of the text, so that all of them take
/// one walk.
struct Places<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    column: u32,
}

impl Places<'_> {
    fn of(&mut self, at: usize) -> (u32, u32) {
        for character in self.text.get(self.at..at).unwrap_or_default().chars() {
            match character {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                _ => self.column += 1,
            }
        }
        self.at = self.at.max(at);
        (self.line, self.column)
    }
}
