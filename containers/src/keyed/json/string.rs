//! A string as it is between its quotes in JSON.

use core::fmt;
use core::str::Chars;

/// The raw text of a string, whose escapes have been checked and not replaced yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonString<'b> {
    raw: &'b str,
    escaped: bool,
}

impl<'b> JsonString<'b> {
    /// Names what is between the quotes; `escaped` says whether there is a backslash.
    pub(super) const fn new(raw: &'b str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    /// Returns the text if it has no escape.
    pub(crate) const fn plain(self) -> Option<&'b str> {
        if self.escaped { None } else { Some(self.raw) }
    }

    /// Returns the bytes between the quotes; unescaped, the string is no longer than they are.
    pub(crate) const fn raw(self) -> &'b str {
        self.raw
    }

    /// Hands the string to `sink`, piece by piece, escapes replaced.
    ///
    /// # Errors
    ///
    /// The first error of `sink`, after which it is not called again.
    pub(crate) fn unescape<E>(self, mut sink: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let mut rest = self.raw;
        while let Some(at) = rest.find('\\') {
            if at > 0 {
                sink(&rest[..at])?;
            }
            let mut chars = rest[at + 1..].chars();
            sink(replaced(&mut chars).encode_utf8(&mut [0; 4]))?;
            rest = chars.as_str();
        }
        if rest.is_empty() { Ok(()) } else { sink(rest) }
    }

    /// Copies the string, escapes replaced, to the front of `to` and returns it, or `None` where it
    /// does not fit. It always does where `to` is as long as the raw text.
    pub(crate) fn unescape_to(self, to: &mut [u8]) -> Option<&str> {
        let mut len = 0;
        self.unescape(|piece| {
            let end = len + piece.len();
            to.get_mut(len..end).ok_or(())?.copy_from_slice(piece.as_bytes());
            len = end;
            Ok::<(), ()>(())
        })
        .ok()?;
        core::str::from_utf8(to.get(..len)?).ok()
    }

    /// Returns `true` if the string, escapes replaced, is `other`.
    #[cfg(test)]
    pub(crate) fn is(self, other: &str) -> bool {
        let mut rest = other;
        let same = self.unescape(|piece| {
            rest = rest.strip_prefix(piece).ok_or(())?;
            Ok::<(), ()>(())
        });
        same.is_ok() && rest.is_empty()
    }
}

/// Reads the escape after a backslash and returns its character. The form of the escape was checked
/// before; a malformed one would yield the replacement character.
fn replaced(chars: &mut Chars<'_>) -> char {
    match chars.next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => unicode(chars).unwrap_or(char::REPLACEMENT_CHARACTER),
        Some(itself) => itself,
        None => char::REPLACEMENT_CHARACTER,
    }
}

fn unicode(chars: &mut Chars<'_>) -> Option<char> {
    let first = four(chars)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    if chars.next() != Some('\\') || chars.next() != Some('u') {
        return None;
    }
    let second = four(chars)?.checked_sub(0xdc00)?;
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second)
}

fn four(chars: &mut Chars<'_>) -> Option<u32> {
    let mut number = 0;
    for _ in 0..4 {
        number = number << 4 | chars.next()?.to_digit(16)?;
    }
    Some(number)
}

impl fmt::Debug for JsonString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.raw)
    }
}
