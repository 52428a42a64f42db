//! The layers of a strategy at work.

use core::alloc::Layout;
use core::ptr::{NonNull, null_mut};

use loligo_allocators::{Allocator, FrameAllocator, PoolAllocator};

use super::config::{FrameConfig, LayerConfig, PoolsConfig};
use crate::ours::{self, PAGES};

/// One layer over a base.
pub(super) enum Layer<B: Allocator + 'static> {
    Pools(Pools<B>),
    Frame(Ring<B>),
    Pages { from: usize },
}

impl<B: Allocator + 'static> Layer<B> {
    pub(super) fn new(config: &LayerConfig, base: &'static B) -> Self {
        match config {
            LayerConfig::Pools(config) => Self::Pools(Pools::new(config, base)),
            LayerConfig::Frame(config) => Self::Frame(Ring::new(config, base)),
            LayerConfig::Pages(config) => Self::Pages { from: config.from as usize },
        }
    }

    /// Tells whether blocks of this layout are meant for the layer.
    #[inline(always)]
    pub(super) fn takes(&self, layout: Layout) -> bool {
        match self {
            Self::Pools(pools) => pools.pool_of(layout).is_some(),
            Self::Frame(ring) => layout.size() <= ring.up_to,
            Self::Pages { from } => layout.size() >= *from,
        }
    }

    /// Tells whether a block of this layout, of the strategy's, lies in the layer.
    #[inline(always)]
    pub(super) fn holds(&self, block: *mut u8, layout: Layout) -> bool {
        match self {
            Self::Frame(ring) => ring.segment_of(block).is_some(),
            _ => self.takes(layout),
        }
    }

    /// Serves a block, or null if the request is refused; `None` passes it on to the next layer.
    #[inline(always)]
    pub(super) fn allocate(&mut self, layout: Layout) -> Option<*mut u8> {
        match self {
            Self::Pools(pools) => {
                let pool = pools.pool_of(layout)?;
                Some(ours::address(pool.allocate(layout)))
            }
            Self::Frame(ring) if layout.size() <= ring.up_to => ring.allocate(layout),
            Self::Pages { from } if layout.size() >= *from => {
                Some(ours::address(PAGES.allocate(layout)))
            }
            _ => None,
        }
    }

    /// # Safety
    ///
    /// `block` is live, has this layout, and the layer holds it.
    #[inline(always)]
    pub(super) unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        match self {
            Self::Pools(pools) => {
                if let Some(pool) = pools.pool_of(layout) {
                    // SAFETY: the layout leads to the pool that the block came from.
                    unsafe { ours::free(pool, block, layout) }
                }
            }
            // SAFETY: the ring holds the block.
            Self::Frame(ring) => unsafe { ring.deallocate(block, layout) },
            // SAFETY: the block came from the pages.
            Self::Pages { .. } => unsafe { ours::free(&PAGES, block, layout) },
        }
    }

    /// Resizes a block within the layer; `None` leaves the block as it was: it has to move.
    ///
    /// # Safety
    ///
    /// `block` is live with the layout `old`, and the layer holds it.
    pub(super) unsafe fn reallocate(
        &mut self,
        block: *mut u8,
        old: Layout,
        new: Layout,
    ) -> Option<*mut u8> {
        match self {
            Self::Pools(pools) => {
                let (from, to) = (pools.pool_of(old)?, pools.pool_of(new)?);
                if !core::ptr::eq(from, to) {
                    return None;
                }
                // SAFETY: the pool holds the block.
                Some(unsafe { ours::reallocate(from, block, old, new.size()) })
            }
            Self::Frame(ring) => {
                let segment = ring.segment_of(block)?;
                let frame = &ring.segments[segment].frame;
                // SAFETY: a live block is not null.
                let block = unsafe { NonNull::new_unchecked(block) };
                // SAFETY: the frame holds the block, and `old` is its layout.
                let resized = unsafe { frame.resize_in_place(block, old, new) };
                resized.ok().map(|block| block.cast().as_ptr())
            }
            Self::Pages { from } if new.size() >= *from => {
                // SAFETY: the pages hold the block.
                Some(unsafe { ours::reallocate(&PAGES, block, old, new.size()) })
            }
            Self::Pages { .. } => None,
        }
    }

    /// Checks the layer after the last free.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Pools(pools) => pools.pools.iter().try_for_each(ours::check),
            Self::Frame(ring) => {
                ring.segments.iter().try_for_each(|segment| ours::check(&segment.frame))
            }
            Self::Pages { .. } => PAGES.verify().map_err(|damage| damage.to_string()),
        }
    }
}

/// Pools of some sizes. A block goes to the smallest that its size, rounded to its alignment, fits.
pub(super) struct Pools<B: Allocator + 'static> {
    pub(super) pools: Box<[PoolAllocator<'static, B>]>,
    /// For each size in bytes which pool serves it.
    of: Box<[u8]>,
}

impl<B: Allocator> Pools<B> {
    fn new(config: &PoolsConfig, base: &'static B) -> Self {
        let pools = config.sizes.iter().map(|size| {
            let layout = config.layout(*size);
            PoolAllocator::new(layout, "pool", base)
        });
        let largest = config.sizes.last().copied().unwrap_or(0) as usize;
        let smallest_for = |bytes: usize| {
            // The configuration has at most 255 sizes, and the largest fits by construction.
            config.sizes.partition_point(|size| (*size as usize) < bytes) as u8
        };
        Self { pools: pools.collect(), of: (0..=largest).map(smallest_for).collect() }
    }

    /// Returns the pool for a layout, if there is one.
    #[inline(always)]
    fn pool_of(&self, layout: Layout) -> Option<&PoolAllocator<'static, B>> {
        let align_mask = layout.align() - 1;
        let bytes = (layout.size() + align_mask) & !align_mask;
        let index = *self.of.get(bytes)?;
        let pool = self.pools.get(index as usize)?;
        (layout.align() <= pool.block_layout().align()).then_some(pool)
    }
}

/// Frames in a ring: blocks that die in the order in which they were made empty one after the other.
///
/// A full segment is left until its last block dies. While no empty one is there the ring passes
/// blocks on, so blocks that live long cost nothing but the segment they lie in.
///
/// # Invariants
///
/// 1. The segments lie one after the other in `memory`, `segment_bytes` each, from `start`.
/// 2. `memory` is a block of `base`, freed by the ring's drop after the frames in it.
/// 3. `empty` names each segment but the current whose `live` is 0, once.
pub(super) struct Ring<B: Allocator + 'static> {
    segments: Vec<Segment>,
    empty: Vec<usize>,
    current: usize,
    up_to: usize,
    start: *mut u8,
    segment_bytes: usize,
    memory: Option<Layout>,
    base: &'static B,
}

struct Segment {
    frame: FrameAllocator<'static, dyn Allocator + Sync + 'static>,
    live: u32,
}

impl<B: Allocator> Ring<B> {
    /// The alignment of the first segment.
    const ALIGN: usize = 64;

    /// Makes a ring; one whose memory the base refuses has no segment and passes every block on.
    fn new(config: &FrameConfig, base: &'static B) -> Self {
        let segment_bytes = config.segment_bytes as usize;
        let mut ring = Self {
            segments: Vec::new(),
            empty: Vec::new(),
            current: 0,
            up_to: config.up_to as usize,
            start: null_mut(),
            segment_bytes,
            memory: None,
            base,
        };
        let bytes = segment_bytes * config.segments as usize;
        let Ok(layout) = Layout::from_size_align(bytes, Self::ALIGN) else {
            return ring;
        };
        let Ok(memory) = base.allocate(layout) else {
            return ring;
        };
        ring.start = memory.cast().as_ptr();
        ring.memory = Some(layout);
        for index in 0..config.segments as usize {
            // SAFETY: the segment lies in the memory that was just taken.
            let start = unsafe { ring.start.add(index * segment_bytes) };
            // SAFETY: the bytes are the frame's alone until the ring is dropped, which drops the
            // frames before it frees them (2).
            let region = unsafe { core::slice::from_raw_parts_mut(start.cast(), segment_bytes) };
            let frame = FrameAllocator::from_region("segment", region);
            ring.segments.push(Segment { frame, live: 0 });
        }
        ring.empty.extend(1..ring.segments.len());
        ring
    }

    /// Returns the segment that an address lies in.
    #[inline(always)]
    fn segment_of(&self, block: *mut u8) -> Option<usize> {
        let offset = block.addr().wrapping_sub(self.start.addr());
        let index = offset / self.segment_bytes;
        (index < self.segments.len()).then_some(index)
    }

    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<*mut u8> {
        let segment = self.segments.get_mut(self.current)?;
        if let Ok(block) = segment.frame.allocate(layout) {
            segment.live += 1;
            return Some(block.cast().as_ptr());
        }
        self.allocate_in_next(layout)
    }

    #[cold]
    fn allocate_in_next(&mut self, layout: Layout) -> Option<*mut u8> {
        // A block that no empty segment could hold must not use them up.
        if layout.size() + layout.align() > self.segment_bytes / 2 {
            return None;
        }
        let next = self.empty.pop()?;
        let left = core::mem::replace(&mut self.current, next);
        if self.segments[left].live == 0 {
            self.empty.push(left);
        }
        let segment = &mut self.segments[next];
        segment.frame.reset();
        let block = segment.frame.allocate(layout).ok()?;
        segment.live += 1;
        Some(block.cast().as_ptr())
    }

    /// # Safety
    ///
    /// `block` is live, has this layout, and lies in the ring.
    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        let Some(index) = self.segment_of(block) else {
            return;
        };
        let segment = &mut self.segments[index];
        // SAFETY: the frame of the segment gave the block out.
        unsafe { ours::free(&segment.frame, block, layout) };
        segment.live -= 1;
        if segment.live == 0 && index != self.current {
            self.empty.push(index);
        }
    }
}

impl<B: Allocator> Drop for Ring<B> {
    fn drop(&mut self) {
        self.segments.clear();
        if let Some(layout) = self.memory {
            // SAFETY: the memory is a live block of the base, and its frames are gone (2).
            unsafe { ours::free(self.base, self.start, layout) };
        }
    }
}
