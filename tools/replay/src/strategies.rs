//! Strategies: allocators of ours composed, each block led to one of them.
//!
//! After Niklas Frykholm, "Allocation Adventures 3: The Buddy Allocator" (2015), which leaves each
//! kind of block to the allocator that is good at it. A strategy is a tree: its leaves are
//! allocators, its branches lead a block to one of several by size, site or expected lifetime.
//!
//! ```text
//!  block of n bytes --> by size --> n <= 256      pools of 16, 32 .. 256
//!                               --> n >= 262144   pages
//!                               --> rest          heap
//! ```
//!
//! `docs/reference/strategies.md` says how to write one as JSON, and how to turn one into Rust.

mod by_size;
mod chosen;
mod config;
mod emit;
mod flat;
mod node;
mod ring;

pub use config::{
    BuddyConfig, ByLifetimeConfig, BySiteConfig, BySizeConfig, Classes, FrameConfig, HeapConfig,
    LifetimeClass, Memory, Over, PageConfig, PoolConfig, ProxyConfig, SiteClass, SizeClass,
    SlabConfig, StrategyConfig, Tree,
};
pub use config::{POOL_BYTES_MAX, SMALL_MAX, StrategyError, parse, to_json};
pub use emit::{emit_global, emit_rust};

use core::alloc::Layout;
use core::cell::Cell;

use loligo_allocators::{Allocator, HeapAllocator};

use crate::mapped::Arena;
use crate::our_rows::allocator_row;
use crate::ours;
use crate::results::Kind;
use crate::rows::Row;
use crate::subject::Subject;
use flat::{Flat, fits};
use node::Node;

/// Returns the strategy that is the heap alone.
#[must_use]
pub fn heap_alone() -> StrategyConfig {
    StrategyConfig {
        name: "heap".to_owned(),
        memory: Memory::Pages,
        tree: Tree::Heap(HeapConfig::default()),
    }
}

/// Returns the strategies that are built in.
#[must_use]
pub fn built_in() -> Vec<StrategyConfig> {
    let pools = |rest: Tree| {
        let pool = |bytes| SizeClass {
            from: None,
            up_to: bytes,
            to: Tree::Pool(PoolConfig { over: Over::Rest, ..PoolConfig::of(bytes) }),
        };
        Tree::BySize(Box::new(BySizeConfig {
            classes: (1..=16).map(|n| pool(n * 16)).collect(),
            rest,
        }))
    };
    let heap = || Tree::Heap(HeapConfig::default());
    let one = |from, up_to, to| {
        let class = SizeClass { from, up_to, to };
        Tree::BySize(Box::new(BySizeConfig { classes: vec![class], rest: heap() }))
    };
    let frame = FrameConfig { segment_bytes: 64 << 10, segments: 16, over: Over::Rest };
    let strategy =
        |name: &str, memory, tree| StrategyConfig { name: name.to_owned(), memory, tree };
    vec![
        strategy("pools+heap", Memory::Pages, pools(heap())),
        strategy(
            "pools+buddy",
            Memory::Region,
            pools(Tree::Buddy(BuddyConfig { leaf: 16, bytes: None, over: Over::Pages })),
        ),
        strategy("frame+heap", Memory::Pages, one(None, 256, Tree::Frame(frame))),
        strategy(
            "pages-for-big+heap",
            Memory::Pages,
            one(Some(256 << 10), u32::MAX, Tree::Page(PageConfig {})),
        ),
    ]
}

impl StrategyConfig {
    /// Returns the row that replays this strategy.
    #[must_use]
    pub fn row(&self) -> Row {
        let tree = self.tree.clone();
        let name = self.name.clone();
        match self.memory {
            Memory::Pages => match (fits(&tree), &tree) {
                (Some((config, heap)), _) => {
                    let config = config.clone();
                    if config.classes.len() > 1 || matches!(config.classes[0].to, Tree::Pool(_)) {
                        Row::growing(name, Kind::Strategy, move || Flat::<true>::new(&config, heap))
                    } else {
                        Row::growing(name, Kind::Strategy, move || {
                            Flat::<false>::new(&config, heap)
                        })
                    }
                }
                (None, Tree::Heap(HeapConfig { region_bytes, over: Over::Pages })) => {
                    let bytes = *region_bytes;
                    allocator_row(name, move || match bytes {
                        None => ours::heap(),
                        Some(bytes) => HeapAllocator::with_region_bytes_in(
                            "heap",
                            bytes as usize,
                            &ours::PAGES,
                        ),
                    })
                }
                _ => Row::growing(name, Kind::Strategy, move || Strategy::new(&tree, None)),
            },
            Memory::Region => {
                Row::in_region(name, Kind::Strategy, move |arena| Strategy::new(&tree, Some(arena)))
            }
        }
    }
}

/// A strategy at work.
pub(crate) struct Strategy {
    root: Node,
    /// The site of the request that comes next.
    site: Cell<u32>,
}

impl Strategy {
    /// Makes a strategy. Nothing else uses the arena while the strategy exists.
    pub(crate) fn new(tree: &Tree, arena: Option<Arena>) -> Self {
        Self { root: Node::new(tree, by_size::nobody(), arena), site: Cell::new(0) }
    }
}

// SAFETY: the root keeps the contract of `Allocator`, which asks for the same.
unsafe impl Subject for Strategy {
    fn at_site(&mut self, site: u32) {
        self.site.set(site);
    }

    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        ours::address(self.root.allocate_at(self.site.get(), layout))
    }

    #[inline(never)]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        if self.site.get() == 0 {
            return ours::address(self.root.allocate_zeroed(layout));
        }
        let block = ours::address(self.root.allocate_at(self.site.get(), layout));
        if !block.is_null() {
            // SAFETY: the block was just handed out and holds the layout's size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { ours::free(&self.root, block, layout) }
    }

    #[inline(never)]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { ours::reallocate(&self.root, block, old, bytes) }
    }

    fn check(&self) -> Result<(), String> {
        self.root.check()?;
        match self.root.stats().live {
            0 => Ok(()),
            live => Err(format!("{live} blocks count as live after the last free")),
        }
    }
}

#[cfg(test)]
mod tests;
