//! The allocator's own structure is overwritten, and the program goes on for a while.

use loligo_allocators::{AllocError, Allocator, HeapAllocator, PageAllocator, VerifyAllocator};

use crate::raw::{self, Block};

/// The numbers in a tile.
const NUMBERS: usize = 8 << 10;

/// Makes room for 100 tiles, then loads each.
fn level(memory: &dyn Allocator) -> Result<(), AllocError> {
    let mut tiles = Vec::new();
    for _ in 0..100 {
        tiles.push(raw::take(memory, 4 * NUMBERS)?);
    }
    for (number, tile) in tiles.into_iter().enumerate() {
        let row = raw::take(memory, 256)?;
        load(tile, number);
        raw::free(memory, row);
    }
    Ok(())
}

/// Writes a tile. The bug: one of them has a row more than there is room for.
fn load(tile: Block, number: usize) {
    let count = if number == 70 { NUMBERS + 4 } else { NUMBERS };
    (0..count).for_each(|index| raw::put(tile, index, 5));
}

/// The level runs to its end; the heap is checked there, before the next free of a tile finds it.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    level(&heap)?;
    let found = heap.verify();
    // It cannot give its blocks back any more, nor its region.
    core::mem::forget(heap);
    core::mem::forget(pages);
    let found = found.map_or_else(|damage| damage.to_string(), |()| "all is sound".to_owned());
    Ok(format!("after 300 calls the heap finds: {found}"))
}

/// At a fixed interval of calls the heap is checked; from run to run the interval is reduced.
pub(crate) fn hunted<const INTERVAL: u64>() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let checked = VerifyAllocator::new("level", INTERVAL, &heap);
    level(&checked)?;
    Ok("it went through".to_owned())
}
