//! A value in a table that a script passes.

/// A value in a table of names and values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue<'c> {
    /// A text's bytes, which are in the script's memory.
    Text(&'c [u8]),
    /// A number, which may be an id or a temporary: see [`Call::is_plain`](crate::Call::is_plain).
    Number(f64),
    /// True or false.
    Bool(bool),
    /// Something else: a table or a function.
    Other,
}
