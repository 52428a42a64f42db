//! A block has two owners, and both free it; in between it got a third owner.

use loligo_allocators::{AllocError, Allocator, HeapAllocator, PageAllocator, QuarantineAllocator};

use crate::raw;

/// A mesh and its copy share a buffer.
fn level(memory: &dyn Allocator) -> Result<String, AllocError> {
    let buffer = raw::take(memory, 48)?;
    let copy = buffer;
    raw::free(memory, buffer);
    let music = raw::take(memory, 48)?;
    raw::put(music, 4, 440);
    // The bug: the copy frees it too. The heap sees a block that is live, and takes it.
    raw::free(memory, copy);
    let speech = raw::take(memory, 48)?;
    raw::put(speech, 4, 180);
    let heard = raw::get(music, 4);
    raw::free(memory, speech);
    Ok(format!("the music's tone was 440 and is {heard}"))
}

/// Music and speech now share one block.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    level(&heap)
}

/// A block that waits has no new owner, so the second free finds it free.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let held = QuarantineAllocator::new("level", 1000, 1 << 20, &heap, &pages)?;
    level(&held)
}
