//! Why a trace is refused.

use core::error::Error;
use core::fmt;
use std::io;

use super::{ALIGN_LOG2_MAX, NoMemory, RECORD_BYTES, STACK_FRAMES_MAX};

/// A trace that cannot be used: which, where in it, and why.
#[derive(Debug)]
pub struct TraceError {
    /// The file or name.
    pub file: String,
    /// The record that is wrong, counted from 0, where one is.
    pub record: Option<u64>,
    /// Where that record begins in the file, uncompressed.
    pub byte: Option<u64>,
    /// What is wrong.
    pub kind: TraceErrorKind,
}

impl TraceError {
    /// Makes an error; `place` is number and offset of the record.
    pub(super) fn new(file: &str, place: Option<(u64, u64)>, kind: TraceErrorKind) -> Self {
        let (record, byte) = place.unzip();
        Self { file: file.to_owned(), record, byte, kind }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let (Some(record), Some(byte)) = (self.record, self.byte) {
            write!(f, "record {record} (counted from 0, at byte {byte}): ")?;
        }
        write!(f, "{}; {}", self.kind, self.kind.remedy())
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            TraceErrorKind::Unreadable(error) | TraceErrorKind::Compressed(error) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong with a trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceErrorKind {
    /// The file cannot be opened or read.
    Unreadable(io::Error),
    /// The compressed stream is damaged or cut.
    Compressed(io::Error),
    /// The file unpacks to more than its reader accepts.
    UnpacksTooFar {
        /// How much that is.
        bytes_max: u64,
    },
    /// There is no memory for what the file holds.
    NoMemory,
    /// The file starts with neither [`MAGIC`](super::MAGIC) nor [`MAGIC_2`](super::MAGIC_2).
    BadMagic,
    /// The length is not 8 + 16 n: some bytes are left after the last whole record.
    BrokenLength {
        /// Bytes after the last whole record.
        left_over: usize,
    },
    /// The operation is not one of 1 to 4.
    UnknownOperation {
        /// The byte that was found.
        op: u8,
    },
    /// The alignment is over 2^20.
    AlignmentTooGreat {
        /// Its logarithm.
        align_log2: u8,
    },
    /// A free or a reallocation names another alignment than the allocation did.
    AlignmentChanged {
        /// The logarithm that the record has.
        align_log2: u8,
        /// The logarithm that the block was allocated with.
        block_align_log2: u8,
    },
    /// The slot is above the number of allocations so far.
    SlotTooHigh {
        /// The slot.
        slot: u32,
        /// Allocations before this record.
        allocations: u64,
    },
    /// An allocation into a slot whose block is alive.
    SlotLive {
        /// The slot.
        slot: u32,
    },
    /// A free or reallocation of a slot whose block is not alive.
    SlotDead {
        /// The slot.
        slot: u32,
    },
    /// A size of 0 where a size belongs.
    SizeZero,
    /// A size over 2^47.
    SizeTooGreat {
        /// The size.
        bytes: u64,
    },
    /// A free with a size.
    SizeOfFree {
        /// The size.
        bytes: u64,
    },
    /// The live blocks together are larger than 2^63 bytes.
    TooMuchLive,
    /// A kind of record that is not known and may not be passed over.
    UnknownKind {
        /// The byte that was found.
        kind: u8,
    },
    /// An event of a call site that was not named before.
    SiteUnnamed {
        /// The site.
        site: u32,
        /// How many are named.
        sites: usize,
    },
    /// An event of an allocator object that was not named before.
    ObjectUnnamed {
        /// The object.
        object: u16,
        /// How many are named.
        objects: usize,
    },
    /// A name whose number does not follow that of the last name.
    NameOutOfOrder {
        /// The number.
        number: u32,
        /// How many names there are.
        names: usize,
    },
    /// A stack whose number does not follow that of the last stack.
    StackOutOfOrder {
        /// The number.
        number: u32,
        /// How many stacks there are.
        stacks: usize,
    },
    /// A stack that is not in the table so far.
    StackUnknown {
        /// The stack.
        stack: u32,
        /// How many there are.
        stacks: usize,
    },
    /// A stack of more frames than a reader accepts.
    StackTooDeep {
        /// The stack.
        stack: u32,
    },
    /// A record of stacks whose length is not that of what it holds.
    StackLength {
        /// The length.
        length: u16,
    },
    /// Stacks of events that have theirs already, or that are not there.
    StacksMisplaced {
        /// The first event.
        first: u64,
        /// How many stacks.
        count: usize,
        /// How many events have their stacks.
        covered: usize,
        /// How many events there are.
        events: usize,
    },
    /// A name or note that is not UTF-8.
    NoText,
    /// A note without an equals sign.
    NoteNameless,
    /// Something else than zero where the format has nothing.
    NotZero {
        /// The byte that was found.
        byte: u8,
    },
    /// The last record counts other events than there are.
    WrongCount {
        /// What it says.
        said: u64,
        /// What there is.
        found: u64,
    },
    /// Bytes that follow the last record.
    AfterEnd,
}

impl From<NoMemory> for TraceErrorKind {
    fn from(_: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl TraceErrorKind {
    /// Returns what to do about it.
    fn remedy(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "check the path and the file's permissions",
            Self::Compressed(_) => "copy the file again, or compress the recording again with zstd",
            Self::UnpacksTooFar { .. } => "give --unpacked-max BYTES if you trust its author",
            Self::NoMemory => "end other programs, or record fewer events",
            Self::BadMagic => {
                "give a file recorded as ALTRACE1 or ALTRACE2, named .altrace or .altrace.zst"
            }
            Self::UnknownKind { kind: 9..=127 } => {
                "it may be of a newer recorder; use its version of loligo, or record again"
            }
            Self::BrokenLength { .. } => {
                "the recording was cut short; copy it again or record again"
            }
            _ => "the file is damaged or its recorder is broken; copy it again or record again",
        }
    }
}

impl TraceErrorKind {
    fn describe_of_version_2(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind { kind } => {
                write!(f, "unknown kind of record {kind}: 1 to 8 and from 128 on are known")
            }
            Self::SiteUnnamed { site, sites } => {
                write!(f, "call site {site}, of which {sites} are named so far")
            }
            Self::ObjectUnnamed { object, objects } => {
                write!(f, "allocator object {object}, of which {objects} are named so far")
            }
            Self::NameOutOfOrder { number, names } => {
                write!(f, "name number {number}, where {} belongs", names + 1)
            }
            Self::StackOutOfOrder { number, stacks } => {
                write!(f, "stack number {number}, where {} belongs", stacks + 1)
            }
            Self::StackUnknown { stack, stacks } => {
                write!(f, "stack {stack}, of which {stacks} are there so far")
            }
            Self::StackTooDeep { stack } => {
                write!(f, "stack {stack} has more than {STACK_FRAMES_MAX} frames")
            }
            Self::StackLength { length } => {
                write!(f, "a record of stacks of {length} bytes, which is no whole number of them")
            }
            Self::StacksMisplaced { first, count, covered, events } => write!(
                f,
                "{count} stacks of the events from {first} on, where {covered} events have theirs \
                 and {events} are there so far"
            ),
            Self::NoText => f.write_str("a name or note that is not UTF-8"),
            Self::NoteNameless => f.write_str("a note without `=` between name and value"),
            Self::NotZero { byte } => {
                write!(f, "byte {byte:#04x} where the format has zero")
            }
            Self::WrongCount { said, found } => {
                write!(f, "the last record counts {said} events, and there are {found}")
            }
            _ => f.write_str("bytes follow the last record"),
        }
    }
}

impl fmt::Display for TraceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot read: {error}"),
            Self::Compressed(error) => write!(f, "the compressed stream is damaged: {error}"),
            Self::UnpacksTooFar { bytes_max } => {
                write!(f, "it unpacks to more than {bytes_max} bytes")
            }
            Self::NoMemory => f.write_str("there is no memory for the records up to here"),
            Self::BadMagic => {
                f.write_str("bad magic: the file starts with neither ALTRACE1 nor ALTRACE2")
            }
            Self::BrokenLength { left_over } => write!(
                f,
                "broken length: {left_over} bytes are left where a record of {RECORD_BYTES} belongs"
            ),
            Self::UnknownOperation { op } => {
                write!(f, "unknown operation {op}: 1, 2, 3 and 4 are known")
            }
            Self::AlignmentTooGreat { align_log2 } => {
                write!(f, "alignment 2^{align_log2} is over 2^{ALIGN_LOG2_MAX}")
            }
            Self::AlignmentChanged { align_log2, block_align_log2 } => write!(
                f,
                "alignment 2^{align_log2}, but the block was allocated with 2^{block_align_log2}"
            ),
            Self::SlotTooHigh { slot, allocations } => {
                write!(f, "slot {slot} is above the number of allocations so far, {allocations}")
            }
            Self::SlotLive { slot } => {
                write!(f, "allocation into slot {slot}, whose block is alive")
            }
            Self::SlotDead { slot } => {
                write!(f, "free or reallocation of slot {slot}, which holds no live block")
            }
            Self::SizeZero => f.write_str("size 0 where a size of at least 1 belongs"),
            Self::SizeTooGreat { bytes } => write!(f, "size {bytes} is over 2^47"),
            Self::SizeOfFree { bytes } => {
                write!(f, "size {bytes} in a free, where zero belongs")
            }
            Self::TooMuchLive => f.write_str("the live blocks together are over 2^63 bytes"),
            Self::UnknownKind { .. }
            | Self::SiteUnnamed { .. }
            | Self::ObjectUnnamed { .. }
            | Self::NameOutOfOrder { .. }
            | Self::StackOutOfOrder { .. }
            | Self::StackUnknown { .. }
            | Self::StackTooDeep { .. }
            | Self::StackLength { .. }
            | Self::StacksMisplaced { .. }
            | Self::NoText
            | Self::NoteNameless
            | Self::NotZero { .. }
            | Self::WrongCount { .. }
            | Self::AfterEnd => self.describe_of_version_2(f),
        }
    }
}
