//! The cost of handing a block back to its owner, by cores, computed: what a machine with few cores
//! cannot show.
//!
//! ```sh
//! suites simulate                         # all schemes, 1 to 64 cores: half a minute
//! suites simulate --across-ns 200 --touch # a slower second socket; receivers write their blocks
//! ```
//!
//! A [`Machine`] has caches and no other costs: an access to a line that another core has modified is
//! a transfer, any other one a hit. Time is virtual, and the core whose clock is earliest does the
//! next call, so a run is a function of its parameters. Each [`Scheme`] touches the lines that its
//! protocol names, over the same two patterns of calls.
//!
//! Left out: misses to memory and to the sizes of caches (each line stays in a cache that had it),
//! instructions between the accesses, stores that a core does not wait for, prefetching, requests
//! that meet on the links between cores, a failed compare-and-swap (it waits for the line and
//! succeeds), and the program's own work, apart from its first write to each block. A call is one
//! event, so what two calls do at the same time to several lines is not interleaved.

use crate::simulation::machine::Machine;

pub(crate) mod machine;
pub(crate) mod pattern;
pub(crate) mod report;
mod schemes;

/// A caller: a heap, and the core on which its thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) heap: u32,
    pub(crate) core: u32,
}

/// A block: its heap and its number in the heap's memory, in units of the block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) heap: u32,
    pub(crate) index: u32,
}

/// How a heap serves threads, by the lines that it touches.
pub(crate) trait Scheme {
    /// Returns a block for a thread. What takes back blocks of other threads is billed as such.
    fn allocate(&mut self, thread: Thread, machine: &mut Machine) -> Block;

    /// Frees a block, which `thread` did not necessarily allocate.
    fn free(&mut self, thread: Thread, block: Block, machine: &mut Machine);
}

#[cfg(test)]
mod tests;
