//! A worker still writes to a buffer that the main thread has freed: the bug of the article.

use std::sync::mpsc;
use std::thread;

use loligo_allocators::{
    AllocError, GuardPageAllocator, HeapAllocator, Locked, PageAllocator, SharedRef,
};

use crate::raw::{self, Block};

/// Loads a chunk and leaves it again at once; returns what the next owner of the memory sees. The
/// channel makes the race come out badly each time.
fn visit(memory: SharedRef<'_>, threaded: bool) -> Result<u32, AllocError> {
    let (arrived, data) = mpsc::channel();
    let chunk = raw::take(memory, 4000)?;
    thread::scope(|scope| {
        let worker = scope.spawn(move || data.into_iter().for_each(unpack));
        if !threaded {
            unpack(chunk);
        }
        // The bug: nobody asks whether the worker is done.
        raw::free(memory, chunk);
        let next = raw::take(memory, 4000)?;
        raw::put(next, 0, 0);
        if threaded {
            arrived.send(chunk).expect("the worker listens");
        }
        drop(arrived);
        worker.join().expect("the worker does not panic");
        let seen = raw::get(next, 0);
        raw::free(memory, next);
        Ok(seen)
    })
}

/// Writes the unpacked data.
fn unpack(chunk: Block) {
    (0..1000).for_each(|index| raw::put(chunk, index, 255));
}

/// With one thread the bug disappears, which shows that it is a race.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new("heap", &pages));
    let (one, two) = (visit(&heap, false)?, visit(&heap, true)?);
    Ok(format!("a fresh zero is {one} without the worker and {two} with it"))
}

/// Freed pages cannot be touched, by any thread.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let suspect = GuardPageAllocator::new("chunks", &pages);
    let seen = suspect.while_reporting_faults(|| visit(&suspect, true))??;
    Ok(format!("{seen}"))
}
