//! What is put in the place of a placeholder.

use core::fmt;

/// The value of a placeholder.
///
/// # Examples
///
/// ```
/// use loligo_text::TextValue;
///
/// assert_eq!(TextValue::Number(3.0).to_string(), "3");
/// assert_eq!(TextValue::Number(-0.25).to_string(), "-0.25");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextValue<'v> {
    /// A text, as it is.
    Text(&'v str),
    /// A number: its shortest decimal digits, the same on all machines and in all languages.
    Number(f64),
}

impl fmt::Display for TextValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            // There is no 0 with a sign for people.
            Self::Number(number) => write!(f, "{}", number + 0.0),
        }
    }
}
