//! An allocator as `malloc` and `free`, as our libraries to preload have it.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::ours::address;
use crate::subject::Subject;

/// What a block of `malloc` is aligned to at the least.
const ALIGN: usize = 16;

/// An allocator that does not get the size of what is freed. Where `MOVES`, a block that is resized
/// moves unless it has the room: the size that a strategy's block has need not lead to where it is.
pub(super) struct AsMalloc<A, const MOVES: bool>(pub(super) A);

impl<A: Allocator, const MOVES: bool> AsMalloc<A, MOVES> {
    /// Returns what is asked of the allocator for a request.
    fn asked(layout: Layout) -> Layout {
        layout.align_to(ALIGN).unwrap_or(layout)
    }
}

// SAFETY: the allocator keeps the contract of `Allocator`, which asks for the same.
unsafe impl<A: Allocator, const MOVES: bool> Subject for AsMalloc<A, MOVES> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.allocate(Self::asked(layout)))
    }

    #[inline(never)]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.allocate_zeroed(Self::asked(layout)))
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, _: Layout) {
        // SAFETY: the caller's promise: the block is live, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: as above.
        unsafe { self.0.deallocate(block) }
    }

    #[inline(never)]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise: the block is live, so it is not null.
        let live = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: as above.
        let had = unsafe { self.0.allocated_size(live) };
        let align = Self::asked(old).align();
        // SAFETY: the alignment is a power of two, and the sizes of a replay are at most 2^47.
        let [old, new] =
            [had, bytes].map(|bytes| unsafe { Layout::from_size_align_unchecked(bytes, align) });
        if !MOVES {
            // SAFETY: the block has `had` bytes; the rest is the caller's promise.
            return address(unsafe { self.0.reallocate(live, old, new) });
        }
        if bytes <= had && bytes > had / 2 {
            return block;
        }
        let moved = address(self.0.allocate(new));
        if !moved.is_null() {
            // SAFETY: both blocks are live, distinct and hold the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, had.min(bytes)) };
            // SAFETY: the caller's promise.
            unsafe { self.0.deallocate(live) };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use core::alloc::Layout;

    use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

    use super::AsMalloc;
    use crate::subject::Subject;

    /// Resizes blocks of many sizes up and down and looks at their contents.
    fn exercise<A: Allocator, const MOVES: bool>(malloc: &mut AsMalloc<A, MOVES>, own: usize) {
        let layout = |bytes| Layout::from_size_align(bytes, 1).expect("a layout");
        for bytes in [own, 1, 17, 40, 250, 300, 500, 5000] {
            let mut block = malloc.allocate(layout(bytes));
            assert!(block.addr().is_multiple_of(16), "as `malloc` gives it");
            // SAFETY: the block has that number of bytes.
            unsafe { block.write_bytes(7, bytes) };
            let mut last = bytes;
            for other in [bytes + 3, 4 * bytes, bytes] {
                // SAFETY: the block is live with this layout.
                block = unsafe { malloc.reallocate(block, layout(last), other) };
                last = other;
                // SAFETY: it had that number of bytes at each size.
                let kept = unsafe { core::slice::from_raw_parts(block, bytes) };
                assert!(kept.iter().all(|&byte| byte == 7), "{bytes} to {other}");
            }
            // SAFETY: the block is live.
            unsafe { malloc.deallocate(block, layout(1)) };
        }
        assert_eq!(malloc.0.stats().live, 0);
    }

    #[test]
    fn blocks_keep_their_contents_without_a_size() {
        let pages = PageAllocator::new("pages");
        exercise(&mut AsMalloc::<_, false>(HeapAllocator::new_in("heap", &pages)), 300);
        // A size that the heap rounds up to one which has a pool: the size that a block has is then
        // not where the block is.
        let heap = HeapAllocator::new_in("heap", &pages);
        let step = |bytes: usize| bytes.div_ceil(8);
        let rounded = (1..600).find_map(|bytes| {
            let layout = Layout::from_size_align(bytes, 16).expect("a layout");
            let block = heap.allocate(layout).expect("pages").cast();
            // SAFETY: the block was just taken.
            let had = unsafe { heap.allocated_size(block) };
            // SAFETY: it is freed once.
            unsafe { heap.deallocate(block) };
            (step(had) > step(bytes)).then_some((bytes, had))
        });
        let (bytes, had) = rounded.expect("some size is rounded");
        let (from, up_to) = (8 * (step(had) - 1) + 1, 8 * step(had));
        let tree = format!(
            r#"{{"strategies": [{{"name": "gap", "tree": {{"by-size": {{
            "classes": [{{"from": {from}, "up_to": {up_to}, "to": {{"pool": {{"bytes": {up_to}}}}}}}],
            "rest": {{"heap": {{}}}}}}}}}}]}}"#
        );
        let gap = crate::strategies::parse("gap.json", &tree).expect("a strategy").remove(0);
        exercise(&mut AsMalloc::<_, true>(crate::strategies::allocator(&gap.tree)), bytes);
    }
}
