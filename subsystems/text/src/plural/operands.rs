//! What the rules of plurals look at: the digits of a number as it is shown.

use core::fmt::{self, Write as _};

use crate::value::TextValue;

/// From here on whole digits are kept by their last ones: no rule looks at more than six.
const WHOLE_MAX: u64 = 1_000_000_000_000;

/// The digits of a number as it is shown, without its sign. In the words of UTS 35: `whole` is i,
/// `digits` v, `fraction` f, `trimmed` t.
///
/// # Examples
///
/// ```
/// use loligo_text::Operands;
///
/// let operands = Operands::of_text("-1.50").expect("a number");
/// assert_eq!((operands.whole(), operands.digits(), operands.fraction()), (1, 2, 50));
/// assert_eq!(operands.trimmed(), 5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    whole: u64,
    digits: u32,
    fraction: u64,
    trimmed: u64,
}

impl Operands {
    /// Returns those of a whole number.
    #[must_use]
    pub const fn of_whole(number: u64) -> Self {
        // The last digits, and that it is large.
        let large = number % WHOLE_MAX + WHOLE_MAX;
        let whole = if number < WHOLE_MAX { number } else { large };
        Self { whole, digits: 0, fraction: 0, trimmed: 0 }
    }

    /// Returns those of a number as texts show it. One that is not finite has no digits, which in every
    /// language is as a large number with a fraction.
    #[must_use]
    pub fn of_number(number: f64) -> Self {
        let mut reader = Reader::default();
        // A reader that has seen what is no digit says so.
        match write!(reader, "{}", TextValue::Number(number)) {
            Ok(()) => reader.operands,
            Err(fmt::Error) => Self { whole: WHOLE_MAX, digits: 3, fraction: 999, trimmed: 999 },
        }
    }

    /// Reads decimal digits with or without a sign and a point. `None` for anything else.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let mut reader = Reader::default();
        reader.write_str(text).ok()?;
        reader.has_digit.then_some(reader.operands)
    }

    /// Returns the whole part; of one of more than twelve digits the last twelve, and a 1 before them.
    #[must_use]
    pub const fn whole(&self) -> u64 {
        self.whole
    }

    /// Returns how many digits there are after the point.
    #[must_use]
    pub const fn digits(&self) -> u32 {
        self.digits
    }

    /// Returns the digits after the point, at most 18, as a number.
    #[must_use]
    pub const fn fraction(&self) -> u64 {
        self.fraction
    }

    /// Returns the digits after the point without zeros at their end.
    #[must_use]
    pub const fn trimmed(&self) -> u64 {
        self.trimmed
    }

    /// Returns the number where it is whole, whatever zeros it is shown with: n of UTS 35.
    pub(super) const fn integer(&self) -> Option<u64> {
        if self.trimmed == 0 { Some(self.whole) } else { None }
    }
}

/// Reads digits in any pieces.
#[derive(Default)]
struct Reader {
    operands: Operands,
    has_digit: bool,
    is_after_point: bool,
}

impl fmt::Write for Reader {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            let Operands { whole, digits, fraction, trimmed } = &mut self.operands;
            match byte {
                b'-' if !self.has_digit && !self.is_after_point => {}
                b'.' if !self.is_after_point => self.is_after_point = true,
                b'0'..=b'9' => {
                    self.has_digit = true;
                    let digit = u64::from(byte - b'0');
                    if !self.is_after_point {
                        *whole = Operands::of_whole(*whole * 10 + digit).whole;
                    } else if *digits < 18 {
                        *digits += 1;
                        *fraction = *fraction * 10 + digit;
                        if digit != 0 {
                            *trimmed = *fraction;
                        }
                    }
                }
                _ => return Err(fmt::Error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Operands, WHOLE_MAX};

    #[test]
    fn digits_are_read_as_they_are_shown() {
        let of = |text: &str| {
            let of = Operands::of_text(text).expect(text);
            (of.whole(), of.digits(), of.fraction(), of.trimmed())
        };
        for (text, wanted) in [
            ("0", (0, 0, 0, 0)),
            ("7", (7, 0, 0, 0)),
            ("1.0", (1, 1, 0, 0)),
            ("1.30", (1, 2, 30, 3)),
            ("1.03", (1, 2, 3, 3)),
            ("1.230", (1, 3, 230, 23)),
            ("-12.5", (12, 1, 5, 5)),
            ("1000000", (1_000_000, 0, 0, 0)),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
        for text in ["", "-", ".", "1,5", "1e3", "NaN", "1.2.3", "3-"] {
            assert_eq!(Operands::of_text(text), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_of_any_size_keep_their_last_digits() {
        assert_eq!(Operands::of_number(3.0), Operands::of_whole(3));
        assert_eq!(Operands::of_number(-0.0), Operands::of_whole(0));
        assert_eq!(Operands::of_text("1.5").map(|of| of.integer()), Some(None));
        let large = Operands::of_text("123456789012345678901234567890").expect("digits");
        assert_eq!(large.whole() % 1_000_000, 567_890);
        assert!(large.whole() >= WHOLE_MAX, "it is large");
        assert_eq!(Operands::of_whole(u64::MAX).whole() % 1_000_000, u64::MAX % 1_000_000);
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Operands::of_number(number).digits(), 3, "{number}");
        }
        assert_eq!(Operands::of_number(f64::MAX).digits(), 0);
        assert_eq!(Operands::of_number(f64::MIN_POSITIVE).digits(), 18, "the first ones");
    }
}
