//! Every constructor under a plain name makes the type that is shortest to write, also inside a
//! `Result`: a struct with a field of each type, built by `?`.

use core::alloc::Layout;
use core::error::Error;
use core::mem::MaybeUninit;
use std::boxed::Box;
use std::vec;

use crate::testing::test_backing::TestBacking;
use crate::{
    Allocator, BuddyAllocator, BuddyOffsets, CanaryAllocator, FailingAllocator, FillAllocator,
    FrameAllocator, HeapAllocator, Locked, Own, PoolAllocator, ProxyAllocator, QuarantineAllocator,
    Refusals, ScratchAllocator, SharedFrame, SharedPool, SharedProxy, SharedRef, Sites,
    SlabAllocator, TempAllocator, TraceAllocator, VerifyAllocator,
};

/// The types as a program writes them, without a parameter for the backing.
struct Plain<'m> {
    heap: HeapAllocator<'m>,
    fixed: HeapAllocator<'m>,
    slab: SlabAllocator<'m>,
    buddy: BuddyAllocator<'m>,
    offsets: BuddyOffsets<'m>,
    pool: PoolAllocator<'m>,
    shared_pool: SharedPool<'m>,
    frame: FrameAllocator<'m>,
    shared_frame: SharedFrame<'m>,
    scratch: ScratchAllocator<'m>,
    temp: TempAllocator<'m, 64>,
    locked: Locked<HeapAllocator<'m>>,
    proxy: ProxyAllocator<'m>,
    shared_proxy: SharedProxy<'m>,
    canary: CanaryAllocator<'m>,
    fill: FillAllocator<'m>,
    quarantine: QuarantineAllocator<'m>,
    verify: VerifyAllocator<'m>,
    failing: FailingAllocator<'m>,
    trace: TraceAllocator<'m>,
    sites: Sites<'m>,
    own: Own<'m, u32>,
    slice: Own<'m, [u32]>,
    text: Own<'m, str>,
}

impl<'m> Plain<'m> {
    fn new(memory: SharedRef<'m>) -> Result<Self, Box<dyn Error>> {
        let layout = Layout::new::<u64>();
        Ok(Self {
            heap: HeapAllocator::new("heap", memory),
            fixed: HeapAllocator::fixed("fixed", 128 << 10, memory)?,
            slab: SlabAllocator::new("slab", memory),
            buddy: BuddyAllocator::new("buddy", 4096, 64, memory)?,
            offsets: BuddyOffsets::new("offsets", 4096, 64, memory)?,
            pool: PoolAllocator::new("pool", layout, memory),
            shared_pool: SharedPool::new("shared pool", layout, memory),
            frame: FrameAllocator::new("frame", 4096, memory)?,
            shared_frame: SharedFrame::new("shared frame", 4096, memory)?,
            scratch: ScratchAllocator::new("scratch", 4096, memory)?,
            temp: TempAllocator::new("temp", memory),
            locked: Locked::new(HeapAllocator::new("locked", memory)),
            proxy: ProxyAllocator::new("proxy", memory),
            shared_proxy: SharedProxy::new("shared proxy", memory),
            canary: CanaryAllocator::new("canary", memory),
            fill: FillAllocator::new("fill", memory),
            quarantine: QuarantineAllocator::new("quarantine", 16, 1024, memory, memory)?,
            verify: VerifyAllocator::new("verify", 1, memory),
            failing: FailingAllocator::new("failing", Refusals::None, memory),
            trace: TraceAllocator::new("trace", memory, memory),
            sites: Sites::new(memory),
            own: Own::new(1, memory)?,
            slice: Own::new_slice_copy(&[2, 3], memory)?,
            text: Own::new_str("text", memory)?,
        })
    }

    /// Returns those that are allocators, as one type.
    fn allocators(&self) -> [&dyn Allocator; 19] {
        [
            &self.heap,
            &self.fixed,
            &self.slab,
            &self.buddy,
            &self.pool,
            &self.shared_pool,
            &self.frame,
            &self.shared_frame,
            &self.scratch,
            &self.temp,
            &self.locked,
            &self.proxy,
            &self.shared_proxy,
            &self.canary,
            &self.fill,
            &self.quarantine,
            &self.verify,
            &self.failing,
            &self.trace,
        ]
    }
}

/// The types over a region, which have no backing.
struct Regions<'m> {
    heap: HeapAllocator<'m>,
    buddy: BuddyAllocator<'m>,
    pool: PoolAllocator<'m>,
    shared_pool: SharedPool<'m>,
    frame: FrameAllocator<'m>,
    shared_frame: SharedFrame<'m>,
    scratch: ScratchAllocator<'m>,
}

impl<'m> Regions<'m> {
    fn new(region: &'m mut [MaybeUninit<u8>]) -> Result<Self, Box<dyn Error>> {
        let len = region.len() / 7;
        let mut parts = region.chunks_exact_mut(len);
        let mut part = || parts.next().ok_or("seven parts");
        let layout = Layout::new::<u64>();
        Ok(Self {
            heap: HeapAllocator::from_region("heap", part()?),
            buddy: BuddyAllocator::from_region("buddy", 64, part()?)?,
            pool: PoolAllocator::from_region("pool", layout, part()?),
            shared_pool: SharedPool::from_region("shared pool", layout, part()?),
            frame: FrameAllocator::from_region("frame", part()?),
            shared_frame: SharedFrame::from_region("shared frame", part()?),
            scratch: ScratchAllocator::from_region("scratch", part()?),
        })
    }
}

#[test]
fn plain_constructors_make_plain_types() {
    let backing = TestBacking::new();
    let plain = Plain::new(&backing).expect("memory");
    for allocator in plain.allocators() {
        assert!(allocator.verify().is_ok(), "`{}` is sound", allocator.name());
    }
    assert!(plain.offsets.verify().is_ok() && plain.sites.count() == 0, "sound and empty");
    assert_eq!((*plain.own, &*plain.slice, &*plain.text), (1, &[2, 3][..], "text"));
}

#[test]
fn regions_make_plain_types() {
    let mut region = vec![MaybeUninit::uninit(); 7 * (128 << 10)];
    let regions = Regions::new(&mut region).expect("memory");
    let all: [&dyn Allocator; 7] = [
        &regions.heap,
        &regions.buddy,
        &regions.pool,
        &regions.shared_pool,
        &regions.frame,
        &regions.shared_frame,
        &regions.scratch,
    ];
    for allocator in all {
        let own = Own::new(7_u64, allocator).expect("memory");
        assert_eq!((*own, allocator.stats().live), (7, 1), "`{}`", allocator.name());
    }
}
