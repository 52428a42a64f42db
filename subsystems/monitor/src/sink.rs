//! What a recorder asks of the monitor that it belongs to.

use crate::error::MonitorError;
use crate::name::Name;
use crate::slot::Slot;

/// Where a recorder writes: a block that is its own until it hands it in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// The first slot of the block.
    pub(crate) start: *mut Slot,
    /// How many slots it has.
    pub(crate) slots: u32,
}

/// The monitor as a recorder sees it, whatever its allocator is.
pub(crate) trait Sink {
    /// Takes the first `used` slots of a thread's block, and returns a block with the head of a new
    /// run in it. The block from before is no longer the recorder's.
    fn hand_in(&self, thread: u32, used: u32, core: u32, stamp: u64) -> Room;

    /// Takes the first `used` slots of a thread's block, and the block: the thread has ended.
    fn close(&self, thread: u32, used: u32);

    /// Returns the name of a text that is not static.
    fn name(&self, text: &str) -> Result<Name, MonitorError>;
}
