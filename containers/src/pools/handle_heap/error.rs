//! What can go wrong with a heap of relocatable blocks.

use core::error::Error;
use core::fmt;

use loligo_ids::InsertError;

use super::BlockId;
use crate::error::GrowError;

/// A block could not be allocated or resized. All blocks are as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleHeapError {
    /// The alignment is not a power of two, or is greater than the maximum.
    Align {
        /// What was asked for.
        align: u64,
        /// The greatest that there is.
        limit: u64,
    },
    /// More bytes than a block may have.
    Length {
        /// How many were asked for.
        bytes: u64,
        /// The most that a block may have.
        limit: u64,
    },
    /// No hole is large enough, and the buffer could not grow.
    Memory {
        /// What the block needs, its head included.
        bytes: u64,
        /// The bytes of all holes together.
        hole_bytes: u64,
        /// Those of the largest hole: if all together would do, compaction helps.
        largest_hole_bytes: u64,
        /// Why the buffer could not grow.
        cause: GrowError,
    },
    /// A block that is pinned would have to move to be resized.
    Pinned {
        /// What was asked for.
        bytes: u64,
        /// The block, or one of them.
        pinned: BlockId,
        /// How many blocks are pinned.
        pinned_blocks: u32,
    },
    /// The table of ids could not grow.
    Ids(InsertError),
    /// The block cannot be resized since its id names none.
    Block(BlockError),
}

impl fmt::Display for HandleHeapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Align { align, limit } => {
                write!(f, "blocks are aligned to a power of two up to {limit}, not to {align}")
            }
            Self::Length { bytes, limit } => {
                write!(f, "{bytes} bytes were wanted where a block has {limit} at most")
            }
            Self::Memory { bytes, hole_bytes, largest_hole_bytes, cause } => write!(
                f,
                "no hole has the {bytes} bytes that the block takes: there are {hole_bytes} in all \
                 holes, {largest_hole_bytes} in the largest; compact the heap or free blocks, as \
                 the buffer cannot grow: {cause}"
            ),
            Self::Pinned { bytes, pinned, pinned_blocks } => write!(
                f,
                "for {bytes} bytes a block would have to move that is pinned: {pinned:?}, one of \
                 {pinned_blocks}"
            ),
            Self::Ids(cause) => write!(f, "there is no id for the block: {cause}"),
            Self::Block(cause) => cause.fmt(f),
        }
    }
}

impl Error for HandleHeapError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Memory { cause, .. } => Some(cause),
            Self::Ids(cause) => Some(cause),
            _ => None,
        }
    }
}

/// A block cannot be freed, pinned or unpinned. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// The id names no block of this heap: it was freed, or never was one.
    Stale {
        /// The id.
        id: BlockId,
    },
    /// The block is pinned, and so cannot be freed; or as often as can be counted.
    Pinned {
        /// The block.
        id: BlockId,
        /// How often it is pinned.
        pins: u16,
    },
    /// The block is not pinned, so no pin can be taken back.
    NotPinned {
        /// The block.
        id: BlockId,
    },
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale { id } => write!(f, "{id:?} names no block of this heap"),
            Self::Pinned { id, pins } => write!(f, "the block {id:?} is pinned {pins} times"),
            Self::NotPinned { id } => write!(f, "the block {id:?} is not pinned"),
        }
    }
}

impl Error for BlockError {}

/// What [`HandleHeap::validate`](super::HandleHeap::validate) found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HandleHeapDamage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// Where in the buffer, in bytes, the nearest block or hole begins.
    pub offset: u64,
}

impl fmt::Display for HandleHeapDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl Error for HandleHeapDamage {}
