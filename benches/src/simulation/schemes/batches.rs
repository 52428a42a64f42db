//! Lists of freed blocks that are sent to their owners when they are long.
//!
//! From P. Lietar and others, "snmalloc: A Message Passing Allocator", 2019: a thread links a block
//! of another one into a private list for that owner, and once all such blocks have a number of bytes
//! together it appends each list to the owner's queue, by one exchange of the queue's end. The owner
//! follows the links when it has no free block, without an atomic operation.
//!
//! What waits in the lists of senders cannot be reused, which this model does not charge for.

use crate::simulation::machine::Access::{Atomic, Read, Write};
use crate::simulation::machine::{Bill, LINE_BYTES, Line, Machine, Place};
use crate::simulation::schemes::{FreeBlocks, PAGE_BYTES, line_of_block};
use crate::simulation::{Block, Scheme, Thread};

/// Bytes of blocks that a thread keeps until it sends them.
const SENT_BYTES: u32 = 64 << 10;

/// Bytes of memory that an entry of the page map is for, and of the entry.
const CHUNK_BYTES: u32 = 16 << 10;
const ENTRY_BYTES: u32 = 16;

/// The heaps.
#[derive(Debug)]
pub(super) struct Batches {
    heaps: Vec<Heap>,
    block_bytes: u32,
}

/// A heap with what it has to send and what it was sent.
#[derive(Debug, Default)]
struct Heap {
    blocks: FreeBlocks,
    /// By owner, those that have blocks.
    to_send: Vec<(u32, Vec<u32>)>,
    to_send_bytes: u32,
    /// In the order in which they were sent.
    queue: Vec<u32>,
    /// The last block that was ever sent, into which the next sender writes the link.
    last: Option<u32>,
}

impl Batches {
    /// Returns heaps without blocks.
    pub(super) fn new(heaps: u32, block_bytes: u32) -> Self {
        Self { heaps: (0..heaps).map(|_| Heap::default()).collect(), block_bytes }
    }

    fn line_of(&self, heap: u32, index: u32) -> Line {
        line_of_block(Block { heap, index }, self.block_bytes)
    }

    fn free_own(&mut self, core: u32, block: Block, machine: &mut Machine) {
        machine.access(core, self.line_of(block.heap, block.index), Write);
        machine.access(core, Line(Place::Heap, block.heap, 0), Write);
        self.heaps[block.heap as usize].blocks.free.push(block.index);
    }

    fn free_foreign(&mut self, thread: Thread, block: Block, machine: &mut Machine) {
        let Thread { heap, core } = thread;
        self.look_up(core, block, machine);
        machine.access(core, self.line_of(block.heap, block.index), Write);
        machine.access(core, Line(Place::Heap, heap, 1), Write);
        let own = &mut self.heaps[heap as usize];
        match own.to_send.iter_mut().find(|(owner, _)| *owner == block.heap) {
            Some((_, blocks)) => blocks.push(block.index),
            None => own.to_send.push((block.heap, vec![block.index])),
        }
        own.to_send_bytes += self.block_bytes;
        if own.to_send_bytes >= SENT_BYTES {
            self.send(thread, machine);
        }
    }

    /// Reads which heap a block belongs to.
    fn look_up(&self, core: u32, block: Block, machine: &mut Machine) {
        let entry = block.index * self.block_bytes / CHUNK_BYTES;
        let line = entry / (LINE_BYTES / ENTRY_BYTES);
        machine.access(core, Line(Place::Directory, block.heap, line), Read);
    }

    fn send(&mut self, thread: Thread, machine: &mut Machine) {
        let own = &mut self.heaps[thread.heap as usize];
        own.to_send_bytes = 0;
        for (owner, blocks) in core::mem::take(&mut own.to_send) {
            machine.access(thread.core, Line(Place::Inbox, owner, 0), Atomic);
            let receiver = &mut self.heaps[owner as usize];
            if let Some(before) = core::mem::replace(&mut receiver.last, blocks.last().copied()) {
                machine.access(thread.core, self.line_of(owner, before), Write);
            }
            self.heaps[owner as usize].queue.extend(blocks);
        }
    }

    fn receive(&mut self, thread: Thread, machine: &mut Machine) {
        let Thread { heap, core } = thread;
        machine.access(core, Line(Place::Inbox, heap, 0), Read);
        for index in core::mem::take(&mut self.heaps[heap as usize].queue) {
            machine.access(core, self.line_of(heap, index), Read);
            self.look_up(core, Block { heap, index }, machine);
            self.free_own(core, Block { heap, index }, machine);
        }
    }
}

impl Scheme for Batches {
    fn allocate(&mut self, thread: Thread, machine: &mut Machine) -> Block {
        let Thread { heap, core } = thread;
        machine.access(core, Line(Place::Heap, heap, 0), Write);
        if self.heaps[heap as usize].blocks.free.is_empty() {
            machine.billed(Bill::HandOver, |machine| self.receive(thread, machine));
        }
        let blocks = &mut self.heaps[heap as usize].blocks;
        let index = blocks.free.pop().unwrap_or_else(|| {
            blocks.grow(PAGE_BYTES / self.block_bytes);
            blocks.free.pop().expect("a page has a block")
        });
        machine.access(core, self.line_of(heap, index), Read);
        Block { heap, index }
    }

    fn free(&mut self, thread: Thread, block: Block, machine: &mut Machine) {
        if thread.heap == block.heap {
            self.free_own(thread.core, block, machine);
        } else {
            self.free_foreign(thread, block, machine);
        }
    }
}
