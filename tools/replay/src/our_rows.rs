//! The rows of Loligo's own allocators.

use loligo_allocators::{Allocator, PageAllocator, SlabAllocator};

use crate::ours::{Ours, OursOn, Over, buddy, buddy_in, heap, heap_in};
use crate::results::Kind;
use crate::rows::Row;

/// The leaf of the buddy under the slab, which serves blocks of more than 496 bytes and regions.
const LARGE_LEAF_BYTES: usize = 512;

/// Returns our allocators, each alone.
#[must_use]
pub fn ours() -> Vec<Row> {
    vec![
        heap_row(),
        Row::in_region("heap-region", Kind::Ours, |arena| {
            // SAFETY: `in_region` promises that the arena is the heap's alone while the heap
            // exists.
            Ours(unsafe { heap_in(arena) })
        }),
        Row::in_region("slab", Kind::Ours, |arena| {
            // SAFETY: as above.
            let buddy = unsafe { buddy_in(arena, LARGE_LEAF_BYTES) };
            OursOn(Over::new(buddy, |buddy| SlabAllocator::<_>::new_in("slab", buddy)))
        }),
        Row::in_region("buddy", Kind::Ours, |arena| {
            // SAFETY: as above.
            Ours(unsafe { buddy(arena) })
        }),
        Row::growing("page", Kind::Ours, || Ours(PageAllocator::new("page"))),
    ]
}

/// Returns the row of the heap that grows.
pub(crate) fn heap_row() -> Row {
    Row::growing("heap", Kind::Ours, || Ours(heap()))
}

/// Returns a row of any allocator, made by `make`, that grows and keeps its state between rounds.
pub fn allocator_row<A: Allocator + 'static>(
    name: impl Into<String>,
    make: impl Fn() -> A + 'static,
) -> Row {
    Row::allocator(name, Kind::Strategy, make)
}
