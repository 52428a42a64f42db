//! The parser: text in, one event at a time out.
//!
//! After Niklas Frykholm, "Simplified JSON notation" (2009): an object at the root without braces,
//! commas that may be left out, keys without quotes, `=` for `:`. Changes: comments and `"""`
//! strings, which the engines that followed have too; `:` is still good; numbers, words and escapes
//! are JSON's alone, and what breaks a rule is refused with its place and a remedy.
//!
//! ```text
//! a = [ 1 true ]      Start(Object) Key(a) Start(Array) Number(1) Bool(true) End(Array)
//!                     End(Object)
//! ```

use core::ops::Range;

use crate::class::{BARE, is};
use crate::error::{ParseError, SjsonError};
use crate::event::{Event, Nest};
use crate::options::{DEPTH_MAX, Dialect, Options};

mod number;
mod quoted;
mod run;
mod space;
#[cfg(test)]
mod tests;
mod value;
mod why;

pub(crate) use space::comment_len;

/// Reads SJSON or strict JSON from untrusted bytes, event by event.
///
/// The events come out in a sound order, or an error does: see [`Event`]. Keys may come twice; that
/// is left to the caller.
///
/// # Complexity
///
/// O(bytes) for the whole text: each byte is looked at once for its encoding and once for its
/// meaning, the first key of a root without braces twice.
///
/// # Memory
///
/// 208 bytes on 64-bit machines, of which 128 record which levels are objects. Nothing is
/// allocated, and nothing recurses.
///
/// # Examples
///
/// ```
/// use loligo_sjson::{Event, Options, Parser};
///
/// let mut parser = Parser::new(b"size = [ 640 480 ] // pixels", &Options::SJSON);
/// let mut sum = 0.0;
/// while let Some(event) = parser.next_event()? {
///     if let Event::Number(number) = event {
///         sum += number.f64().unwrap_or(0.0);
///     }
/// }
/// assert_eq!(sum, 1120.0);
/// # Ok::<(), loligo_sjson::SjsonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parser<'t> {
    text: &'t str,
    /// Where the next event, or the space before it, begins.
    at: usize,
    /// Where the event handed out last begins.
    start: usize,
    depth: u32,
    depth_max: u32,
    is_json: bool,
    /// Whether the root may be an object without braces.
    may_be_bare: bool,
    /// Whether the innermost of what is open is an object.
    in_object: bool,
    /// Whether the outermost object has no braces.
    bare_root: bool,
    expected: Expected,
    /// What it was refused for, if it was.
    refusal: Option<SjsonError>,
    /// A bit for each level that is open: 1 for an object.
    objects: [u64; DEPTH_MAX as usize / 64],
}

/// What may come next.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Root,
    /// The first item of what was just opened, or its end.
    First,
    /// A comma, a further item, or the end.
    Further,
    /// `=` or `:`, and a value.
    Separator,
    /// Only space: the document is read.
    Nothing,
    /// It was refused.
    Error,
}

impl<'t> Parser<'t> {
    /// Returns a parser of a text, whose first event is an error where `text` is not UTF-8 or too
    /// long.
    ///
    /// # Complexity
    ///
    /// O(bytes): the encoding is checked here, once.
    #[must_use]
    pub fn new(text: &'t [u8], options: &Options) -> Self {
        let is_too_long = text.len() > options.bytes_max as usize;
        let checked = match core::str::from_utf8(if is_too_long { b"" } else { text }) {
            Ok(_) if is_too_long => Err(SjsonError::of_len(text.len(), &why::BYTES)),
            Ok(text) => Ok(text),
            Err(error) => {
                let (valid, rest) = text.split_at(error.valid_up_to());
                let valid = core::str::from_utf8(valid).unwrap_or_default();
                Err(SjsonError::of_bytes(valid, rest.first().copied().unwrap_or_default()))
            }
        };
        let is_json = options.dialect == Dialect::Json;
        let (text, expected, refusal) = match checked {
            Ok(text) => (text, Expected::Root, None),
            Err(error) => ("", Expected::Error, Some(error)),
        };
        // A mark that editors put at the start means nothing; JSON does not know it.
        let at = if !is_json && text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            text,
            at,
            start: at,
            depth: 0,
            depth_max: options.depth_max.min(DEPTH_MAX),
            is_json,
            may_be_bare: !is_json,
            in_object: false,
            bare_root: false,
            expected,
            refusal,
            objects: [0; DEPTH_MAX as usize / 64],
        }
    }

    /// As [`new`](Self::new), of a text that is to be a value: its root has braces if it is an
    /// object.
    pub(crate) fn of_value(text: &'t [u8], options: &Options) -> Self {
        Self { may_be_bare: false, ..Self::new(text, options) }
    }

    /// Returns the next event, or `None` when the document has ended and nothing follows it.
    ///
    /// # Complexity
    ///
    /// O(bytes of the event and of the space before it).
    ///
    /// # Errors
    ///
    /// What is wrong and where; the same error each time after that.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'t>>, SjsonError> {
        match self.step() {
            Ok(event) => Ok(event),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Reads the rest of the value that `first` begins, so that the next event is the one after it.
    ///
    /// # Complexity
    ///
    /// O(bytes of the value).
    ///
    /// # Errors
    ///
    /// As those of [`next_event`](Self::next_event).
    pub fn skip(&mut self, first: Event<'t>) -> Result<(), SjsonError> {
        if let Event::Start(_) = first {
            let outside = self.depth - 1;
            while self.depth > outside {
                self.next_event()?;
            }
        }
        Ok(())
    }

    /// Returns the range of the last event, quotes included. The start and the end of a root
    /// without braces are empty: at its first key, and at the end of the text.
    #[inline]
    #[must_use]
    pub const fn span(&self) -> Range<usize> {
        self.start..self.at
    }

    /// Returns how many objects and arrays are open.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns `true` if the root, once its start was handed out, is an object without braces.
    #[must_use]
    pub const fn has_bare_root(&self) -> bool {
        self.bare_root
    }

    /// Returns the text that is read, or nothing where it is not UTF-8 or too long.
    pub(crate) const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns an error at the last event, for a caller that has no use for it.
    pub(crate) fn error_here(&self, why: &'static crate::error::Why) -> SjsonError {
        SjsonError::new(self.text, ParseError { at: self.start, why })
    }

    #[cold]
    #[inline(never)]
    fn refused(&mut self, error: ParseError) -> SjsonError {
        self.expected = Expected::Error;
        *self.refusal.get_or_insert_with(|| SjsonError::new(self.text, error))
    }

    #[inline]
    fn step(&mut self) -> Result<Option<Event<'t>>, ParseError> {
        let mut byte = self.byte_behind_space()?;
        match self.expected {
            Expected::Further => {
                if byte == Some(b',') {
                    byte = self.comma()?;
                } else if self.is_json && !self.ends_here(byte) {
                    return Err(self.error(&why::COMMA));
                }
            }
            Expected::First => {}
            Expected::Separator => return self.separated(byte).map(Some),
            Expected::Root => return self.root(byte).map(Some),
            Expected::Nothing if byte.is_none() => return Ok(None),
            Expected::Nothing => return Err(self.behind_root()),
            Expected::Error => return Err(self.error(&why::VALUE)),
        }
        self.start = self.at;
        if self.in_object {
            self.key_or_end(byte).map(Some)
        } else if byte == Some(b']') {
            Ok(Some(self.end(Nest::Array, 1)))
        } else {
            self.value(byte).map(Some)
        }
    }

    /// Takes a comma and returns the byte of what follows it.
    fn comma(&mut self) -> Result<Option<u8>, ParseError> {
        let comma = self.at;
        self.at += 1;
        let byte = self.byte_behind_space()?;
        if self.is_json && self.ends_here(byte) {
            return Err(ParseError { at: comma, why: &why::LAST_COMMA });
        }
        Ok(byte)
    }

    fn ends_here(&self, byte: Option<u8>) -> bool {
        byte == Some(if self.in_object { b'}' } else { b']' })
    }

    fn separated(&mut self, byte: Option<u8>) -> Result<Event<'t>, ParseError> {
        match byte {
            Some(b':') => {}
            Some(b'=') if !self.is_json => {}
            _ if self.is_json => return Err(self.error(&why::COLON)),
            _ => return Err(self.error(&why::SEPARATOR)),
        }
        self.at += 1;
        let behind = self.at;
        let byte = self.byte_behind_space()?;
        self.start = self.at;
        if byte.is_none() && self.bare_root && self.depth == 1 {
            return Ok(self.nothing(behind));
        }
        self.value(byte)
    }

    /// Returns the value that is missing after the last key of a text without braces, as tools
    /// write for what is not set: `null`, of no bytes, on the line of the key.
    fn nothing(&mut self, behind: usize) -> Event<'t> {
        let rest = &self.text[behind..];
        self.at = behind + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.start = self.at;
        self.value_ended();
        Event::Null
    }

    #[inline]
    fn key_or_end(&mut self, byte: Option<u8>) -> Result<Event<'t>, ParseError> {
        let is_bare_root = self.bare_root && self.depth == 1;
        let key = match byte {
            Some(b'"') => self.quoted_key()?,
            Some(byte) if is(byte, BARE) && !self.is_json => self.bare_key()?,
            Some(b'}') if !is_bare_root => return Ok(self.end(Nest::Object, 1)),
            Some(b'}') => return Err(self.error(&why::ROOT_KEY)),
            Some(b',') => return Err(self.error(&why::ONE_COMMA)),
            None if is_bare_root => return Ok(self.end(Nest::Object, 0)),
            _ if self.is_json => return Err(self.error(&why::QUOTED_KEY)),
            _ => return Err(self.error(&why::KEY)),
        };
        self.expected = Expected::Separator;
        Ok(Event::Key(key))
    }

    /// Takes what a document begins with: a value, or a key of an object without braces.
    fn root(&mut self, byte: Option<u8>) -> Result<Event<'t>, ParseError> {
        self.start = self.at;
        if !self.may_be_bare {
            return self.value(byte);
        }
        let is_word = match byte {
            None => return self.begin_bare(),
            Some(b'"') => false,
            Some(byte) if is(byte, BARE) => true,
            _ => return self.value(byte),
        };
        let key = if is_word { self.bare_key() } else { self.quoted_key() };
        let behind = match key {
            Ok(_) => self.byte_behind_space()?,
            Err(_) => None,
        };
        if matches!(behind, Some(b'=' | b':')) {
            self.at = self.start;
            return self.begin_bare();
        }
        // A word that is not a value was meant as a key.
        if let Ok(key) = key
            && is_word
            && !matches!(key.raw(), "true" | "false" | "null")
            && !key.raw().starts_with(|first: char| first == '-' || first.is_ascii_digit())
        {
            return Err(self.error(&why::SEPARATOR));
        }
        self.at = self.start;
        self.value(byte)
    }

    fn begin_bare(&mut self) -> Result<Event<'t>, ParseError> {
        self.bare_root = true;
        self.begin(Nest::Object, 0)
    }

    /// Opens an object or an array with the given number of bytes.
    fn begin(&mut self, nest: Nest, bytes: usize) -> Result<Event<'t>, ParseError> {
        if self.depth == self.depth_max {
            return Err(self.error(&why::DEPTH));
        }
        let (word, bit) = (self.depth as usize / 64, 1 << (self.depth % 64));
        self.in_object = nest == Nest::Object;
        match nest {
            Nest::Object => self.objects[word] |= bit,
            Nest::Array => self.objects[word] &= !bit,
        }
        self.depth += 1;
        self.at += bytes;
        self.expected = Expected::First;
        Ok(Event::Start(nest))
    }

    /// Closes the innermost object or array; `bytes` is the length of its bracket. Callers have
    /// checked that one is open.
    fn end(&mut self, nest: Nest, bytes: usize) -> Event<'t> {
        self.at += bytes;
        self.depth -= 1;
        if let Some(level) = self.depth.checked_sub(1) {
            self.in_object = self.objects[level as usize / 64] >> (level % 64) & 1 == 1;
        }
        self.value_ended();
        Event::End(nest)
    }

    #[inline]
    fn value_ended(&mut self) {
        self.expected = if self.depth == 0 { Expected::Nothing } else { Expected::Further };
    }

    #[cold]
    fn behind_root(&self) -> ParseError {
        match self.byte() {
            Some(b'}' | b']') => self.error(&why::TOO_MANY_ENDS),
            _ => self.error(&why::NOTHING),
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, why: &'static crate::error::Why) -> ParseError {
        ParseError { at: self.at, why }
    }
}
