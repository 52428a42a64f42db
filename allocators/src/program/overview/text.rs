//! Numbers and names in the overview's formats.

use core::fmt::{self, Display, Write};

/// Bytes in the largest unit in which the number is at least 1: whole bytes below 1 KiB, above it
/// one decimal, rounded half up.
#[derive(Clone, Copy)]
pub(super) struct Bytes(pub(super) usize);

impl Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        // In tenths of a unit; a value that rounds up to 1024.0 is 1.0 of the next unit.
        let mut tenths = 0;
        let mut unit = "";
        for (power, name) in (1..).zip(["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]) {
            let one = 1_u128 << (10 * power);
            tenths = (10 * self.0 as u128 + one / 2) / one;
            unit = name;
            if tenths < 10 * 1024 {
                break;
            }
        }
        write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
    }
}

/// An exact number, its digits in groups of three, separated by non-breaking spaces.
#[derive(Clone, Copy)]
pub(super) struct Grouped(pub(super) usize);

impl Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.checked_ilog10().unwrap_or(0);
        for place in (0..=digits).rev() {
            write!(f, "{}", self.0 / 10_usize.pow(place) % 10)?;
            if place != 0 && place % 3 == 0 {
                f.write_char('\u{a0}')?;
            }
        }
        Ok(())
    }
}

/// A name on one line of plain text.
pub(super) struct Plain<'a>(pub(super) &'a str);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| f.write_char(printable(c)))
    }
}

/// A name inside a string of JSON.
pub(super) struct InJson<'a>(pub(super) &'a str);

impl Display for InJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '"' => f.write_str("\\\""),
            '\\' => f.write_str("\\\\"),
            '\0'..' ' => write!(f, "\\u{:04x}", u32::from(c)),
            _ => f.write_char(c),
        })
    }
}

/// A name in the text or in an attribute of a page.
pub(super) struct InHtml<'a>(pub(super) &'a str);

impl Display for InHtml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            _ => f.write_char(printable(c)),
        })
    }
}

/// Replaces characters that would break a line or are not allowed in a page.
fn printable(c: char) -> char {
    if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }
}

/// Returns how many characters a value takes when displayed.
pub(super) fn width(text: impl Display) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.chars().count();
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = write!(count, "{text}");
    count.0
}
