//! An object is never freed, and many places allocate: which one allocated it?

use core::panic::Location;

use loligo_allocators::{
    AllocError, Allocator, HeapAllocator, PageAllocator, Sites, TraceAllocator,
};

use crate::raw;

/// Plays a level and leaves it.
fn level(memory: &dyn Allocator) -> Result<(), AllocError> {
    let ground = raw::take(memory, 3000)?;
    let trees = raw::take(memory, 2000)?;
    // The bug: nothing keeps track of the sky.
    let _sky = raw::take(memory, 5000)?;
    let water = raw::take(memory, 1000)?;
    [ground, trees, water].into_iter().for_each(|block| raw::free(memory, block));
    Ok(())
}

/// The heap counts, as every allocator does.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    level(&heap)?;
    let live = heap.stats().live;
    // Dropped with it, the heap would panic, and tell address and size.
    free_what_is_left(&heap);
    Ok(format!("{live} block is left, whose we do not know"))
}

/// The first run reports the site and the number, the second stops there.
pub(crate) fn traced() -> Result<String, AllocError> {
    let number = run_until(u64::MAX)?;
    run_until(number)?;
    Ok(format!("and allocation {number} is where a debugger stopped in the second run"))
}

/// Returns the number of the oldest allocation that is left.
fn run_until(number: u64) -> Result<u64, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let trace = TraceAllocator::new("level", &heap, &pages);
    trace.break_at(number, asked);
    level(&trace)?;
    let mut oldest = u64::MAX;
    trace.walk_sites(&mut |usage| oldest = usage.oldest);
    if number == u64::MAX {
        println!("{}", trace.report());
    }
    free_what_is_left(&trace);
    Ok(oldest)
}

fn free_what_is_left(memory: &dyn Allocator) {
    let mut left = None;
    memory.walk(&mut |block| left = Some(block.address));
    left.into_iter().for_each(|address| raw::free_at(memory, address));
}

/// A breakpoint goes here.
fn asked(number: u64, site: &'static Location<'static>) {
    println!("allocation {number} is asked for from {site}");
}

/// No wrapper at all: the heap itself keeps the sites, and its drop reports them.
pub(crate) fn with_sites() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("level", &pages).with_sites(Sites::new(&pages));
    level(&heap)?;
    Ok(String::new())
}
