//! What is wrong with a source, and where.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;

use crate::limits::{DEPTH_MAX, NODES_MAX, SOURCE_BYTES_MAX};

/// A source was refused.
///
/// Printed, it names line and column, what was expected, what to do, and shows the line with a mark
/// below the place:
///
/// ```text
/// 1:10: nothing is called `tme`; is `time` meant?
///   sin(2 * tme)
///           ^^^
/// ```
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_expressions::{CompileErrorKind, Expression, Symbols};
///
/// static MEMORY: StaticHeap<32768> = StaticHeap::new("doc");
/// let refused = Expression::try_compile("2 * (1 + 3", &Symbols::default(), &MEMORY);
/// let error = refused.err().expect("a parenthesis is open");
/// assert_eq!((error.line(), error.column()), (1, 5));
/// assert_eq!(error.kind, CompileErrorKind::Open);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompileError<'s> {
    /// The source.
    pub source: &'s str,
    /// The byte at which the faulty part begins.
    pub offset: u32,
    /// The bytes of the faulty part; 0 at the end of the source.
    pub bytes: u32,
    /// What is wrong.
    pub kind: CompileErrorKind<'s>,
}

/// What is wrong with a source.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompileErrorKind<'s> {
    /// A value was expected: a number, a name, a sign or a parenthesis. Something else was found,
    /// or the end.
    ValueExpected,
    /// An operator was expected, or the end. Here begins a second value.
    OperatorExpected,
    /// A character that no token begins with.
    Character,
    /// One of `=`, `&` and `|`; the operators are twice as long.
    HalfOperator {
        /// The operator that may be meant.
        whole: &'static str,
    },
    /// Something that begins as a number and is not one.
    Number,
    /// A number that a 32-bit float cannot hold.
    LargeNumber,
    /// A name that nothing has.
    Unknown {
        /// The known name that is most like it.
        nearest: Option<&'s str>,
    },
    /// A function without parentheses.
    NotCalled,
    /// A variable or constant with arguments.
    NotCallable,
    /// A function with too few or too many arguments.
    Arguments {
        /// How many there are; more than expected may not have been counted to the end.
        found: u32,
        /// How many the function takes.
        expected: u32,
    },
    /// A parenthesis that is never closed.
    Open,
    /// A closing parenthesis that was never opened.
    Closed,
    /// A comma outside the arguments of a function.
    Comma,
    /// A `?` without its `:`.
    NoElse,
    /// A `:` without its `?`.
    NoCondition,
    /// Two comparisons in a row.
    Chain,
    /// A source of more than [`SOURCE_BYTES_MAX`] bytes.
    LongSource,
    /// More than [`NODES_MAX`] values and operators.
    Long,
    /// More than [`DEPTH_MAX`] values would wait on the stack.
    Deep,
    /// There is no memory for it.
    Memory(GrowError),
}

impl CompileError<'_> {
    /// Returns the line of the place, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }

    /// Returns the column of the place in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        let before = self.before();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        before.get(start..).unwrap_or_default().chars().count() + 1
    }

    fn before(&self) -> &str {
        self.source.get(..self.offset as usize).unwrap_or(self.source)
    }

    /// Returns the faulty part.
    fn part(&self) -> &str {
        let end = self.offset.saturating_add(self.bytes) as usize;
        self.source.get(self.offset as usize..end).unwrap_or_default()
    }
}

impl fmt::Display for CompileError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line(), self.column())?;
        self.write_fault(f)?;
        let before = self.before();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.source.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
        let column = self.column() - 1;
        // Of a long line the neighbourhood is shown.
        let first = column.saturating_sub(SHOWN / 2);
        let shown = || line.chars().skip(first).take(SHOWN);
        write!(f, "\n  ")?;
        shown().try_for_each(|c| write!(f, "{}", if c.is_control() { ' ' } else { c }))?;
        write!(f, "\n  ")?;
        (first..column).try_for_each(|_| f.write_str(" "))?;
        let room = (first + SHOWN).saturating_sub(column).max(1);
        let marks = self.part().chars().take_while(|c| *c != '\n').take(room).count().max(1);
        (0..marks).try_for_each(|_| f.write_str("^"))
    }
}

/// How many characters of a line are shown.
const SHOWN: usize = 76;

impl CompileError<'_> {
    fn write_fault(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = Part(self.part());
        match self.kind {
            CompileErrorKind::ValueExpected => {
                write!(f, "expected a value (a number, a name, `-`, `!` or `(`), found {part}")
            }
            CompileErrorKind::OperatorExpected => {
                write!(f, "expected an operator or the end, found {part}; write `*` to multiply")
            }
            CompileErrorKind::Character => write!(f, "{part} means nothing here; take it out"),
            CompileErrorKind::HalfOperator { whole } => {
                write!(f, "{part} is no operator; is `{whole}` meant?")
            }
            CompileErrorKind::Number => {
                write!(f, "{part} is no number; numbers are written as `12`, `0.5` or `1.5e-3`")
            }
            CompileErrorKind::LargeNumber => {
                write!(f, "{part} is too large; 3.4e38 is the largest number")
            }
            CompileErrorKind::Unknown { nearest: Some(nearest) } => {
                write!(f, "nothing is called {part}; is `{nearest}` meant?")
            }
            CompileErrorKind::Unknown { nearest: None } => {
                write!(f, "nothing is called {part}; name a variable, constant or function")
            }
            CompileErrorKind::NotCalled => {
                write!(f, "{part} is a function; write its arguments in parentheses after it")
            }
            CompileErrorKind::NotCallable => {
                write!(f, "{part} is a value and no function; write `*` to multiply")
            }
            CompileErrorKind::Arguments { found, expected } => {
                write!(f, "{part} takes {expected} argument{}, not ", plural(expected))?;
                let more = if found > expected { " or more" } else { "" };
                write!(f, "{found}{more}")
            }
            CompileErrorKind::Open => write!(f, "this parenthesis is never closed; write `)`"),
            CompileErrorKind::Closed => {
                write!(f, "this parenthesis closes none; take it out, or write `(` before")
            }
            CompileErrorKind::Comma => {
                write!(f, "a comma stands only between the arguments of a function")
            }
            CompileErrorKind::NoElse => {
                write!(f, "expected `:` and another value for this `?`: condition ? a : b")
            }
            CompileErrorKind::NoCondition => {
                write!(f, "this `:` has no `?` before it: condition ? a : b")
            }
            CompileErrorKind::Chain => write!(
                f,
                "two comparisons in a row; write `a < b && b < c`, or parentheses around one"
            ),
            CompileErrorKind::LongSource => {
                write!(f, "the source has more than {SOURCE_BYTES_MAX} bytes; shorten it")
            }
            CompileErrorKind::Long => {
                write!(f, "here are more than {NODES_MAX} values and operators; shorten it")
            }
            CompileErrorKind::Deep => {
                write!(f, "more than {DEPTH_MAX} values would wait here for an operator; nest less")
            }
            CompileErrorKind::Memory(error) => write!(f, "{error}"),
        }
    }
}

impl Error for CompileError<'_> {}

const fn plural(count: u32) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A part of the source as it is quoted.
struct Part<'s>(&'s str);

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the end");
        }
        f.write_str("`")?;
        for c in self.0.chars().take(SHOWN / 2) {
            if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") }?;
        }
        if self.0.chars().nth(SHOWN / 2).is_some() {
            f.write_str("..")?;
        }
        f.write_str("`")
    }
}
