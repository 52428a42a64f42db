//! The same bug over several allocators: those that show it and those that hide it identify it.

use loligo_allocators::{
    AllocError, Allocator, BuddyAllocator, FrameAllocator, HeapAllocator, PageAllocator,
};

use crate::raw;

/// Writes 13 numbers into room for 12; says what became of the block that was made next.
fn level(memory: &dyn Allocator) -> Result<&'static str, AllocError> {
    let (numbers, next) = (raw::take(memory, 48)?, raw::take(memory, 48)?);
    raw::put(next, 0, 0);
    (0..13).for_each(|index| raw::put(numbers, index, 13));
    let seen = if raw::get(next, 0) == 0 { "hides" } else { "shows" };
    raw::free(memory, numbers);
    raw::free(memory, next);
    Ok(seen)
}

/// Over the heap a number of another owner is wrong.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    Ok(format!("over the heap it {}", level(&HeapAllocator::new("heap", &pages))?))
}

/// Those that hide it round 48 bytes up, to 64 and to a page: so it is a write just past a block.
pub(crate) fn swapped() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let frame = FrameAllocator::new("frame", 64 << 10, &pages)?;
    let buddy = BuddyAllocator::new("buddy", 64 << 10, 64, &pages).map_err(|_| AllocError)?;
    let bases: [&dyn Allocator; 4] = [&heap, &frame, &buddy, &pages];
    let mut told = Vec::new();
    for base in bases {
        told.push(format!("{}: {}", base.name(), level(base)?));
    }
    Ok(told.join(", "))
}
