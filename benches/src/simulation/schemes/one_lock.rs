//! One heap under a lock, for all threads.
//!
//! A thread that finds the lock taken waits until it is free, in the order of the clocks. What
//! waiting threads do to the lock's line meanwhile is left out, and so is putting them to sleep.

use crate::simulation::machine::Access::{Atomic, Write};
use crate::simulation::machine::{LINE_BYTES, Line, Machine, Place};
use crate::simulation::schemes::{FreeBlocks, PAGE_BYTES};
use crate::simulation::{Block, Scheme, Thread};

/// Bytes of blocks that a line of live bits is for.
const LIVE_LINE_BYTES: u32 = LINE_BYTES * 8 * 16;

/// The heap with its lock.
#[derive(Debug)]
pub(super) struct OneLock {
    blocks: FreeBlocks,
    locked_until: u64,
    block_bytes: u32,
}

impl OneLock {
    /// Returns a heap without blocks.
    pub(super) fn new(block_bytes: u32) -> Self {
        Self { blocks: FreeBlocks::default(), locked_until: 0, block_bytes }
    }

    /// Does something with the heap while a core has the lock.
    fn locked<T>(
        &mut self,
        core: u32,
        machine: &mut Machine,
        act: impl FnOnce(&mut FreeBlocks, &mut Machine) -> T,
    ) -> T {
        let lock = Line(Place::Lock, 0, 0);
        machine.wait(core, self.locked_until);
        machine.access(core, lock, Atomic);
        machine.access(core, Line(Place::Heap, 0, 0), Write);
        let done = act(&mut self.blocks, machine);
        machine.access(core, lock, Write);
        self.locked_until = machine.clock(core);
        done
    }

    /// Writes the live bit of a block.
    fn write_live(core: u32, index: u32, block_bytes: u32, machine: &mut Machine) {
        let line = index * block_bytes / LIVE_LINE_BYTES;
        machine.access(core, Line(Place::Live, 0, line), Write);
    }
}

impl Scheme for OneLock {
    fn allocate(&mut self, thread: Thread, machine: &mut Machine) -> Block {
        let block_bytes = self.block_bytes;
        let index = self.locked(thread.core, machine, |blocks, machine| {
            let index = blocks.free.pop().unwrap_or_else(|| {
                blocks.grow(PAGE_BYTES / block_bytes);
                blocks.free.pop().expect("a page has a block")
            });
            Self::write_live(thread.core, index, block_bytes, machine);
            index
        });
        Block { heap: 0, index }
    }

    fn free(&mut self, thread: Thread, block: Block, machine: &mut Machine) {
        let block_bytes = self.block_bytes;
        self.locked(thread.core, machine, |blocks, machine| {
            Self::write_live(thread.core, block.index, block_bytes, machine);
            blocks.free.push(block.index);
        });
    }
}
