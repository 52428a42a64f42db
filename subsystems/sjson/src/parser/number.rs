//! Numbers, whose form is JSON's in both dialects.

use crate::class::{BARE, is};
use crate::decimal::Decimal;
use crate::error::{ParseError, SjsonError};
use crate::number::Number;
use crate::parser::space::space_end;
use crate::parser::{Expected, Parser, run, why};

impl<'t> Parser<'t> {
    /// Takes a number, whose sign or first digit is here.
    // Always inlined: a result that is returned in memory costs more than the scan.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Result<Number<'t>, ParseError> {
        let text = self.text.as_bytes();
        let negative = byte_at(text, self.at) == b'-';
        let first = self.at + usize::from(negative);
        let (mut at, mut digits) = (first, 0_u64);
        while let digit = byte_at(text, at).wrapping_sub(b'0')
            && digit < 10
        {
            digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        let leads_zero = byte_at(text, first) == b'0';
        if at == first || leads_zero && at > first + 1 {
            return Err(self.no_whole(first));
        }
        let mut count = at - first - usize::from(leads_zero);
        let mut fraction = 0;
        if byte_at(text, at) == b'.' {
            let from = at + 1;
            (at, digits) = run::digits_end(text, from, digits);
            fraction = at - from;
            if fraction == 0 {
                return Err(ParseError { at, why: &why::FRACTION });
            }
            count += fraction;
        }
        // 19 digits are less than 2^64.
        let mut decimal = Decimal::NONE;
        if count <= 19 {
            decimal = Decimal::new(negative, digits, fraction);
        }
        // The `e` of an exponent is among these bytes.
        if is(byte_at(text, at), BARE) {
            at = self.exponent(at)?;
            decimal = Decimal::NONE;
        }
        let number = Number::new(&text[self.at..at], decimal);
        self.at = at;
        Ok(number)
    }

    /// Takes the next item if it is a number in an array and not the first there, and else nothing:
    /// the next event is then the one that it would have been. In a long array this spares a
    /// caller the events.
    ///
    /// # Errors
    ///
    /// As those of [`next_event`](Self::next_event).
    #[inline]
    pub(crate) fn further_number(&mut self) -> Result<Option<Number<'t>>, SjsonError> {
        if self.in_object || !matches!(self.expected, Expected::Further) {
            return Ok(None);
        }
        let text = self.text.as_bytes();
        let mut at = space_end(text, self.at);
        if byte_at(text, at) == b',' {
            at = space_end(text, at + 1);
        } else if self.is_json {
            return Ok(None);
        }
        if !matches!(byte_at(text, at), b'-' | b'0'..=b'9') {
            return Ok(None);
        }
        (self.at, self.start) = (at, at);
        match self.number() {
            Ok(number) => Ok(Some(number)),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Takes an exponent, or returns the error of what else follows a number's digits.
    #[inline(never)]
    fn exponent(&self, e: usize) -> Result<usize, ParseError> {
        let text = self.text.as_bytes();
        if !matches!(byte_at(text, e), b'e' | b'E') {
            return Err(self.no_end(e));
        }
        let from = e + 1 + usize::from(matches!(byte_at(text, e + 1), b'+' | b'-'));
        let (at, _) = run::digits_end(text, from, 0);
        if at == from {
            return Err(ParseError { at, why: &why::DIGIT });
        }
        if is(byte_at(text, at), BARE) { Err(self.no_end(at)) } else { Ok(at) }
    }

    /// Returns the error of a number that begins with no digit, or with a 0 and a further digit.
    #[cold]
    fn no_whole(&self, first: usize) -> ParseError {
        let is_digit = byte_at(self.text.as_bytes(), first).is_ascii_digit();
        if is_digit { self.no_end(first + 1) } else { self.no_digit(first) }
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
