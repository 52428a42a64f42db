//! A pointer is kept after the free: a missile goes on to its target, which is gone.

use loligo_allocators::{AllocError, Allocator, HeapAllocator, PageAllocator, QuarantineAllocator};

use crate::raw;

/// An enemy dies, a door is made, and then the missile arrives.
fn level(memory: &dyn Allocator) -> Result<String, AllocError> {
    let enemy = raw::take(memory, 32)?;
    let target = enemy;
    raw::free(memory, enemy);
    let door = raw::take(memory, 32)?;
    raw::put(door, 2, 0);
    // The bug: nobody told the missile.
    raw::put(target, 2, 50);
    let locked = raw::get(door, 2);
    raw::free(memory, door);
    Ok(format!("the door's lock was 0 and is {locked}"))
}

/// The heap reuses the block freed last, so the door is at the address of the enemy.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    level(&heap)
}

/// Freed blocks have no new owner for a while, so the write is detected as a late write.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let held = QuarantineAllocator::new("level", 1000, 1 << 20, &heap, &pages)?;
    let seen = level(&held)?;
    // A game does this once a frame.
    held.check();
    Ok(seen)
}
