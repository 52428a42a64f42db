//! Walking over characters.

use core::iter::FusedIterator;

/// The most bytes that a character has.
const LEN_MAX: usize = 4;

/// Returns `true` if a character begins at `at`, or the text ends there.
///
/// # Complexity
///
/// O(1).
#[inline]
#[must_use]
pub fn is_boundary(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(byte) => !is_continuation(*byte),
        None => at == text.len(),
    }
}

/// Returns where the character after the one around `at` begins, or where the text ends.
///
/// # Complexity
///
/// O(1) for text that is UTF-8.
#[must_use]
pub fn next_boundary(text: &[u8], at: usize) -> usize {
    let Some(rest) = text.get(at..).and_then(|rest| rest.get(1..)) else { return text.len() };
    let more = rest.iter().position(|byte| !is_continuation(*byte));
    more.map_or(text.len(), |more| at + 1 + more)
}

/// Returns where the last character that begins before `at` does, or 0.
///
/// # Complexity
///
/// O(1) for text that is UTF-8.
#[must_use]
pub fn previous_boundary(text: &[u8], at: usize) -> usize {
    let before = &text[..at.min(text.len())];
    before.iter().rposition(|byte| !is_continuation(*byte)).unwrap_or(0)
}

/// Returns the character that begins at `at`, and where it ends; `None` at the end of the text or
/// beyond.
///
/// A byte with which no character begins is [`char::REPLACEMENT_CHARACTER`], one byte long.
///
/// # Complexity
///
/// O(1).
///
/// # Examples
///
/// ```
/// # use loligo_containers::text;
/// let text = "h\u{e9}".as_bytes();
/// assert_eq!(text::next_char(text, 0), Some(('h', 1)));
/// assert_eq!(text::next_char(text, 1), Some(('\u{e9}', 3)));
/// assert_eq!(text::next_char(text, 2), Some((char::REPLACEMENT_CHARACTER, 3)));
/// assert_eq!(text::next_char(text, 3), None);
/// ```
#[inline]
#[must_use]
pub fn next_char(text: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = text.get(at..)?;
    let first = *rest.first()?;
    if first.is_ascii() {
        return Some((char::from(first), at + 1));
    }
    Some(match rest.get(..len_of(first)).and_then(only_char) {
        Some(character) => (character, at + character.len_utf8()),
        None => (char::REPLACEMENT_CHARACTER, at + 1),
    })
}

/// Returns the character that ends at `at`, and where it begins; `None` at 0 or beyond the end.
///
/// A byte with which no character ends is [`char::REPLACEMENT_CHARACTER`], one byte long.
///
/// # Complexity
///
/// O(1).
#[inline]
#[must_use]
pub fn previous_char(text: &[u8], at: usize) -> Option<(char, usize)> {
    let before = text.get(..at)?;
    let last = *before.last()?;
    if last.is_ascii() {
        return Some((char::from(last), at - 1));
    }
    let near = &before[at.saturating_sub(LEN_MAX)..];
    let start = at - near.len() + previous_boundary(near, near.len());
    Some(match only_char(&before[start..]) {
        Some(character) => (character, start),
        None => (char::REPLACEMENT_CHARACTER, at - 1),
    })
}

/// Walks over the characters of a text from either end.
///
/// # Complexity
///
/// O(1) a character.
///
/// # Examples
///
/// ```
/// # use loligo_containers::text;
/// let drawn: String = text::chars(b"ab\xff").rev().collect();
/// assert_eq!(drawn, "\u{fffd}ba");
/// ```
#[must_use]
pub fn chars(text: &[u8]) -> Chars<'_> {
    Chars { text }
}

/// The characters of a text, as [`chars`] returns them.
///
/// # Memory
///
/// 16 bytes.
#[derive(Clone, Debug)]
pub struct Chars<'t> {
    text: &'t [u8],
}

impl Iterator for Chars<'_> {
    type Item = char;

    #[inline]
    fn next(&mut self) -> Option<char> {
        let (character, end) = next_char(self.text, 0)?;
        self.text = &self.text[end..];
        Some(character)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.text.len().div_ceil(LEN_MAX), Some(self.text.len()))
    }
}

impl DoubleEndedIterator for Chars<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<char> {
        let (character, start) = previous_char(self.text, self.text.len())?;
        self.text = &self.text[..start];
        Some(character)
    }
}

impl FusedIterator for Chars<'_> {}

#[inline]
const fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Returns how long a character with this first byte is, if one begins with it.
#[inline]
const fn len_of(first: u8) -> usize {
    match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
        _ => 1,
    }
}

/// Returns the character that the bytes are, if they are one.
fn only_char(bytes: &[u8]) -> Option<char> {
    let mut chars = core::str::from_utf8(bytes).ok()?.chars();
    let character = chars.next()?;
    chars.next().is_none().then_some(character)
}
