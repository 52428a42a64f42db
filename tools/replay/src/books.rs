//! From addresses to slots: what every recorder of addresses needs to write a trace.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use crate::trace::{ALIGN_LOG2_MAX, BLOCK_BYTES_MAX, Details, Event, Op, TraceWriter};

/// What was written, in figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Events of all kinds.
    pub events: u64,
    /// Threads that had any.
    pub threads: usize,
    /// The greatest sum of the sizes of live blocks.
    pub peak_bytes: u64,
    /// The greatest number of live blocks.
    pub peak_blocks: usize,
    /// Blocks that were allocated.
    pub allocations: u64,
    /// How often each size was allocated.
    pub sizes: BTreeMap<u64, u64>,
    /// Call sites that have names.
    pub sites: usize,
    /// Events whose call site is in the program's own file and not in a library; 0 where that is
    /// not known.
    pub program_events: u64,
    /// Frame marks.
    pub marks: u64,
    /// Frees of blocks whose allocation was not recorded; they are left out.
    pub strangers: u64,
    /// Blocks whose free was not recorded; it is written where their address was given out again.
    pub overlaid: u64,
    /// Why the recording ends before the program did.
    pub stopped: Option<&'static str>,
}

impl Summary {
    /// Returns the size that a share of all allocations does not exceed, of `percent` from 1 to
    /// 100; 0 where nothing was allocated.
    ///
    /// # Complexity
    ///
    /// O(different sizes).
    #[must_use]
    pub fn size_percentile(&self, percent: u64) -> u64 {
        let wanted = (self.allocations * percent).div_ceil(100);
        let mut so_far = 0;
        for (&bytes, count) in &self.sizes {
            so_far += count;
            if so_far >= wanted {
                return bytes;
            }
        }
        0
    }
}

/// Thread, call site and time of an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Who {
    /// Whatever number the recorder has for the thread.
    pub(crate) thread: u64,
    pub(crate) site: u32,
    pub(crate) time_ns: u64,
    /// The call stack, 0 where none is recorded.
    pub(crate) stack: u32,
}

/// A live block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    slot: u32,
    bytes: u64,
    align_log2: u8,
}

/// Writes a trace from events that name blocks by their addresses, or by anything that is unique
/// among live blocks.
pub(crate) struct Books<W: Write> {
    pub(crate) writer: TraceWriter<W>,
    pub(crate) summary: Summary,
    live: HashMap<u64, Block>,
    /// More than 2^17 blocks of the greatest size are more than 2^64 bytes.
    live_bytes: u128,
    free_slots: Vec<u32>,
    next_slot: u32,
    threads: HashMap<u64, u16>,
}

impl<W: Write> Books<W> {
    pub(crate) fn new(writer: TraceWriter<W>) -> Self {
        Self {
            writer,
            summary: Summary::default(),
            live: HashMap::new(),
            live_bytes: 0,
            free_slots: Vec::new(),
            next_slot: 0,
            threads: HashMap::new(),
        }
    }

    /// Writes an allocation. A block that is alive at the same address is freed first: its free was
    /// not recorded.
    pub(crate) fn allocate(
        &mut self,
        address: u64,
        (op, align_log2, bytes): (Op, u8, u64),
        who: Who,
    ) -> io::Result<()> {
        if self.live.contains_key(&address) {
            self.summary.overlaid += 1;
            self.free(address, who)?;
        }
        let slot = match self.free_slots.pop() {
            Some(slot) => slot,
            None => {
                let next = self.next_slot.checked_add(1).ok_or(io::ErrorKind::FileTooLarge)?;
                core::mem::replace(&mut self.next_slot, next)
            }
        };
        let bytes = bytes.clamp(1, BLOCK_BYTES_MAX);
        let block = Block { slot, bytes, align_log2: align_log2.min(ALIGN_LOG2_MAX) };
        self.keep(address, block)?;
        self.summary.allocations += 1;
        *self.summary.sizes.entry(bytes).or_default() += 1;
        self.event(op, block, bytes, who)
    }

    /// Writes a free; a block that is not known is counted and left out.
    pub(crate) fn free(&mut self, address: u64, who: Who) -> io::Result<()> {
        let Some(block) = self.lift(address) else {
            self.summary.strangers += 1;
            return Ok(());
        };
        self.free_lifted(block, who)
    }

    /// Writes the free of a block that is out of the books.
    pub(crate) fn free_lifted(&mut self, block: Block, who: Who) -> io::Result<()> {
        self.free_slots.push(block.slot);
        self.event(Op::Free, block, 0, who)
    }

    /// Takes a block out of the books, as its address may be another's from now on.
    pub(crate) fn lift(&mut self, address: u64) -> Option<Block> {
        let block = self.live.remove(&address)?;
        self.live_bytes -= u128::from(block.bytes);
        Some(block)
    }

    /// Enters a block that was lifted, unchanged.
    pub(crate) fn put_back(&mut self, address: u64, block: Block) -> io::Result<()> {
        self.keep(address, block)
    }

    /// Writes the reallocation of a block that was lifted.
    pub(crate) fn land(
        &mut self,
        address: u64,
        block: Block,
        bytes: u64,
        who: Who,
    ) -> io::Result<()> {
        if self.live.contains_key(&address) {
            self.summary.overlaid += 1;
            self.free(address, who)?;
        }
        let bytes = bytes.clamp(1, BLOCK_BYTES_MAX);
        self.keep(address, Block { bytes, ..block })?;
        self.event(Op::Reallocate, block, bytes, who)
    }

    /// Writes a frame mark.
    pub(crate) fn mark(&mut self, value: u64, who: Who) -> io::Result<()> {
        self.summary.marks += 1;
        let thread = self.thread(who.thread);
        self.writer.mark(thread, value, who.time_ns)
    }

    /// Writes the end, and returns the figures and what was written to.
    pub(crate) fn finish(mut self) -> io::Result<(Summary, W)> {
        self.summary.threads = self.threads.len();
        Ok((self.summary, self.writer.finish()?))
    }

    fn keep(&mut self, address: u64, block: Block) -> io::Result<()> {
        self.live.try_reserve(1).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.live.insert(address, block);
        self.live_bytes += u128::from(block.bytes);
        let live_bytes = u64::try_from(self.live_bytes).unwrap_or(u64::MAX);
        self.summary.peak_bytes = self.summary.peak_bytes.max(live_bytes);
        self.summary.peak_blocks = self.summary.peak_blocks.max(self.live.len());
        Ok(())
    }

    fn event(&mut self, op: Op, block: Block, bytes: u64, who: Who) -> io::Result<()> {
        self.summary.events += 1;
        let thread = self.thread(who.thread);
        let event = Event { op, align_log2: block.align_log2, thread, slot: block.slot, bytes };
        let Who { site, time_ns, stack, .. } = who;
        self.writer.event(event, Details { site, object: 0, time_ns, stack })
    }

    /// Returns the number of a thread, in order of their first events. Those beyond 65 535 are one.
    fn thread(&mut self, thread: u64) -> u16 {
        let next = u16::try_from(self.threads.len()).unwrap_or(u16::MAX);
        *self.threads.entry(thread).or_insert(next)
    }
}

#[cfg(test)]
mod tests;
