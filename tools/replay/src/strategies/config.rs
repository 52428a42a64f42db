//! Strategies as data: a tree of allocators, each kind with its parameters.

use core::alloc::Layout;

use serde::{Deserialize, Serialize};

mod checks;
mod file;

pub use checks::{POOL_BYTES_MAX, SMALL_MAX};
pub use file::{StrategyError, parse, to_json};

/// A strategy: a tree of allocators under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawStrategy")]
pub struct StrategyConfig {
    /// The name of its row.
    pub name: String,
    /// Where the tree takes its memory from.
    #[serde(skip_serializing_if = "Memory::is_pages")]
    pub memory: Memory,
    /// The tree.
    pub tree: Tree,
}

impl StrategyConfig {
    /// Returns `true` if a whole program can run under it: it grows, and does not ask for call
    /// sites, which `malloc` and a global allocator do not know.
    #[must_use]
    pub fn serves_programs(&self) -> bool {
        self.memory == Memory::Pages && !self.tree.asks_for_sites()
    }
}

/// Where a strategy takes its memory from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// The pages of the system.
    #[default]
    Pages,
    /// One fixed region, which holds the base of the tree.
    Region,
}

impl Memory {
    /// Returns `true` if it is the pages of the system, which files need not say.
    fn is_pages(&self) -> bool {
        *self == Self::Pages
    }
}

/// A tree of allocators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tree {
    /// A general-purpose heap.
    Heap(HeapConfig),
    /// Blocks of one size.
    Pool(PoolConfig),
    /// Size classes before an allocator for large blocks.
    Slab(Box<SlabConfig>),
    /// Powers of two of a leaf.
    Buddy(BuddyConfig),
    /// Frames in a ring.
    Frame(FrameConfig),
    /// Pages of the system for each block.
    Page(PageConfig),
    /// Another allocator under a name and, if wanted, a budget.
    Proxy(Box<ProxyConfig>),
    /// One of several allocators by the size of the block.
    BySize(Box<BySizeConfig>),
    /// One of several allocators by the place in the program that asks.
    BySite(Box<BySiteConfig>),
    /// One of several allocators by how long the block is expected to live.
    ByLifetime(Box<ByLifetimeConfig>),
}

/// From whom an allocator inside a tree takes its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The pages of the system.
    #[default]
    Pages,
    /// The node given as `rest` in the node above.
    Rest,
}

impl Over {
    /// Returns `true` if it is the pages of the system, which files need not say.
    fn is_pages(&self) -> bool {
        *self == Self::Pages
    }
}

/// A heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawHeap")]
pub struct HeapConfig {
    /// The bytes of its first region; each further one is twice as large. `None` is the heap's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region_bytes: Option<u32>,
    /// The lender of the regions.
    #[serde(skip_serializing_if = "Over::is_pages")]
    pub over: Over,
}

/// A pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawPool")]
pub struct PoolConfig {
    /// The size of a block.
    pub bytes: u32,
    /// The alignment of a block.
    pub align: u32,
    /// The bytes of a chunk; `None` lets chunks grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<u32>,
    /// After how many frees, in hundredths of its blocks, it looks for chunks to give back; 0 is
    /// never.
    #[serde(skip_serializing_if = "is_zero")]
    pub give_back_percent: u32,
    /// The lender of the chunks.
    #[serde(skip_serializing_if = "Over::is_pages")]
    pub over: Over,
}

impl PoolConfig {
    /// Returns a pool of blocks of a size, aligned to the greatest power of two that divides it, up
    /// to a cache line.
    #[must_use]
    pub fn of(bytes: u32) -> Self {
        let align = 1 << bytes.trailing_zeros().min(6);
        Self { bytes, align, chunk_bytes: None, give_back_percent: 0, over: Over::Pages }
    }

    /// Returns the layout of its blocks.
    pub(super) fn layout(&self) -> Layout {
        Layout::from_size_align(self.bytes as usize, self.align as usize)
            .expect("sizes of pools are checked, and alignments are powers of two up to 4096")
    }
}

/// A slab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawSlab")]
pub struct SlabConfig {
    /// Its size classes.
    pub classes: Classes,
    /// The bytes of its first region.
    pub region_bytes: u32,
    /// What serves larger blocks, and lends the regions.
    pub large: Tree,
}

/// The size classes that a slab may have. They are compiled in, so there are a few to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classes {
    /// Those of the heap.
    #[default]
    Default,
    /// 16, 32, 64, 128, 256 and 496.
    PowersOfTwo,
    /// Every 16 bytes up to 128.
    Small,
    /// Every 32 bytes up to 480.
    Wide,
}

/// A buddy allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawBuddy")]
pub struct BuddyConfig {
    /// Its least block.
    pub leaf: u32,
    /// The bytes of its buffer; `None` where it is the base in a region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// The lender of the buffer.
    #[serde(skip_serializing_if = "Over::is_pages")]
    pub over: Over,
}

/// Frames in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawFrame")]
pub struct FrameConfig {
    /// The size of one frame.
    pub segment_bytes: u32,
    /// How many frames there are.
    pub segments: u32,
    /// The lender of their memory.
    #[serde(skip_serializing_if = "Over::is_pages")]
    pub over: Over,
}

/// Pages of the system. It has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageConfig {}

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawProxy")]
pub struct ProxyConfig {
    /// Its name.
    pub name: String,
    /// The most bytes it may have granted at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// What it is before.
    pub of: Tree,
}

/// Several allocators, chosen by size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawBySize")]
pub struct BySizeConfig {
    /// The classes, ascending and apart from each other.
    pub classes: Vec<SizeClass>,
    /// What serves the other blocks.
    pub rest: Tree,
}

/// Blocks of some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawSizeClass")]
pub struct SizeClass {
    /// The least size; `None` is the one after the class before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// The greatest size.
    pub up_to: u32,
    /// What serves them.
    pub to: Tree,
}

/// Several allocators, chosen by the place that asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawBySite")]
pub struct BySiteConfig {
    /// The classes.
    pub classes: Vec<SiteClass>,
    /// What serves the other blocks.
    pub rest: Tree,
}

/// Blocks from some places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteClass {
    /// The sites, by their numbers in the trace.
    pub sites: Vec<u32>,
    /// What serves them.
    pub to: Tree,
}

/// Several allocators, chosen by the lifetime that sites or sizes foretell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "checks::RawByLifetime")]
pub struct ByLifetimeConfig {
    /// The classes.
    pub classes: Vec<LifetimeClass>,
    /// What serves the other blocks.
    pub rest: Tree,
}

/// Blocks that are expected to live about as long as each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifetimeClass {
    /// What the lifetime is called.
    pub lifetime: String,
    /// The sites whose blocks live so long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<u32>,
    /// Least and greatest sizes of blocks that live so long, wherever they come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<[u32; 2]>,
    /// What serves them.
    pub to: Tree,
}

impl Tree {
    /// Returns the key that names the node in a file.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Heap(_) => "heap",
            Self::Pool(_) => "pool",
            Self::Slab(_) => "slab",
            Self::Buddy(_) => "buddy",
            Self::Frame(_) => "frame",
            Self::Page(_) => "page",
            Self::Proxy(_) => "proxy",
            Self::BySize(_) => "by-size",
            Self::BySite(_) => "by-site",
            Self::ByLifetime(_) => "by-lifetime",
        }
    }

    /// Returns `true` if the node may refuse a block that another would serve, so that it passes
    /// on.
    pub(super) fn passes_on(&self) -> bool {
        match self {
            Self::Frame(_) | Self::Buddy(_) => true,
            Self::Proxy(proxy) => proxy.budget.is_some() || proxy.of.passes_on(),
            _ => false,
        }
    }

    /// Returns `true` if it, or a node below it, chooses by call site.
    fn asks_for_sites(&self) -> bool {
        let own = match self {
            Self::BySite(_) => true,
            Self::ByLifetime(of) => of.classes.iter().any(|class| !class.sites.is_empty()),
            _ => false,
        };
        own || self.below().into_iter().any(Self::asks_for_sites)
    }

    /// Returns the nodes right below, `rest` last.
    #[must_use]
    pub fn below(&self) -> Vec<&Self> {
        match self {
            Self::Slab(slab) => vec![&slab.large],
            Self::Proxy(proxy) => vec![&proxy.of],
            Self::BySize(of) => {
                of.classes.iter().map(|class| &class.to).chain([&of.rest]).collect()
            }
            Self::BySite(of) => {
                of.classes.iter().map(|class| &class.to).chain([&of.rest]).collect()
            }
            Self::ByLifetime(of) => {
                of.classes.iter().map(|class| &class.to).chain([&of.rest]).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
