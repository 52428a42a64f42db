//! What is reported when the program stops.

use core::fmt;
use core::marker::PhantomData;

use crate::call_stack::CallStack;
use crate::context::contexts;
use crate::log;
use crate::warning;

/// Why the program stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The condition of an [`ensure!`](crate::ensure) does not hold.
    Ensure {
        /// The condition as it is in the source.
        expression: &'static str,
    },
    /// An [`unreachable_state!`](crate::unreachable_state) was reached.
    UnreachableState,
    /// An error that can happen was not to happen here: [`OrStop`](crate::OrStop).
    Stopped,
    /// An allocator of `loligo-allocators` found that it is misused.
    Misuse,
    /// Any other panic, of the program or of a library.
    Panic,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ensure { expression } => write!(f, "this does not hold: {expression}"),
            Self::UnreachableState => f.write_str("a state was reached that must not be"),
            Self::Stopped => f.write_str("what must not fail here failed"),
            Self::Misuse => f.write_str("an allocator is misused"),
            Self::Panic => f.write_str("panic"),
        }
    }
}

/// All that is known of an error that stops the program; readable as text.
///
/// It is made on the thread that failed, while what failed is still on its stack, and stays there.
/// As text it has the contexts of that thread, its call stack, the warnings counted so far and the
/// last lines of all logs; the [`README`](crate) shows one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report<'r> {
    /// The program, as [`Options::program`](crate::Options::program) names it.
    pub program: &'r str,
    /// Why it stops.
    pub kind: Kind,
    /// What was said about it; may be empty.
    pub message: &'r str,
    /// The source file that it happened in, where that is known.
    pub file: &'r str,
    /// The line in that file, from 1.
    pub line: u32,
    /// The column in that line, from 1.
    pub column: u32,
    /// The name of the thread that failed.
    pub thread: &'r str,
    /// The number of the process.
    pub process: u32,
    pub(crate) stack: CallStack,
    /// Contexts are those of the thread.
    pub(crate) of_this_thread: PhantomData<*const ()>,
}

impl Report<'_> {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} stops: {}", self.program, self.kind)?;
        for line in self.message.lines() {
            writeln!(f, "    {line}")?;
        }
        if self.line > 0 {
            write!(f, "    at {}:{}:{}, ", self.file, self.line, self.column)?;
        } else {
            f.write_str("    ")?;
        }
        writeln!(f, "in thread `{}` of process {}", self.thread, self.process)
    }

    fn contexts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if contexts().count() == 0 {
            return Ok(());
        }
        f.write_str("Contexts, outermost first:\n")?;
        contexts().each_line(|line| writeln!(f, "    {line}"))
    }
}

/// The parts that need no heap come first, and those that other libraries provide, last: if one of
/// these fails, the rest is out already.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        self.contexts(f)?;
        warning::write_all(f)?;
        log::write_recent(f)?;
        f.write_str("Call stack, innermost first:\n")?;
        self.stack.write(f, self.file, self.line)
    }
}
