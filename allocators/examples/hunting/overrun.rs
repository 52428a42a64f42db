//! A buffer is a byte too small: room is made for a name, and its closing zero is written as well.

use loligo_allocators::{
    AllocError, Allocator, CanaryAllocator, HeapAllocator, PageAllocator, VerifyAllocator,
};

use crate::raw::{self, Block};

/// Copies a name. The bug: it asks for one byte less than it writes.
fn copied(memory: &dyn Allocator, name: &str) -> Result<Block, AllocError> {
    let block = raw::take(memory, name.len())?;
    for (index, byte) in name.bytes().chain([0]).enumerate() {
        raw::put_byte(block, index, byte);
    }
    Ok(block)
}

/// A player has a score, and then a name.
fn level(memory: &dyn Allocator) -> Result<String, AllocError> {
    let seat = raw::take(memory, 16)?;
    let score = raw::take(memory, 16)?;
    raw::put(score, 0, 1023);
    raw::free(memory, seat);
    let name = copied(memory, "Loligo vulgaris!")?;
    let seen = raw::get(score, 0);
    raw::free(memory, name);
    raw::free(memory, score);
    Ok(format!("the score was 1023 and is {seen}"))
}

/// As a player sees it.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    level(&heap)
}

/// The level gets the heap with guards around its blocks; everything else is unchanged.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let guarded = CanaryAllocator::new("level", &heap);
    level(&guarded)
}

/// One line more: the guards of all blocks are checked in every call, not only when a block is
/// freed.
pub(crate) fn hunted_at_once() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let guarded = CanaryAllocator::new("guarded", &heap);
    let checked = VerifyAllocator::new("level", 1, &guarded);
    level(&checked)
}
