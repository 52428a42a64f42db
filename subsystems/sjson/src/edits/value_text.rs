//! What is put into a text: one value, and nothing around it.

use crate::error::{SjsonError, Why};
use crate::event::Event;
use crate::options::Options;
use crate::parser::Parser;

static COMMENT: Why = Why::new("one value alone", "take the comment out");

/// Returns a value without the space around it.
///
/// # Errors
///
/// [`SjsonError`] if it is not one value, or if there are comments around it.
pub(super) fn checked<'v>(value: &'v str, options: &Options) -> Result<&'v str, SjsonError> {
    let mut parser = Parser::of_value(value.as_bytes(), options);
    let first = parser.next_event()?;
    let start = parser.span().start;
    first.map_or(Ok(()), |first: Event<'_>| parser.skip(first))?;
    let end = parser.span().end;
    parser.next_event()?;
    let around = [&value[..start], &value[end..]];
    if around.iter().any(|space| space.contains('/')) {
        return Err(parser.error_here(&COMMENT));
    }
    Ok(&value[start..end])
}
