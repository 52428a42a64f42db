//! The reader: text in, one token at a time out.

use crate::keyed::json::error::JsonError;
use crate::keyed::json::number::JsonNumber;
use crate::keyed::json::string::JsonString;

/// How many objects and arrays may be open at once.
pub(crate) const DEPTH_MAX: u32 = 512;

/// What holds other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nest {
    /// Keys and values.
    Object,
    /// Values in order.
    Array,
}

/// A piece of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'b> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(JsonNumber<'b>),
    /// A string that is a value.
    String(JsonString<'b>),
    /// The name of the value that comes next.
    Key(JsonString<'b>),
    /// What follows, to the end of the same kind, is within.
    Start(Nest),
    /// The end of what was started last and not ended.
    End(Nest),
}

/// Reads JSON from untrusted bytes, token by token.
///
/// The tokens come out in a sound order, or an error does: each `Start` has its `End`, and where an
/// object is open, a `Key` comes before each value. Keys may come twice; that is left to the
/// caller.
///
/// # Memory
///
/// 136 bytes, of which 64 distinguish objects from arrays. Nothing is allocated, and nothing
/// recurses.
pub(crate) struct JsonReader<'b> {
    text: &'b str,
    /// Where the next token, or the space before it, begins.
    at: usize,
    /// Where the token handed out last begins.
    start: usize,
    depth: u32,
    /// A bit for each level that is open: 1 for an object.
    objects: [u64; DEPTH_MAX as usize / 64],
    expected: Expected,
}

/// What may come next.
#[derive(Clone, Copy)]
enum Expected {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
    /// Only space: the document is read.
    Nothing,
    /// It was refused.
    Refused(JsonError),
}

impl<'b> JsonReader<'b> {
    /// Returns a reader of a document, whose first token is an error where `bytes` are not UTF-8.
    ///
    /// # Complexity
    ///
    /// O(bytes): the encoding is checked here, once.
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        let (text, expected) = match core::str::from_utf8(bytes) {
            Ok(text) => (text, Expected::Value),
            Err(error) => {
                let error = JsonError::new(error.valid_up_to(), "this is not UTF-8");
                ("", Expected::Refused(error))
            }
        };
        let objects = [0; DEPTH_MAX as usize / 64];
        Self { text, at: 0, start: 0, depth: 0, objects, expected }
    }

    /// Returns the offset of the token handed out last.
    pub(crate) const fn offset(&self) -> usize {
        self.start
    }

    /// Returns how many objects and arrays are open.
    pub(crate) const fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns an error at the token returned last, for a caller that cannot use it.
    pub(crate) const fn refuse(&self, reason: &'static str) -> JsonError {
        JsonError::new(self.start, reason)
    }

    /// Returns the next token, or `None` when the document has ended and nothing follows it.
    ///
    /// # Complexity
    ///
    /// O(bytes of the token and of the space before it).
    ///
    /// # Errors
    ///
    /// What is wrong and where; the same error each time after that.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'b>>, JsonError> {
        let outcome = self.step();
        if let Err(error) = outcome {
            self.expected = Expected::Refused(error);
        }
        outcome
    }

    /// Returns the next token, where there must be one: a value has been started, or a key read.
    ///
    /// # Errors
    ///
    /// As those of [`next`](Self::next); also where the document has ended.
    pub(crate) fn token(&mut self) -> Result<Token<'b>, JsonError> {
        self.next()?.ok_or(JsonError::new(self.at, "the text ends too early"))
    }

    /// Reads the rest of the value that `first` begins, so that the next token is the one after it.
    ///
    /// # Errors
    ///
    /// As those of [`next`](Self::next).
    #[cfg(test)]
    pub(crate) fn skip(&mut self, first: Token<'b>) -> Result<(), JsonError> {
        if let Token::Start(_) = first {
            let outside = self.depth - 1;
            while self.depth > outside {
                self.token()?;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Token<'b>>, JsonError> {
        if let Expected::Refused(error) = self.expected {
            return Err(error);
        }
        let mut byte = self.byte_after_space();
        if let Expected::CommaOrEnd = self.expected {
            match byte {
                Some(b',') => {
                    self.at += 1;
                    byte = self.byte_after_space();
                    self.expected = if self.in_object() { Expected::Key } else { Expected::Value };
                }
                Some(b'}') if self.in_object() => return Ok(Some(self.end(Nest::Object))),
                Some(b']') if !self.in_object() => return Ok(Some(self.end(Nest::Array))),
                _ => return Err(self.here("a comma or the end of this was expected")),
            }
        }
        self.start = self.at;
        match (self.expected, byte) {
            (Expected::Nothing, None) => Ok(None),
            (Expected::Nothing, _) => Err(self.here("nothing may follow the document")),
            (Expected::KeyOrEnd, Some(b'}')) => Ok(Some(self.end(Nest::Object))),
            (Expected::ValueOrEnd, Some(b']')) => Ok(Some(self.end(Nest::Array))),
            (Expected::Key | Expected::KeyOrEnd, Some(b'"')) => self.key().map(Some),
            (Expected::Key | Expected::KeyOrEnd, _) => {
                Err(self.here("a key in quotes was expected"))
            }
            _ => self.value(byte).map(Some),
        }
    }

    fn key(&mut self) -> Result<Token<'b>, JsonError> {
        let key = self.string()?;
        if self.byte_after_space() != Some(b':') {
            return Err(self.here("a colon was expected"));
        }
        self.at += 1;
        self.expected = Expected::Value;
        Ok(Token::Key(key))
    }

    fn value(&mut self, byte: Option<u8>) -> Result<Token<'b>, JsonError> {
        let token = match byte {
            Some(b'{') => return self.begin(Nest::Object),
            Some(b'[') => return self.begin(Nest::Array),
            Some(b'"') => Token::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Token::Number(self.number()?),
            Some(b't') => self.word("true", Token::Bool(true))?,
            Some(b'f') => self.word("false", Token::Bool(false))?,
            Some(b'n') => self.word("null", Token::Null)?,
            Some(_) => return Err(self.here("a value was expected")),
            None => return Err(self.here("the text ends where a value was expected")),
        };
        self.value_ended();
        Ok(token)
    }

    fn begin(&mut self, nest: Nest) -> Result<Token<'b>, JsonError> {
        if self.depth == DEPTH_MAX {
            return Err(self.here("more than 512 objects and arrays are open"));
        }
        let (word, bit) = (self.depth as usize / 64, 1 << (self.depth % 64));
        match nest {
            Nest::Object => self.objects[word] |= bit,
            Nest::Array => self.objects[word] &= !bit,
        }
        self.depth += 1;
        self.at += 1;
        self.expected = match nest {
            Nest::Object => Expected::KeyOrEnd,
            Nest::Array => Expected::ValueOrEnd,
        };
        Ok(Token::Start(nest))
    }

    /// Takes the end of what is open; there is something open where an end is let through.
    fn end(&mut self, nest: Nest) -> Token<'b> {
        self.start = self.at;
        self.at += 1;
        self.depth -= 1;
        self.value_ended();
        Token::End(nest)
    }

    fn value_ended(&mut self) {
        self.expected = if self.depth == 0 { Expected::Nothing } else { Expected::CommaOrEnd };
    }

    /// Returns `true` if the innermost of what is open is an object; something is open.
    fn in_object(&self) -> bool {
        let level = self.depth - 1;
        self.objects[level as usize / 64] >> (level % 64) & 1 == 1
    }

    fn word(&mut self, word: &str, token: Token<'b>) -> Result<Token<'b>, JsonError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.here("a value was expected"));
        }
        self.at += word.len();
        Ok(token)
    }

    /// Takes a string, whose first quote is here.
    fn string(&mut self) -> Result<JsonString<'b>, JsonError> {
        self.at += 1;
        let (from, mut escaped) = (self.at, false);
        loop {
            match self.byte() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0..=0x1f) => return Err(self.here("a control character must be escaped")),
                Some(_) => self.at += 1,
                None => return Err(self.here("the text ends within a string")),
            }
        }
        let raw = &self.text[from..self.at];
        self.at += 1;
        Ok(JsonString::new(raw, escaped))
    }

    /// Checks an escape, whose backslash is here, and moves past it.
    fn escape(&mut self) -> Result<(), JsonError> {
        let wrong = self.here("this escape means nothing");
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let alone = self.here("half of a pair of surrogates stands alone");
                let first = self.four_digits()?;
                if (0xdc00..0xe000).contains(&first) {
                    return Err(alone);
                }
                if (0xd800..0xdc00).contains(&first) {
                    if !self.text.as_bytes()[self.at..].starts_with(b"\\u") {
                        return Err(alone);
                    }
                    self.at += 1;
                    if !(0xdc00..0xe000).contains(&self.four_digits()?) {
                        return Err(alone);
                    }
                }
            }
            _ => return Err(wrong),
        }
        Ok(())
    }

    /// Takes a `u`, which is here, and the four digits that must follow it.
    fn four_digits(&mut self) -> Result<u32, JsonError> {
        self.at += 1;
        let mut number = 0;
        for _ in 0..4 {
            let digit = self.byte().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.here("a hexadecimal digit was expected"));
            };
            number = number << 4 | digit;
            self.at += 1;
        }
        Ok(number)
    }

    fn number(&mut self) -> Result<JsonNumber<'b>, JsonError> {
        let from = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
            if let Some(b'0'..=b'9') = self.byte() {
                return Err(self.here("a number does not begin with a nought"));
            }
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(JsonNumber::new(&self.text[from..self.at]))
    }

    /// Takes one digit or more.
    fn digits(&mut self) -> Result<(), JsonError> {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at == from { Err(self.here("a digit was expected")) } else { Ok(()) }
    }

    fn byte_after_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn here(&self, reason: &'static str) -> JsonError {
        JsonError::new(self.at, reason)
    }
}
