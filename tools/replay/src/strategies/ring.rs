//! Frames in a ring: for blocks that die in the order in which they were made.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010): memory for what dies together.
//! The ring bumps blocks in one frame until that is full and then in an empty one; a frame is empty
//! when its last block has died. While none is empty the ring refuses, so that blocks which live
//! long cost no more than the frame they are in.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use loligo_allocators::{
    AllocError, Allocator, Block, Damage, FrameAllocator, Misuse, Report, Stats, misuse,
};

/// Frames in a ring.
///
/// # Invariants
///
/// 1. The frames are adjacent in `memory`, `segment_bytes` each, and described by `segments`, in
///    their order.
/// 2. `memory` and `segments` are blocks of `backing`, freed by the drop after the frames.
/// 3. The list from `empty` on has each frame but the current whose `live` is 0, once.
pub(super) struct FrameRing<'a, B: Allocator + ?Sized> {
    /// The first of the frames, `segment_count` of them.
    segments: NonNull<Segment<'a>>,
    segment_count: usize,
    /// The first empty frame, or [`NONE`](Self::NONE).
    empty: Cell<usize>,
    current: Cell<usize>,
    segment_bytes: usize,
    memory: NonNull<u8>,
    backing: &'a B,
}

struct Segment<'a> {
    frame: FrameAllocator<'a>,
    live: Cell<u32>,
    /// The next empty frame, where this one is empty.
    next: Cell<usize>,
}

impl<'a, B: Allocator + ?Sized> FrameRing<'a, B> {
    /// The alignment of the first frame.
    const ALIGN: usize = 64;

    /// No frame.
    const NONE: usize = usize::MAX;

    /// Makes a ring of `segment_count` frames; if the backing refuses its memory, the ring refuses
    /// every block.
    pub(super) fn new(segment_bytes: usize, segment_count: usize, backing: &'a B) -> Self {
        let mut ring = Self {
            segments: NonNull::dangling(),
            segment_count: 0,
            empty: Cell::new(Self::NONE),
            current: Cell::new(0),
            segment_bytes,
            memory: NonNull::dangling(),
            backing,
        };
        let Some([memory, segments]) = Self::layouts(segment_bytes, segment_count) else {
            return ring;
        };
        let Ok(start) = backing.allocate(memory) else { return ring };
        let Ok(described) = backing.allocate(segments) else {
            // SAFETY: the block was just taken with this layout.
            unsafe { backing.deallocate_sized(start.cast(), memory) };
            return ring;
        };
        (ring.memory, ring.segments) = (start.cast(), described.cast());
        for index in 0..segment_count {
            // SAFETY: the frame is in the memory that was just taken.
            let at = unsafe { ring.memory.add(index * segment_bytes) };
            // SAFETY: the bytes are the frame's alone until the ring's drop, which drops the frames
            // before it frees them (2).
            let region =
                unsafe { core::slice::from_raw_parts_mut(at.as_ptr().cast(), segment_bytes) };
            let frame = FrameAllocator::from_region("segment", region);
            // The first is the current one.
            let next = Cell::new(if index == 0 { Self::NONE } else { ring.empty.get() });
            let segment = Segment { frame, live: Cell::new(0), next };
            // SAFETY: the block has room for `segment_count` of them.
            let place = unsafe { ring.segments.add(index) };
            // SAFETY: as above.
            unsafe { place.write(segment) };
            if index > 0 {
                ring.empty.set(index);
            }
        }
        ring.segment_count = segment_count;
        ring
    }

    /// Returns the layouts of the frames' memory and of what describes them.
    fn layouts(segment_bytes: usize, segment_count: usize) -> Option<[Layout; 2]> {
        let bytes = segment_bytes.checked_mul(segment_count)?;
        let memory = Layout::from_size_align(bytes, Self::ALIGN).ok()?;
        Some([memory, Layout::array::<Segment<'_>>(segment_count).ok()?])
    }

    fn segments(&self) -> &[Segment<'a>] {
        // SAFETY: by invariants 1 and 2 this number was written there, and lives as long as the ring.
        unsafe { core::slice::from_raw_parts(self.segments.as_ptr(), self.segment_count) }
    }

    /// Makes a frame the first of the empty ones.
    fn push_empty(&self, index: usize) {
        self.segments()[index].next.set(self.empty.replace(index));
    }

    /// Returns the frame that an address is in.
    #[inline(always)]
    fn segment_of(&self, block: *const u8) -> Option<usize> {
        let index = block.addr().wrapping_sub(self.memory.addr().get()) / self.segment_bytes;
        (index < self.segment_count).then_some(index)
    }

    #[cold]
    fn allocate_in_next(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        // A block that no empty frame could hold must not use them up.
        if layout.size() + layout.align() > self.segment_bytes / 2 {
            return Err(AllocError);
        }
        let next = self.empty.get();
        let segment = self.segments().get(next).ok_or(AllocError)?;
        self.empty.set(segment.next.get());
        let left = self.current.replace(next);
        if self.segments()[left].live.get() == 0 {
            self.push_empty(left);
        }
        let block = segment.frame.allocate(layout)?;
        segment.live.set(segment.live.get() + 1);
        Ok(block)
    }

    fn frames(&self) -> impl Iterator<Item = &FrameAllocator<'a>> {
        self.segments().iter().map(|segment| &segment.frame)
    }
}

// SAFETY: each block comes from one frame, which keeps the contract of `Allocator` over memory of
// its own.
unsafe impl<B: Allocator + ?Sized> Allocator for FrameRing<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let segment = self.segments().get(self.current.get()).ok_or(AllocError)?;
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
        let segment = &self.segments()[index];
        // SAFETY: the block is in this frame; the rest is the caller's promise.
        unsafe { segment.frame.deallocate(block) };
        segment.live.set(segment.live.get() - 1);
        if segment.live.get() == 0 && index != self.current.get() {
            self.push_empty(index);
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
        unsafe { self.segments()[index].frame.resize_in_place(block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        match self.segment_of(block.as_ptr()) {
            // SAFETY: the frame holds the block, which is live.
            Some(index) => unsafe { self.segments()[index].frame.allocated_size(block) },
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
        let layouts = Self::layouts(self.segment_bytes, self.segment_count)
            .unwrap_or([Layout::new::<()>(); 2]);
        sum.reserved = layouts.iter().map(Layout::size).sum();
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
        if self.segment_count == 0 {
            return;
        }
        for index in 0..self.segment_count {
            // SAFETY: there are `segment_count` of them (1).
            let segment = unsafe { self.segments.add(index) };
            // SAFETY: each was written once (1) and is dropped once.
            unsafe { segment.drop_in_place() };
        }
        let layouts = Self::layouts(self.segment_bytes, self.segment_count);
        for (block, layout) in
            [self.memory, self.segments.cast()].into_iter().zip(layouts.into_iter().flatten())
        {
            // SAFETY: the block is a live one of the backing with this layout, and the frames are
            // gone (2).
            unsafe { self.backing.deallocate_sized(block, layout) };
        }
    }
}
