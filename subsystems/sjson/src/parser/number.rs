//! Numbers, whose form is JSON's in both dialects.

use crate::class::{BARE, is};
use crate::error::{ParseError, Why};
use crate::event::Event;
use crate::number::Number;
use crate::parser::{Parser, why};

impl<'t> Parser<'t> {
    /// Takes a number, whose sign or first digit is here.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Event<'t>, ParseError> {
        let text = self.text.as_bytes();
        let mut at = self.at + usize::from(byte_at(text, self.at) == b'-');
        match byte_at(text, at) {
            b'0' => at += 1,
            b'1'..=b'9' => at = behind_digits(text, at),
            _ => return Err(self.no_digit(at)),
        }
        if byte_at(text, at) == b'.' {
            at = some_digits(text, at + 1, &why::FRACTION)?;
        }
        if let b'e' | b'E' = byte_at(text, at) {
            at += 1;
            if let b'+' | b'-' = byte_at(text, at) {
                at += 1;
            }
            at = some_digits(text, at, &why::DIGIT)?;
        }
        if is(byte_at(text, at), BARE) {
            return Err(self.no_end(at));
        }
        let number = Number::new(&self.text[self.at..at]);
        self.at = at;
        Ok(Event::Number(number))
    }

    #[cold]
    fn no_digit(&self, at: usize) -> ParseError {
        let why = match byte_at(self.text.as_bytes(), at) {
            b'.' => &why::POINT,
            b'I' | b'N' | b'i' | b'n' => &why::NOT_FINITE,
            _ => &why::DIGIT,
        };
        ParseError { at, why }
    }

    #[cold]
    fn no_end(&self, at: usize) -> ParseError {
        let is_zero = self.text[self.at..at].trim_start_matches('-') == "0";
        let is_digit = byte_at(self.text.as_bytes(), at).is_ascii_digit();
        ParseError {
            at,
            why: if is_zero && is_digit { &why::LEADING_ZERO } else { &why::NUMBER_END },
        }
    }
}

/// Returns a byte of the text, or past its end 0, which no number has.
#[inline]
fn byte_at(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

#[inline]
fn behind_digits(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while byte_at(text, at).is_ascii_digit() {
        at += 1;
    }
    at
}

#[inline]
fn some_digits(text: &[u8], from: usize, why: &'static Why) -> Result<usize, ParseError> {
    let at = behind_digits(text, from);
    if at == from { Err(ParseError { at, why }) } else { Ok(at) }
}
