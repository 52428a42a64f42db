//! What can go wrong, each with what to do about it.

use core::error::Error;
use core::fmt;
use std::io;

use loligo_containers::GrowError;

/// A monitor, a recorder or a name could not be made. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorError {
    /// The allocator refused.
    Memory(GrowError),
    /// As many threads record as there may be.
    Threads {
        /// How many there may be.
        limit: u32,
    },
    /// As many names were made at run time as there may be.
    Names {
        /// How many there may be.
        limit: u32,
    },
    /// A name is too long.
    LongName {
        /// Its length.
        bytes: usize,
        /// The longest that it may be.
        limit: usize,
    },
}

impl fmt::Display for MonitorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => write!(f, "the monitor's memory: {error}"),
            Self::Threads { limit } => write!(
                f,
                "{limit} threads record already, which is what the monitor was made for; drop a \
                 recorder, or raise `Options::threads`"
            ),
            Self::Names { limit } => write!(
                f,
                "{limit} names were made at run time already, which is what the monitor was made \
                 for; use static names, or raise `Options::names`"
            ),
            Self::LongName { bytes, limit } => {
                write!(f, "a name has {bytes} bytes where {limit} are the most; shorten it")
            }
        }
    }
}

impl Error for MonitorError {}

impl From<GrowError> for MonitorError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

/// A trace could not be written whole.
#[derive(Debug)]
pub enum ExportError {
    /// The writer failed; what came after was not written.
    Write(io::Error),
    /// More counters and heaps than the export was made for; those beyond are not in the trace.
    Names {
        /// How many there may be.
        limit: u32,
        /// How many events were left out.
        events: u64,
    },
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(
                f,
                "the trace could not be written: {error}; it ends before that, look at where it goes"
            ),
            Self::Names { limit, events } => write!(
                f,
                "the trace has room for {limit} threads, counters and heaps, and {events} events of \
                 others were left out; make it with more"
            ),
        }
    }
}

impl Error for ExportError {}

/// What is wrong with a command for graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphErrorKind {
    /// No such command.
    Command,
    /// A word is missing.
    Missing,
    /// There is a word too many.
    TooMany,
    /// A quote is not closed.
    Quote,
    /// A name is too long or empty.
    Name,
    /// There is a graph of this name already.
    Exists,
    /// There is no graph of this name.
    Unknown,
    /// It is not a number, or not a finite one.
    Number,
    /// It is no color.
    Color,
    /// A range's lower end is not below its upper one.
    Range,
    /// There are as many graphs as there may be.
    Graphs,
    /// There are as many series in the graph as there may be.
    Series,
    /// The allocator refused.
    Memory,
}

/// A command for graphs was refused. Nothing has changed.
///
/// It prints what is wrong, at which column, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphError {
    /// What is wrong.
    pub kind: GraphErrorKind,
    /// The column of the line where it is, from 1, counted in bytes.
    pub column: u32,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            GraphErrorKind::Command => {
                "there is no such command; write `graph` and then make, add, add_vector3, \
                 add_scope, add_heap, range, history, hide, show or remove"
            }
            GraphErrorKind::Missing => {
                "a word is missing; write `graph make NAME`, `graph add NAME SERIES`, \
                 `graph range NAME LEAST MOST` or `graph history NAME COUNT`"
            }
            GraphErrorKind::TooMany => "there is a word too many; put names with spaces in quotes",
            GraphErrorKind::Quote => "the quote is not closed; write \" at the end of the name",
            GraphErrorKind::Name => "a name has 1 to 128 bytes; shorten it, or write one",
            GraphErrorKind::Exists => {
                "there is a graph of this name; take another, or remove it first"
            }
            GraphErrorKind::Unknown => {
                "there is no graph of this name; make it with `graph make NAME`"
            }
            GraphErrorKind::Number => {
                "this is no number that a graph can have; write one as -20 or 0.5"
            }
            GraphErrorKind::Color => {
                "this is no color; write one as red or #ff8000, or leave it out"
            }
            GraphErrorKind::Range => {
                "the least of a range must be below its most; change them about"
            }
            GraphErrorKind::Graphs => "there are as many graphs as there may be; remove one",
            GraphErrorKind::Series => {
                "the graph has as many series as it may have; put this one into another graph"
            }
            GraphErrorKind::Memory => {
                "there is no memory for the history; remove a graph, or write a shorter one with \
                 `graph history NAME COUNT`"
            }
        };
        write!(f, "column {}: {what}", self.column)
    }
}

impl Error for GraphError {}

/// What [`Monitor::validate`](crate::Monitor::validate) found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorDamage {
    /// Blocks were lost or doubled.
    Blocks {
        /// How many there are.
        found: u32,
        /// How many were made.
        made: u32,
    },
    /// The runs of a filled block do not fill it.
    Run {
        /// Which, from the oldest.
        block: u32,
        /// How many of its slots are runs.
        slots: u32,
    },
    /// A run is of a thread that is not known.
    Thread {
        /// Its number.
        thread: u32,
        /// How many there are.
        threads: u32,
    },
}

impl fmt::Display for MonitorDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocks { found, made } => {
                write!(f, "there are {found} blocks where {made} were made")
            }
            Self::Run { block, slots } => {
                write!(f, "filled block {block} is runs for its first {slots} slots alone")
            }
            Self::Thread { thread, threads } => {
                write!(f, "a run is of thread {thread} where there are {threads}")
            }
        }
    }
}

impl Error for MonitorDamage {}
