//! Many blocks of one size freed in order, each next to one that stays.

use core::ptr::NonNull;

use crate::blocks::{Blocks, look_at, words, write_first};
use crate::clock;
use crate::contender::Pass;

/// How many blocks are freed.
pub(crate) const FREED: usize = 5000;

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: u32 = 64;

/// Takes twice [`FREED`] blocks, frees every second in the order in which they were taken, and
/// takes the time of that. The buddy of a block freed is alive, so each is left as it is: a free
/// list that is searched for the buddy grows with every block. The others are freed outside of the
/// time.
pub(crate) fn free_every_second<B: Blocks>(allocator: &mut B) -> Pass {
    let layout = words(BLOCK_BYTES);
    let mut take = || {
        let block = allocator.allocate(layout);
        // SAFETY: the block is fresh and 64 bytes long.
        unsafe { write_first(block, 1) };
        block
    };
    let pairs: Vec<[NonNull<u8>; 2]> = (0..FREED).map(|_| [take(), take()]).collect();
    let ns = clock::time(|| {
        for [freed, _] in &pairs {
            // SAFETY: the block was taken above with this layout and is freed once.
            unsafe { allocator.free(*freed, layout) };
            look_at(allocator);
        }
    });
    for [_, stayed] in &pairs {
        // SAFETY: as above.
        unsafe { allocator.free(*stayed, layout) };
    }
    Pass { ns, operations: 1 }
}
