//! A strategy's tree at work.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{
    AllocError, Allocator, Block, BuddyAllocator, ClassTable, Damage, DefaultClasses,
    HeapAllocator, PageAllocator, PoolAllocator, ProxyAllocator, SizeClasses, SlabAllocator, Stats,
};

use super::by_size::BySize;
use super::chosen::Chosen;
use super::config::{BuddyConfig, Classes, HeapConfig, Over, PoolConfig, Tree};
use super::ring::FrameRing;
use crate::mapped::Arena;
use crate::ours::{self, Buddy, PAGES};

/// The lender of a node's memory: the pages, or a node that outlives it.
pub(super) type Lender = &'static dyn Allocator;

/// A pool of a strategy.
pub(super) type Pool = PoolAllocator<'static, dyn Allocator>;

/// A node. Blocks are freed with their layout, by which most are found.
pub(super) enum Node {
    Heap(HeapAllocator<'static, dyn Allocator>),
    HeapInRegion(HeapAllocator<'static>),
    Pool(Pool),
    Slab(Box<AnySlab>),
    Buddy(BuddyAllocator<'static, dyn Allocator>),
    BuddyInRegion(Buddy),
    /// A buddy whose buffer could not be had.
    Nothing,
    Frame(FrameRing<'static, dyn Allocator>),
    /// Pages for each block, in books of their own.
    Page(PageAllocator),
    Proxy(ours::Over<ProxyAllocator<'static, Self>, Self>),
    BySize(Box<BySize>),
    Chosen(Box<Chosen>),
}

/// A slab of one of the sets of classes that are compiled in.
pub(super) enum AnySlab {
    Default(SlabOver<DefaultClasses>),
    PowersOfTwo(SlabOver<PowersOfTwo>),
    Small(SlabOver<Small>),
    Wide(SlabOver<Wide>),
}

type SlabOver<C> = ours::Over<SlabAllocator<'static, Node, C>, Node>;

/// 16, 32, 64, 128, 256 and 496.
#[derive(Debug)]
pub(super) struct PowersOfTwo;

/// Every 16 bytes up to 128.
#[derive(Debug)]
pub(super) struct Small;

/// Every 32 bytes up to 480.
#[derive(Debug)]
pub(super) struct Wide;

/// The classes of a set, as they are compiled in and as code is written for them.
pub(super) const POWERS_OF_TWO: &[u16] = &[16, 32, 64, 128, 256, 496];
pub(super) const SMALL: &[u16] = &[16, 32, 48, 64, 80, 96, 112, 128];
pub(super) const WIDE: &[u16] =
    &[32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480];

impl SizeClasses for PowersOfTwo {
    const TABLE: &'static ClassTable = &ClassTable::new(POWERS_OF_TWO);
}

impl SizeClasses for Small {
    const TABLE: &'static ClassTable = &ClassTable::new(SMALL);
}

impl SizeClasses for Wide {
    const TABLE: &'static ClassTable = &ClassTable::new(WIDE);
}

impl Node {
    /// Makes the node of a tree. `rest` lends to those that say so; the base takes `arena`.
    pub(super) fn new(tree: &Tree, rest: Lender, arena: Option<Arena>) -> Self {
        match tree {
            Tree::Heap(config) => Self::heap(config, rest, arena),
            Tree::Pool(config) => Self::Pool(pool(config, rest)),
            Tree::Buddy(config) => Self::buddy(config, rest, arena),
            Tree::Slab(config) => {
                let large = Self::new(&config.large, rest, arena);
                let bytes = config.region_bytes as usize;
                Self::Slab(Box::new(match config.classes {
                    Classes::Default => AnySlab::Default(slab(large, bytes)),
                    Classes::PowersOfTwo => AnySlab::PowersOfTwo(slab(large, bytes)),
                    Classes::Small => AnySlab::Small(slab(large, bytes)),
                    Classes::Wide => AnySlab::Wide(slab(large, bytes)),
                }))
            }
            Tree::Frame(config) => Self::Frame(FrameRing::new(
                config.segment_bytes as usize,
                config.segments as usize,
                lender(config.over, rest),
            )),
            Tree::Page(_) => Self::Page(PageAllocator::new("page")),
            Tree::Proxy(config) => {
                let of = Self::new(&config.of, rest, arena);
                Self::Proxy(ours::Over::new(of, |of| {
                    let proxy = ProxyAllocator::new_in("proxy", of);
                    match config.budget {
                        Some(bytes) => proxy.with_budget(bytes as usize),
                        None => proxy,
                    }
                }))
            }
            Tree::BySize(config) => Self::BySize(Box::new(BySize::new(config, rest, arena))),
            Tree::BySite(config) => Self::Chosen(Box::new(Chosen::by_site(config, rest, arena))),
            Tree::ByLifetime(config) => {
                Self::Chosen(Box::new(Chosen::by_lifetime(config, rest, arena)))
            }
        }
    }

    fn heap(config: &HeapConfig, rest: Lender, arena: Option<Arena>) -> Self {
        if let Some(arena) = arena {
            // SAFETY: the maker of a strategy in an arena promises that nothing else uses it while
            // the strategy exists, and the base alone is given it.
            return Self::HeapInRegion(unsafe { ours::heap_in(arena) });
        }
        let lender = lender(config.over, rest);
        Self::Heap(match config.region_bytes {
            Some(bytes) => HeapAllocator::with_region_bytes_in("heap", bytes as usize, lender),
            None => HeapAllocator::new_in("heap", lender),
        })
    }

    fn buddy(config: &BuddyConfig, rest: Lender, arena: Option<Arena>) -> Self {
        if let Some(arena) = arena
            && config.bytes.is_none()
        {
            // SAFETY: as for the heap.
            return Self::BuddyInRegion(unsafe { ours::buddy_in(arena, config.leaf as usize) });
        }
        let bytes = config.bytes.unwrap_or(0) as usize;
        let made =
            BuddyAllocator::new_in("buddy", bytes, config.leaf as usize, lender(config.over, rest));
        made.map_or(Self::Nothing, Self::Buddy)
    }

    /// Serves a request that comes from a site.
    #[inline(always)]
    pub(super) fn allocate_at(
        &self,
        site: u32,
        layout: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        match self {
            Self::BySize(node) => node.allocate_at(site, layout),
            node => node.allocate_elsewhere(site, layout),
        }
    }

    #[inline(never)]
    fn allocate_elsewhere(&self, site: u32, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self {
            Self::Chosen(node) => node.allocate_at(site, layout),
            Self::Nothing => Err(AllocError),
            node => node.with(|node| node.allocate(layout)),
        }
    }

    /// Frees a block of this node.
    ///
    /// # Safety
    ///
    /// As [`Allocator::deallocate_sized`].
    #[inline(always)]
    pub(super) unsafe fn free(&self, block: NonNull<u8>, layout: Layout) {
        match self {
            // SAFETY: the caller's promise, passed on.
            Self::BySize(node) => unsafe { node.deallocate_sized(block, layout) },
            // SAFETY: as above.
            node => unsafe { node.free_elsewhere(block, layout) },
        }
    }

    #[inline(never)]
    unsafe fn free_elsewhere(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        self.with(|node| unsafe { node.deallocate_sized(block, layout) });
    }

    /// Shows the allocator of this node to `act`, a node without memory as pages that serve nobody.
    #[inline(always)]
    fn with<R>(&self, act: impl FnOnce(&dyn Allocator) -> R) -> R {
        match self {
            Self::Heap(node) => act(node),
            Self::HeapInRegion(node) => act(node),
            Self::Pool(node) => act(node),
            Self::Slab(node) => match &**node {
                AnySlab::Default(slab) => act(slab.front()),
                AnySlab::PowersOfTwo(slab) => act(slab.front()),
                AnySlab::Small(slab) => act(slab.front()),
                AnySlab::Wide(slab) => act(slab.front()),
            },
            Self::Buddy(node) => act(node),
            Self::BuddyInRegion(node) => act(node),
            Self::Frame(node) => act(node),
            Self::Page(node) => act(node),
            Self::Nothing => act(&NOTHING),
            Self::Proxy(node) => act(node.front()),
            Self::BySize(node) => act(&**node),
            Self::Chosen(node) => act(&**node),
        }
    }

    /// Checks the node and those below after the last free.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Pool(node) => ours::check(node),
            Self::Frame(node) => ours::check(node),
            // It may lend, and then has chunks alive; its own count is checked by `verify`.
            Self::Proxy(node) => {
                let sound = node.front().verify().map_err(|damage| damage.to_string());
                sound.and_then(|()| node.base().check())
            }
            Self::Slab(node) => match &**node {
                AnySlab::Default(slab) => check_slab(slab),
                AnySlab::PowersOfTwo(slab) => check_slab(slab),
                AnySlab::Small(slab) => check_slab(slab),
                AnySlab::Wide(slab) => check_slab(slab),
            },
            Self::BySize(node) => node.check(),
            Self::Chosen(node) => node.check(),
            // What lends to others has their chunks alive.
            node => node.with(|node| node.verify()).map_err(|damage| damage.to_string()),
        }
    }
}

fn check_slab<C: SizeClasses>(slab: &SlabOver<C>) -> Result<(), String> {
    ours::check(slab.front()).and_then(|()| slab.base().check())
}

fn slab<C: SizeClasses>(large: Node, bytes: usize) -> SlabOver<C> {
    ours::Over::new(large, |large| SlabAllocator::with_classes_in("slab", bytes, large))
}

/// Makes a pool.
pub(super) fn pool(config: &PoolConfig, rest: Lender) -> Pool {
    let pool = PoolAllocator::new_in("pool", config.layout(), lender(config.over, rest));
    match config.chunk_bytes {
        Some(bytes) => {
            pool.with_chunk_bytes(bytes as usize).with_give_back(config.give_back_percent)
        }
        None => pool,
    }
}

/// Returns the lender.
fn lender(over: Over, rest: Lender) -> Lender {
    match over {
        Over::Pages => pages(),
        Over::Rest => rest,
    }
}

/// What a node without memory is seen as; nothing is ever asked of it.
static NOTHING: PageAllocator = PageAllocator::new("nothing");

/// Returns the pages of the system.
pub(super) fn pages() -> Lender {
    const { &PAGES as &'static PageAllocator }
}

// SAFETY: each block comes from one of the allocators inside, which keep the contract; the nodes
// that hold several find the one again that a block came from.
unsafe impl Allocator for Node {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.allocate_at(0, layout)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self {
            Self::Nothing => Err(AllocError),
            node => node.with(|node| node.allocate_zeroed(layout)),
        }
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        self.with(|node| unsafe { node.deallocate(block) });
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.free(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        self.with(|node| unsafe { node.resize_in_place(block, old, new) })
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        self.with(|node| unsafe { node.reallocate(block, old, new) })
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        self.with(|node| unsafe { node.allocated_size(block) })
    }

    fn stats(&self) -> Stats {
        self.with(|node| node.stats())
    }

    fn name(&self) -> &str {
        "node"
    }

    fn owns(&self, address: *const u8) -> bool {
        self.with(|node| node.owns(address))
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.with(|node| node.walk(visit));
    }

    fn verify(&self) -> Result<(), Damage> {
        self.with(|node| node.verify())
    }
}
