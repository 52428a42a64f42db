//! The code for exhausted memory was never run: a list loses its contents, and leaks them.

use loligo_allocators::{
    AllocError, Allocator, FailingAllocator, HeapAllocator, PageAllocator, Refusals, TraceAllocator,
};

use crate::raw::{self, Block};

/// A list of numbers that doubles when it is full.
#[derive(Default)]
struct List {
    block: Option<Block>,
    count: usize,
    room: usize,
}

impl List {
    fn push(&mut self, memory: &dyn Allocator, number: u32) -> Result<(), AllocError> {
        if self.count == self.room {
            let room = (2 * self.room).max(4);
            // The bug: it lets go of the old block before it has the new one.
            let grown = match self.block.take() {
                Some(block) => raw::resize(memory, block, 4 * self.room, 4 * room)?,
                None => raw::take(memory, 4 * room)?,
            };
            (self.block, self.room) = (Some(grown), room);
        }
        let block = self.block.ok_or(AllocError)?;
        raw::put(block, self.count, number);
        self.count += 1;
        Ok(())
    }

    fn clear(self, memory: &dyn Allocator) {
        self.block.into_iter().for_each(|block| raw::free(memory, block));
    }
}

/// Fills a list; returns how many numbers it has and how many it can show.
fn level(memory: &dyn Allocator) -> (usize, usize) {
    let mut list = List::default();
    let pushed = (0..10).take_while(|&number| list.push(memory, number).is_ok()).count();
    let shown = if list.block.is_some() { list.count } else { 0 };
    list.clear(memory);
    (pushed, shown)
}

/// There is always enough memory on the developer's machine.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let (pushed, shown) = level(&heap);
    Ok(format!("{pushed} numbers were pushed, {shown} are in the list"))
}

/// Each request is refused in turn, until the level gets all requests or something is wrong.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let sites = TraceAllocator::new("sites", &heap, &pages);
    let failing = FailingAllocator::new("level", Refusals::None, &sites);
    for number in 0.. {
        failing.refuse(Refusals::Nth(number));
        let (pushed, shown) = level(&failing);
        if pushed != shown {
            println!("  request {number} refused: {pushed} pushed, {shown} are in the list");
        }
        if pushed == 10 || failing.stats().live != 0 {
            break;
        }
    }
    // Dropping the allocators says what was lost.
    Ok(String::new())
}
