//! Frames in a ring: for blocks that die in the order in which they were made.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010): memory for what dies together.
//! The ring bumps blocks in one frame until that is full and then in an empty one; a frame is empty
//! when its last block has died. While none is empty the ring refuses, so that blocks which live
//! long cost no more than the frame they are in.

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;

use loligo_allocators::{
    AllocError, Allocator, Block, Damage, FrameAllocator, Misuse, Report, Stats, misuse,
};

/// Frames in a ring.
///
/// # Invariants
///
/// 1. The frames are adjacent in `memory`, `segment_bytes` each.
/// 2. `memory` is a block of `backing`, freed by the drop after the frames.
/// 3. `empty` names each frame but the current whose `live` is 0, once.
pub(super) struct FrameRing<'a, B: Allocator + ?Sized> {
    frames: Vec<Segment<'a>>,
    empty: RefCell<Vec<usize>>,
    current: Cell<usize>,
    segment_bytes: usize,
    memory: Option<(NonNull<u8>, Layout)>,
    backing: &'a B,
}

struct Segment<'a> {
    frame: FrameAllocator<'a>,
    live: Cell<u32>,
}

impl<'a, B: Allocator + ?Sized> FrameRing<'a, B> {
    /// The alignment of the first frame.
    const ALIGN: usize = 64;

    /// Makes a ring of `segments` frames; if the backing refuses its memory, the ring refuses every
    /// block.
    pub(super) fn new(segment_bytes: usize, segments: usize, backing: &'a B) -> Self {
        let mut ring = Self {
            frames: Vec::new(),
            empty: RefCell::new(Vec::new()),
            current: Cell::new(0),
            segment_bytes,
            memory: None,
            backing,
        };
        let layout = Layout::from_size_align(segment_bytes * segments, Self::ALIGN);
        let Some((layout, memory)) =
            layout.ok().and_then(|layout| Some((layout, backing.allocate(layout).ok()?)))
        else {
            return ring;
        };
        let start = memory.cast::<u8>();
        ring.memory = Some((start, layout));
        for index in 0..segments {
            // SAFETY: the frame is in the memory that was just taken.
            let at = unsafe { start.add(index * segment_bytes) };
            // SAFETY: the bytes are the frame's alone until the ring's drop, which drops the frames
            // before it frees them (2).
            let region =
                unsafe { core::slice::from_raw_parts_mut(at.as_ptr().cast(), segment_bytes) };
            let frame = FrameAllocator::from_region("segment", region);
            ring.frames.push(Segment { frame, live: Cell::new(0) });
        }
        ring.empty.get_mut().extend(1..segments);
        ring
    }

    /// Returns the frame that an address is in.
    #[inline(always)]
    fn segment_of(&self, block: *const u8) -> Option<usize> {
        let (start, _) = self.memory?;
        let index = block.addr().wrapping_sub(start.addr().get()) / self.segment_bytes;
        (index < self.frames.len()).then_some(index)
    }

    #[cold]
    fn allocate_in_next(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        // A block that no empty frame could hold must not use them up.
        if layout.size() + layout.align() > self.segment_bytes / 2 {
            return Err(AllocError);
        }
        let mut empty = self.empty.borrow_mut();
        let next = empty.pop().ok_or(AllocError)?;
        let left = self.current.replace(next);
        if self.frames[left].live.get() == 0 {
            empty.push(left);
        }
        drop(empty);
        let segment = &self.frames[next];
        let block = segment.frame.allocate(layout)?;
        segment.live.set(segment.live.get() + 1);
        Ok(block)
    }

    fn frames(&self) -> impl Iterator<Item = &FrameAllocator<'a>> {
        self.frames.iter().map(|segment| &segment.frame)
    }
}

// SAFETY: each block comes from one frame, which keeps the contract of `Allocator` over memory of
// its own.
unsafe impl<B: Allocator + ?Sized> Allocator for FrameRing<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let segment = self.frames.get(self.current.get()).ok_or(AllocError)?;
        match segment.frame.allocate(layout) {
            Ok(block) => {
                segment.live.set(segment.live.get() + 1);
                Ok(block)
            }
            Err(AllocError) => self.allocate_in_next(layout),
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let Some(index) = self.segment_of(block.as_ptr()) else {
            misuse(&Report::new(Misuse::ForeignFree, "ring", block.as_ptr()));
        };
        let segment = &self.frames[index];
        // SAFETY: the block is in this frame; the rest is the caller's promise.
        unsafe { segment.frame.deallocate(block) };
        segment.live.set(segment.live.get() - 1);
        if segment.live.get() == 0 && index != self.current.get() {
            self.empty.borrow_mut().push(index);
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let index = self.segment_of(block.as_ptr()).ok_or(AllocError)?;
        // SAFETY: the frame holds the block; the rest is the caller's promise.
        unsafe { self.frames[index].frame.resize_in_place(block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        match self.segment_of(block.as_ptr()) {
            // SAFETY: the frame holds the block, which is live.
            Some(index) => unsafe { self.frames[index].frame.allocated_size(block) },
            None => 0,
        }
    }

    fn stats(&self) -> Stats {
        let mut sum = Stats { exact: true, ..Stats::default() };
        for frame in self.frames() {
            let stats = frame.stats();
            sum.live += stats.live;
            sum.requested += stats.requested;
            sum.granted += stats.granted;
            sum.allocations_total += stats.allocations_total;
            sum.requested_total += stats.requested_total;
            sum.granted_total += stats.granted_total;
            // The frames peak one after the other, so their sum is above the peak of the ring.
            sum.peak_requested += stats.peak_requested;
            sum.peak_granted += stats.peak_granted;
        }
        sum.reserved = self.memory.map_or(0, |(_, layout)| layout.size());
        sum.peak_reserved = sum.reserved;
        sum
    }

    fn name(&self) -> &str {
        "ring"
    }

    #[inline]
    fn owns(&self, address: *const u8) -> bool {
        self.segment_of(address).is_some()
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.frames().for_each(|frame| frame.walk(visit));
    }

    fn verify(&self) -> Result<(), Damage> {
        self.frames().try_for_each(Allocator::verify)
    }
}

impl<B: Allocator + ?Sized> Drop for FrameRing<'_, B> {
    fn drop(&mut self) {
        self.frames.clear();
        if let Some((memory, layout)) = self.memory {
            // SAFETY: the memory is a live block of the backing, and its frames are gone (2).
            unsafe { self.backing.deallocate_sized(memory, layout) };
        }
    }
}
