//! Why a trace is refused.

use core::error::Error;
use core::fmt;
use std::io;

use super::{ALIGN_LOG2_MAX, MAGIC, RECORD_BYTES};

/// A trace that cannot be used: which, where in it, and why.
#[derive(Debug)]
pub struct TraceError {
    /// The file or name.
    pub file: String,
    /// The record that is wrong, counted from 0, where one is.
    pub record: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

impl TraceError {
    pub(super) fn new(file: &str, record: Option<u64>, fault: Fault) -> Self {
        Self { file: file.to_owned(), record, fault }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let Some(record) = self.record {
            let offset = MAGIC.len() as u64 + record * RECORD_BYTES as u64;
            write!(f, "record {record} (counted from 0, at byte {offset}): ")?;
        }
        write!(f, "{}; {}", self.fault, self.fault.remedy())
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.fault {
            Fault::Unreadable(error) | Fault::Compressed(error) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong with a trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be opened or read.
    Unreadable(io::Error),
    /// The compressed stream is damaged or cut.
    Compressed(io::Error),
    /// The file does not start with [`MAGIC`].
    BadMagic,
    /// The length is not 8 + 16 n: so many bytes are left after the last whole record.
    BrokenLength {
        /// Bytes after the last whole record.
        left_over: usize,
    },
    /// The operation is none of 1 to 4.
    UnknownOperation {
        /// The byte that stands there.
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
}

impl Fault {
    /// Returns what to do about it.
    fn remedy(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "check the path and the file's permissions",
            Self::Compressed(_) => "copy the file anew, or compress the recording again with zstd",
            Self::BadMagic => "give a file recorded as ALTRACE1, named .altrace or .altrace.zst",
            Self::BrokenLength { .. } => {
                "the recording was cut short; copy it anew or record again"
            }
            _ => "the file is damaged or its recorder is broken; copy it anew or record again",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot read: {error}"),
            Self::Compressed(error) => write!(f, "the compressed stream is damaged: {error}"),
            Self::BadMagic => f.write_str("bad magic: the file does not start with ALTRACE1"),
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
        }
    }
}
