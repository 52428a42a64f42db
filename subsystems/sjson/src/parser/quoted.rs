//! Keys and strings.

use crate::class::{BARE, is};
use crate::error::ParseError;
use crate::parser::{Parser, run, why};
use crate::string::{Text, TextForm, four};

const THREE_QUOTES: &str = "\"\"\"";

impl<'t> Parser<'t> {
    /// Takes a key in quotes, the first of which is here.
    #[inline]
    pub(super) fn quoted_key(&mut self) -> Result<Text<'t>, ParseError> {
        if !self.is_json && self.text[self.at..].starts_with(THREE_QUOTES) {
            return Err(self.error(&why::KEY_LINES));
        }
        self.quoted()
    }

    /// Takes a key without quotes, whose first byte is here.
    #[inline]
    pub(super) fn bare_key(&mut self) -> Result<Text<'t>, ParseError> {
        let text = self.text.as_bytes();
        let from = self.at;
        let (mut at, mut seen) = (from, 0);
        while let Some(&byte) = text.get(at)
            && is(byte, BARE)
        {
            seen |= byte;
            at += 1;
        }
        self.at = at;
        let key = &self.text[from..at];
        if !seen.is_ascii()
            && let Some(at) = key.find(|char: char| !char.is_ascii() && !char.is_alphanumeric())
        {
            return Err(ParseError { at: from + at, why: &why::KEY_LETTER });
        }
        Ok(Text::new(key, TextForm::Bare, false))
    }

    /// Takes a string, whose first quote is here.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Text<'t>, ParseError> {
        if !self.is_json && self.text.as_bytes()[self.at..].starts_with(THREE_QUOTES.as_bytes()) {
            return self.verbatim();
        }
        self.quoted()
    }

    fn verbatim(&mut self) -> Result<Text<'t>, ParseError> {
        let inside = &self.text[self.at + 3..];
        let Some(len) = inside.find(THREE_QUOTES) else {
            return Err(self.error(&why::THREE_QUOTES));
        };
        self.at += len + 6;
        Ok(Text::new(&inside[..len], TextForm::Verbatim, false))
    }

    #[inline]
    fn quoted(&mut self) -> Result<Text<'t>, ParseError> {
        let quote = self.at;
        self.at += 1;
        let mut escaped = false;
        loop {
            let text = self.text.as_bytes();
            let at = run::plain_end(text, self.at);
            self.at = at;
            match text.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.escape()?;
                    escaped = true;
                }
                Some(b'\t') if !self.is_json => self.at += 1,
                Some(b'\n' | b'\r') if !self.is_json => {
                    return Err(ParseError { at: quote, why: &why::LINE_IN_STRING });
                }
                Some(_) => return Err(self.error(&why::CONTROL)),
                None => return Err(ParseError { at: quote, why: &why::QUOTE }),
            }
        }
        let raw = &self.text[quote + 1..self.at];
        self.at += 1;
        Ok(Text::new(raw, TextForm::Quoted, escaped))
    }

    /// Takes an escape, whose backslash is here.
    fn escape(&mut self) -> Result<(), ParseError> {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => self.unicode(),
            _ => Err(self.error(&why::ESCAPE)),
        }
    }

    fn unicode(&mut self) -> Result<(), ParseError> {
        let hex = |at| self.text.get(at..).and_then(four).map(|(number, _)| number);
        let Some(first) = hex(self.at + 2) else {
            return Err(self.error(&why::HEX));
        };
        self.at += match first {
            0xd800..0xdc00 => {
                let has_second = self.text.as_bytes()[self.at + 6..].starts_with(b"\\u");
                match hex(self.at + 8) {
                    Some(0xdc00..0xe000) if has_second => 12,
                    _ => return Err(self.error(&why::SURROGATE)),
                }
            }
            0xdc00..0xe000 => return Err(self.error(&why::SURROGATE)),
            _ => 6,
        };
        Ok(())
    }
}
