//! Paths: which value is meant.

use core::error::Error;
use core::fmt;

use crate::string::Text;
use crate::writer::each_piece;

/// The way from the root to a value: keys and indices with `/` between, such as `units/3/name`.
///
/// An empty path is the root. A `/` at the front says nothing, but before a key of no letters. A
/// `/` in a key is written `~1` and a `~` is `~0`, as in JSON pointers. An item of an array is
/// meant by its index, from 0 on, without leading zeros. Where a key comes twice, its last value is
/// meant, as all readers take it.
///
/// # Memory
///
/// 16 bytes, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Path<'p>(&'p str);

impl<'p> Path<'p> {
    /// Names a path.
    #[must_use]
    pub const fn new(path: &'p str) -> Self {
        Self(path)
    }

    /// Returns the path as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'p str {
        self.0
    }

    /// Returns the steps, each with how many bytes of the path come before it.
    pub(crate) fn steps(self) -> impl Iterator<Item = (usize, Step<'p>)> {
        let path = self.0;
        let mut at = Some(usize::from(path.starts_with('/'))).filter(|_| !path.is_empty());
        core::iter::from_fn(move || {
            let start = at?;
            let rest = &path[start..];
            let len = rest.find('/');
            at = len.map(|len| start + len + 1);
            Some((start, Step(&rest[..len.unwrap_or(rest.len())])))
        })
    }

    /// Splits the last step off, or returns `None` for the root.
    pub(crate) fn split_last(self) -> Option<(Self, Step<'p>)> {
        if self.0.is_empty() {
            return None;
        }
        Some(match self.0.rsplit_once('/') {
            Some((parent, last)) => (Self(parent), Step(last)),
            None => (Self(""), Step(self.0)),
        })
    }
}

impl<'p> From<&'p str> for Path<'p> {
    fn from(path: &'p str) -> Self {
        Self::new(path)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A key or an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step<'p>(&'p str);

impl<'p> Step<'p> {
    /// Returns the index that this means in an array.
    pub(crate) fn index(self) -> Option<u32> {
        let is_plain = self.0 == "0" || !self.0.starts_with(['0', '+']);
        self.0.parse().ok().filter(|_| is_plain)
    }

    /// Returns `true` if this means the end of an array, where there is no item yet.
    pub(crate) fn is_end(self) -> bool {
        self.0 == "-"
    }

    /// Returns the characters of the key that is meant.
    pub(crate) fn chars(self) -> impl Iterator<Item = char> + use<'p> {
        let mut chars = self.0.chars().peekable();
        core::iter::from_fn(move || {
            let char = chars.next()?;
            let escaped = chars.next_if(|&next| char == '~' && matches!(next, '0' | '1'));
            Some(match escaped {
                Some('0') => '~',
                Some(_) => '/',
                None => char,
            })
        })
    }

    /// Returns `true` if this means a key.
    pub(crate) fn is(self, key: &str) -> bool {
        self.chars().eq(key.chars())
    }

    /// Returns `true` if this means a key as it is written.
    pub(crate) fn is_text(self, key: Text<'_>) -> bool {
        if let Some(plain) = key.plain() {
            return self.is(plain);
        }
        let mut chars = self.chars();
        let mut same = true;
        each_piece(key, |piece| same &= piece.chars().all(|char| chars.next() == Some(char)));
        same && chars.next().is_none()
    }
}

/// A path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathError<'p> {
    path: Path<'p>,
    /// Where the step that cannot be made begins.
    start: usize,
    why: Missing,
}

/// Why a path goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Missing {
    /// There is an object without the key.
    Key,
    /// There is an array with this number of items.
    Item(u32),
    /// There is a value that holds no others.
    Nest,
}

impl<'p> PathError<'p> {
    pub(crate) const fn new(path: Path<'p>, start: usize, why: Missing) -> Self {
        Self { path, start, why }
    }

    /// As [`new`](Self::new), where `step` is the last one.
    pub(crate) fn at_step(path: Path<'p>, step: Step<'p>, why: Missing) -> Self {
        Self::new(path, path.0.len() - step.0.len(), why)
    }

    /// Returns the part of the path that leads to a value.
    #[must_use]
    pub fn found(&self) -> Path<'p> {
        Path(&self.path.0[..self.start.saturating_sub(1)])
    }

    /// Returns the step that could not be made from there.
    fn step(&self) -> &'p str {
        let rest = &self.path.0[self.start..];
        rest.split('/').next().unwrap_or(rest)
    }
}

impl fmt::Display for PathError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, step) = (self.found(), self.step());
        match (self.why, found.0) {
            (Missing::Key, "") => write!(f, "the root has no key `{step}`"),
            (Missing::Key, found) => write!(f, "`{found}` has no key `{step}`"),
            (Missing::Item(0), found) => write!(f, "`{found}` is an empty array"),
            (Missing::Item(len), found) => {
                let last = len - 1;
                write!(f, "`{found}` has no item `{step}`; its items are 0 to {last}")
            }
            (Missing::Nest, "") => write!(f, "the root is no object or array; nothing is in it"),
            (Missing::Nest, found) => {
                write!(f, "`{found}` is no object or array; there is no `{step}` in it")
            }
        }
    }
}

impl Error for PathError<'_> {}
