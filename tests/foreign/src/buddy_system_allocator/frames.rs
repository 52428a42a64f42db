//! The allocator of frames, which are numbers: a buddy over offsets, and a heap over offsets where they are more than a
//! buddy has levels for.

use core::alloc::Layout;
use core::ops::Range;
use std::collections::HashMap;

use loligo_allocators::{BuddyOffsets, HeapOffsets, OffsetBlock};

use crate::memory::{MEMORY, Memory};

/// The most numbers that a buddy over offsets takes: 32 levels.
const BUDDY_MOST: u64 = 1 << 31;

/// `ORDER` bounds the size of a block; the numbers before the first range are reserved in ours, so
/// that blocks are aligned as in the peer.
pub struct FrameAllocator<const ORDER: usize = 33> {
    buddy: Option<BuddyOffsets<'static, Memory>>,
    large: Option<Large>,
}

/// A range that is too long for a buddy. A heap over offsets takes blocks back by name.
struct Large {
    heap: HeapOffsets<'static, Memory>,
    live: HashMap<usize, OffsetBlock>,
}

impl<const ORDER: usize> FrameAllocator<ORDER> {
    #[must_use]
    pub const fn new() -> Self {
        Self { buddy: None, large: None }
    }

    /// Ours covers one range, known from the start.
    pub fn add_frame(&mut self, start: usize, end: usize) {
        assert!(self.buddy.is_none() && self.large.is_none(), "ours has one range");
        if end as u64 > BUDDY_MOST {
            let heap = HeapOffsets::new_in("frames", start as u64..end as u64, 0, &MEMORY);
            let heap = heap.expect("there is memory");
            self.large = Some(Large { heap, live: HashMap::new() });
            return;
        }
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

    fn take(&mut self, count: usize, align: usize) -> Option<usize> {
        if count >> (ORDER - 1) > 1 {
            return None;
        }
        if let Some(large) = &mut self.large {
            // As a buddy has it, a block begins at a multiple of its length.
            let block = large.heap.allocate(count as u64, align.max(count) as u64).ok()?;
            let offset = block.offset() as usize;
            large.live.insert(offset, block);
            return Some(offset);
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
        if let Some(large) = &mut self.large {
            large.heap.free(large.live.remove(&start).expect("a frame was allocated"));
            return;
        }
        let buddy = self.buddy.as_ref().expect("a frame was allocated");
        buddy.free_sized(start as u64, count.next_power_of_two() as u64);
    }
}

/// The peer forgets what is allocated; ours would report it.
impl<const ORDER: usize> Drop for FrameAllocator<ORDER> {
    fn drop(&mut self) {
        if let Some(large) = &mut self.large {
            large.live.drain().for_each(|(_, block)| large.heap.free(block));
        }
        let Some(buddy) = &self.buddy else { return };
        let mut live = Vec::new();
        buddy.walk(&mut |offset, _| live.push(offset));
        live.into_iter().for_each(|offset| buddy.free(offset));
    }
}
