//! What a parser hands out.

use crate::number::Number;
use crate::string::Text;

/// What holds other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nest {
    /// Keys and values.
    Object,
    /// Values in order.
    Array,
}

/// A piece of a document.
///
/// Each [`Start`](Self::Start) has its [`End`](Self::End), and within an object a
/// [`Key`](Self::Key) comes before each value. A root without braces is started and ended as one
/// with braces is.
///
/// # Memory
///
/// 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number<'t>),
    /// A string that is a value.
    String(Text<'t>),
    /// The name of the value that comes next.
    Key(Text<'t>),
    /// What follows, to the end of the same kind, is within.
    Start(Nest),
    /// The end of what was started last and not ended.
    End(Nest),
}
