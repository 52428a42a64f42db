//! The allocator of frames, which are numbers: a buddy over offsets.

use core::alloc::Layout;
use core::ops::Range;

use loligo_allocators::BuddyOffsets;

use crate::memory::{MEMORY, Memory};

/// `ORDER` bounds the size of a block; the numbers before the first range are reserved in ours, so
/// that blocks are aligned as in the peer.
pub struct FrameAllocator<const ORDER: usize = 33> {
    buddy: Option<BuddyOffsets<'static, Memory>>,
}

impl<const ORDER: usize> FrameAllocator<ORDER> {
    #[must_use]
    pub const fn new() -> Self {
        Self { buddy: None }
    }

    /// Ours covers one range, known from the start.
    pub fn add_frame(&mut self, start: usize, end: usize) {
        assert!(self.buddy.is_none(), "a buddy over offsets has one range");
        let buddy = BuddyOffsets::new_in("frames", end as u64, 1, &MEMORY);
        let buddy = buddy.expect("the numbers are not too many");
        if start > 0 {
            buddy.reserve_range(0, start as u64).expect("nothing is allocated yet");
        }
        self.buddy = Some(buddy);
    }

    pub fn insert(&mut self, range: Range<usize>) {
        self.add_frame(range.start, range.end);
    }

    pub fn alloc(&mut self, count: usize) -> Option<usize> {
        self.take(count.next_power_of_two(), 1)
    }

    pub fn alloc_aligned(&mut self, layout: Layout) -> Option<usize> {
        self.take(layout.size().next_power_of_two().max(layout.align()), layout.align())
    }

    fn take(&self, count: usize, align: usize) -> Option<usize> {
        if count >> (ORDER - 1) > 1 {
            return None;
        }
        let offset = self.buddy.as_ref()?.allocate(count as u64, align as u64);
        offset.ok().map(|offset| offset as usize)
    }

    pub fn alloc_at(&mut self, start: usize, count: usize) -> Option<usize> {
        let count = count.next_power_of_two();
        if !start.is_multiple_of(count) {
            return None;
        }
        let reserved = self.buddy.as_ref()?.reserve_range(start as u64, count as u64);
        reserved.ok().map(|()| start)
    }

    pub fn dealloc(&mut self, start: usize, count: usize) {
        let buddy = self.buddy.as_ref().expect("a frame was allocated");
        buddy.free_sized(start as u64, count.next_power_of_two() as u64);
    }
}

/// The peer forgets what is allocated; ours would report it.
impl<const ORDER: usize> Drop for FrameAllocator<ORDER> {
    fn drop(&mut self) {
        let Some(buddy) = &self.buddy else { return };
        let mut live = Vec::new();
        buddy.walk(&mut |offset, _| live.push(offset));
        live.into_iter().for_each(|offset| buddy.free(offset));
    }
}
