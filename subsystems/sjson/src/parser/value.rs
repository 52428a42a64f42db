//! Values: what each begins with.

use crate::class::{BARE, is};
use crate::error::ParseError;
use crate::event::{Event, Nest};
use crate::parser::{Parser, why};

impl<'t> Parser<'t> {
    /// Takes a value, or the start of one, whose first byte is here.
    #[inline]
    pub(super) fn value(&mut self, byte: Option<u8>) -> Result<Event<'t>, ParseError> {
        let event = match byte {
            Some(b'-' | b'0'..=b'9') => Event::Number(self.number()?),
            Some(b'"') => Event::String(self.string()?),
            Some(b'{') => return self.begin(Nest::Object, 1),
            Some(b'[') => return self.begin(Nest::Array, 1),
            _ => self.word()?,
        };
        self.value_ended();
        Ok(event)
    }

    fn word(&mut self) -> Result<Event<'t>, ParseError> {
        let rest = &self.text.as_bytes()[self.at..];
        let len = rest.iter().take_while(|&&byte| is(byte, BARE)).count();
        let event = match &rest[..len] {
            b"true" => Event::Bool(true),
            b"false" => Event::Bool(false),
            b"null" => Event::Null,
            word => return Err(self.no_value(word)),
        };
        self.at += len;
        Ok(event)
    }

    /// Returns the error where a value is missing or malformed.
    #[cold]
    fn no_value(&self, word: &[u8]) -> ParseError {
        let is_one_of =
            |words: &[&str]| words.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes()));
        self.error(match self.byte() {
            Some(b',') => &why::ONE_COMMA,
            Some(b'}') if self.in_object => &why::VALUE_BEFORE_END,
            Some(b'/') if self.is_json => &why::JSON_COMMENT,
            Some(b'\'') => &why::SINGLE_QUOTE,
            Some(b'+') => &why::PLUS,
            Some(b'.') if word.get(1).is_some_and(u8::is_ascii_digit) => &why::POINT,
            Some(0xef) if self.is_json && word.starts_with(b"\xef\xbb\xbf") => &why::JSON_MARK,
            _ if is_one_of(&["true", "false", "null"]) => &why::CASE,
            _ if is_one_of(&["nan", "inf", "infinity"]) => &why::NOT_FINITE,
            _ if !word.is_empty() => &why::WORD,
            _ => &why::VALUE,
        })
    }
}
