//! The plain constructors: allocators over any other, as fields, built by `?`.

use core::alloc::Layout;
use core::error::Error;
use core::mem::MaybeUninit;
use std::boxed::Box;

use crate::{
    Allocator, BuddyAllocator, BuddyOffsets, CanaryAllocator, DefaultClasses, FailingAllocator,
    FillAllocator, FrameAllocator, HeapAllocator, Locked, PoolAllocator, ProxyAllocator,
    QuarantineAllocator, Refusals, ScratchAllocator, SharedFrame, SharedPool, SharedProxy,
    SharedRef, Sites, SlabAllocator, StaticHeap, TempAllocator, TraceAllocator, VerifyAllocator,
};

static SMALL: StaticHeap<{ 1 << 20 }> = StaticHeap::new("small");

/// Constant, so it can be in a static of the plain type.
static POOL: SharedPool<'static> = SharedPool::new("pool", NODE, &SMALL);
static HEAP: Locked<HeapAllocator<'static>> =
    Locked::new(HeapAllocator::with_region_bytes("heap", 64 << 10, &SMALL));

const NODE: Layout = Layout::new::<[u64; 4]>();

/// Allocators over memory that threads share.
struct Shared<'m> {
    heap: HeapAllocator<'m>,
    fixed: HeapAllocator<'m>,
    slab: SlabAllocator<'m>,
    small: SlabAllocator<'m>,
    classes: SlabAllocator<'m, dyn Allocator + Sync + 'm, DefaultClasses>,
    buddy: BuddyAllocator<'m>,
    pool: PoolAllocator<'m>,
    frame: FrameAllocator<'m>,
    scratch: ScratchAllocator<'m>,
    shared_frame: SharedFrame<'m>,
    shared_pool: SharedPool<'m>,
    shared_proxy: SharedProxy<'m>,
}

impl<'m> Shared<'m> {
    fn new(memory: SharedRef<'m>) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            heap: HeapAllocator::new("heap", memory),
            fixed: HeapAllocator::fixed("fixed", 64 << 10, memory)?,
            slab: SlabAllocator::new("slab", memory),
            small: SlabAllocator::with_region_bytes("small", 64 << 10, memory),
            classes: SlabAllocator::with_classes("classes", 64 << 10, memory),
            buddy: BuddyAllocator::new("buddy", 4096, 64, memory)?,
            pool: PoolAllocator::new("pool", NODE, memory),
            frame: FrameAllocator::new("frame", 4096, memory)?,
            scratch: ScratchAllocator::new("scratch", 4096, memory)?,
            shared_frame: SharedFrame::new("shared frame", 4096, memory)?,
            shared_pool: SharedPool::new("shared pool", NODE, memory),
            shared_proxy: SharedProxy::new("shared proxy", memory),
        })
    }

    fn all(&self) -> [&dyn Allocator; 12] {
        [
            &self.heap,
            &self.fixed,
            &self.slab,
            &self.small,
            &self.classes,
            &self.buddy,
            &self.pool,
            &self.frame,
            &self.scratch,
            &self.shared_frame,
            &self.shared_pool,
            &self.shared_proxy,
        ]
    }
}

/// Allocators over any memory, also that of one thread.
struct Wrappers<'m> {
    canary: CanaryAllocator<'m>,
    failing: FailingAllocator<'m>,
    fill: FillAllocator<'m>,
    proxy: ProxyAllocator<'m>,
    quarantine: QuarantineAllocator<'m>,
    trace: TraceAllocator<'m>,
    verify: VerifyAllocator<'m>,
    temp: TempAllocator<'m, 256>,
    offsets: BuddyOffsets<'m>,
}

impl<'m> Wrappers<'m> {
    fn new(memory: &'m dyn Allocator) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            canary: CanaryAllocator::new("canary", memory),
            failing: FailingAllocator::new("failing", Refusals::None, memory),
            fill: FillAllocator::new("fill", memory),
            proxy: ProxyAllocator::new("proxy", memory),
            quarantine: QuarantineAllocator::new("quarantine", 4, 4096, memory, memory)?,
            trace: TraceAllocator::new("trace", memory, memory),
            verify: VerifyAllocator::new("verify", 1, memory),
            temp: TempAllocator::new("temp", memory),
            offsets: BuddyOffsets::new("offsets", 4096, 64, memory)?,
        })
    }

    fn all(&self) -> [&dyn Allocator; 8] {
        [
            &self.canary,
            &self.failing,
            &self.fill,
            &self.proxy,
            &self.quarantine,
            &self.trace,
            &self.verify,
            &self.temp,
        ]
    }
}

/// Takes a block and frees it.
fn serves(allocator: &dyn Allocator) {
    let block = allocator.allocate(NODE).expect("there is memory");
    assert_eq!(allocator.stats().live, 1, "{}", allocator.name());
    // SAFETY: the block is live, has this layout, and is not used again.
    unsafe { allocator.deallocate_sized(block.cast(), NODE) };
    assert_eq!(allocator.stats().live, 0, "{}", allocator.name());
}

/// Lends a heap of 8 MiB.
fn with_heap(run: impl FnOnce(HeapAllocator<'_>)) {
    let mut region = std::vec![MaybeUninit::uninit(); 8 << 20];
    run(HeapAllocator::from_region("below", &mut region));
}

#[test]
fn allocators_are_over_any_that_threads_share() {
    with_heap(|heap| {
        let heap = Locked::new(heap);
        let shared = Shared::new(&heap).expect("there is memory");
        shared.all().into_iter().for_each(serves);
        drop(shared);
        assert_eq!(heap.stats().live, 0, "they keep memory");
    });
    serves(&POOL);
    serves(&HEAP);
}

#[test]
fn wrappers_are_over_any_allocator() {
    with_heap(|heap| {
        let mut wrappers = Wrappers::new(&heap).expect("there is memory");
        wrappers.all().into_iter().for_each(serves);
        let offset = wrappers.offsets.allocate(64, 64).expect("there is room");
        wrappers.offsets.free(offset);
        wrappers.temp = TempAllocator::new("temp", &SMALL);
        drop(wrappers);
        assert_eq!(heap.stats().live, 0, "they keep memory");
    });
    let mut region = [MaybeUninit::uninit(); 32 << 10];
    let frame = FrameAllocator::from_region("frame", &mut region);
    Wrappers::new(&frame).expect("there is memory").all().into_iter().for_each(serves);
}

#[test]
fn sites_are_kept_in_any_books_that_threads_share() {
    with_heap(|heap| {
        let books = Locked::new(heap);
        let mut region = std::vec![MaybeUninit::uninit(); 1 << 20];
        let heap = HeapAllocator::from_region("heap", &mut region);
        let heap: HeapAllocator<'_, dyn Allocator + Sync, Sites<'_>> =
            heap.with_sites(Sites::new(&books));
        serves(&heap);
        drop(heap);
        assert_eq!(books.stats().live, 0, "they keep memory");
    });
}
