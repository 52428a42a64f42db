//! A key or a string as it is written.

use core::fmt;

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextForm {
    /// A key without quotes.
    Bare,
    /// Between `"` and `"`, with escapes.
    Quoted,
    /// Between `"""` and `"""`, where no byte has a special meaning.
    Verbatim,
}

/// The raw text of a key or a string, without its quotes. Escapes have been checked and not
/// replaced yet.
///
/// # Memory
///
/// 24 bytes, borrowed from the text that was read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text<'t> {
    raw: &'t str,
    form: TextForm,
    escaped: bool,
}

impl<'t> Text<'t> {
    /// Names what is between the quotes; `escaped` says whether there is a backslash that escapes.
    #[inline]
    pub(crate) const fn new(raw: &'t str, form: TextForm, escaped: bool) -> Self {
        Self { raw, form, escaped }
    }

    /// Returns the string if it has no escapes.
    #[inline]
    #[must_use]
    pub const fn plain(self) -> Option<&'t str> {
        if self.escaped { None } else { Some(self.raw) }
    }

    /// Returns the text between the quotes. Replacing escapes never makes it longer.
    #[inline]
    #[must_use]
    pub const fn raw(self) -> &'t str {
        self.raw
    }

    /// Returns how it is written.
    #[inline]
    #[must_use]
    pub const fn form(self) -> TextForm {
        self.form
    }

    /// Hands the string to `sink`, piece by piece, escapes replaced.
    ///
    /// # Complexity
    ///
    /// O(bytes), and the sink's.
    ///
    /// # Errors
    ///
    /// The first error of `sink`, after which it is not called again.
    pub fn unescape<E>(self, mut sink: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        if !self.escaped {
            return if self.raw.is_empty() { Ok(()) } else { sink(self.raw) };
        }
        let mut rest = self.raw;
        while let Some(at) = rest.find('\\') {
            if at > 0 {
                sink(&rest[..at])?;
            }
            let (char, behind) = replaced(&rest[at + 1..]);
            sink(char.encode_utf8(&mut [0; 4]))?;
            rest = behind;
        }
        if rest.is_empty() { Ok(()) } else { sink(rest) }
    }

    /// Returns `true` if the string, escapes replaced, is made of these pieces, one after the
    /// other.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    #[must_use]
    pub fn is(self, other: &str) -> bool {
        let mut rest = other;
        let same = self.unescape(|piece| {
            rest = rest.strip_prefix(piece).ok_or(())?;
            Ok::<(), ()>(())
        });
        same.is_ok() && rest.is_empty()
    }
}

/// Takes the text after a backslash, and returns the character meant and the rest of the text. The
/// form of the escape has been checked; for an invalid one it would return the replacement
/// character.
fn replaced(escape: &str) -> (char, &str) {
    let mut chars = escape.chars();
    let char = match chars.next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return unicode(chars.as_str()),
        Some(itself) => itself,
        None => char::REPLACEMENT_CHARACTER,
    };
    (char, chars.as_str())
}

/// Takes the text after `\u`: four digits, or twice four with `\u` between for a pair of
/// surrogates.
fn unicode(digits: &str) -> (char, &str) {
    let Some((first, rest)) = four(digits) else {
        return (char::REPLACEMENT_CHARACTER, digits);
    };
    if let Some(char) = char::from_u32(first) {
        return (char, rest);
    }
    let second = rest.strip_prefix("\\u").and_then(four);
    let pair = second.and_then(|(second, behind)| {
        let high = first.checked_sub(0xd800)?;
        let low = second.checked_sub(0xdc00)?;
        Some((char::from_u32(0x1_0000 + (high << 10) + low)?, behind))
    });
    pair.unwrap_or((char::REPLACEMENT_CHARACTER, rest))
}

/// Takes four hexadecimal digits.
pub(crate) fn four(digits: &str) -> Option<(u32, &str)> {
    let (four, rest) = digits.split_at_checked(4)?;
    let mut number = 0;
    for char in four.chars() {
        number = number << 4 | char.to_digit(16)?;
    }
    Some((number, rest))
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quotes = match self.form {
            TextForm::Bare => "",
            TextForm::Quoted => "\"",
            TextForm::Verbatim => "\"\"\"",
        };
        write!(f, "{quotes}{}{quotes}", self.raw)
    }
}
