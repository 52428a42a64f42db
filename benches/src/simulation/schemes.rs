//! The schemes that are compared.

use clap::ValueEnum;

use crate::simulation::machine::{LINE_BYTES, Line, Place};
use crate::simulation::{Block, Scheme};

mod batches;
mod bits;
mod one_lock;
mod page_lists;

/// Bytes that a heap takes at once when it has no free block.
const PAGE_BYTES: u32 = 4096;

/// The names of the schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemeName {
    /// A bit for each block, as `ThreadHeap` has it.
    Bits,
    /// A list for each page, linked through the freed blocks, as mimalloc has it.
    PageLists,
    /// Lists of freed blocks that are sent when they are long, as snmalloc has it.
    Batches,
    /// One heap under a lock.
    OneLock,
}

impl SchemeName {
    /// All schemes.
    pub(crate) const ALL: [Self; 4] = [Self::Bits, Self::PageLists, Self::Batches, Self::OneLock];

    /// Returns the name in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::PageLists => "page-lists",
            Self::Batches => "batches",
            Self::OneLock => "one-lock",
        }
    }

    /// Returns the scheme with `heaps` heaps that have no blocks yet.
    pub(crate) fn make(self, heaps: u32, block_bytes: u32) -> Box<dyn Scheme> {
        match self {
            Self::Bits => Box::new(bits::Bits::new(heaps, block_bytes)),
            Self::PageLists => Box::new(page_lists::PageLists::new(heaps, block_bytes)),
            Self::Batches => Box::new(batches::Batches::new(heaps, block_bytes)),
            Self::OneLock => Box::new(one_lock::OneLock::new(block_bytes)),
        }
    }
}

/// The blocks of a heap that nobody has.
#[derive(Debug, Default)]
struct FreeBlocks {
    /// The one freed last is used first.
    free: Vec<u32>,
    fresh: u32,
}

impl FreeBlocks {
    /// Adds blocks of memory that was never used.
    fn grow(&mut self, blocks: u32) {
        let end = self.fresh + blocks;
        self.free.extend((self.fresh..end).rev());
        self.fresh = end;
    }
}

/// Returns the first line of a block, where the program writes and a link would be.
pub(super) fn line_of_block(block: Block, block_bytes: u32) -> Line {
    let lines = block_bytes.div_ceil(LINE_BYTES);
    Line(Place::Block, block.heap, block.index * lines)
}
