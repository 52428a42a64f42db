//! Numbers, whose form is JSON's in both dialects.

use crate::class::{BARE, is};
use crate::error::Fault;
use crate::event::Event;
use crate::number::Number;
use crate::parser::{Parser, why};

impl<'t> Parser<'t> {
    /// Takes a number, whose sign or first digit is here.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Event<'t>, Fault> {
        let from = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.no_digit()),
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.some_digits(&why::FRACTION)?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.some_digits(&why::DIGIT)?;
        }
        match self.byte() {
            Some(byte) if is(byte, BARE) => Err(self.no_end(from)),
            _ => Ok(Event::Number(Number::new(&self.text[from..self.at]))),
        }
    }

    #[inline]
    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
    }

    #[inline]
    fn some_digits(&mut self, why: &'static crate::error::Why) -> Result<(), Fault> {
        let from = self.at;
        self.digits();
        if self.at == from { Err(self.fault(why)) } else { Ok(()) }
    }

    #[cold]
    fn no_digit(&self) -> Fault {
        match self.byte() {
            Some(b'.') => self.fault(&why::POINT),
            Some(b'I' | b'N' | b'i' | b'n') => self.fault(&why::NOT_FINITE),
            _ => self.fault(&why::DIGIT),
        }
    }

    #[cold]
    fn no_end(&self, from: usize) -> Fault {
        let is_zero = self.text[from..self.at].trim_start_matches('-') == "0";
        let is_digit = self.byte().is_some_and(|byte| byte.is_ascii_digit());
        self.fault(if is_zero && is_digit { &why::LEADING_ZERO } else { &why::NUMBER_END })
    }
}
