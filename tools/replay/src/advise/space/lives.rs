//! Strategies that divide blocks by lifetime and by call site.

use super::super::profile::Profile;
use crate::strategies::{
    ByLifetimeConfig, BySiteConfig, FrameConfig, HeapConfig, LifetimeClass, Over, PoolConfig,
    SiteClass, Tree,
};

/// How many sites are led apart at most.
const SITES_MAX: usize = 64;

/// The least blocks of a size or a site that gets a separate allocator.
const BLOCKS_MIN: u64 = 100;

/// Blocks that are known to be brief in a ring of frames, the rest in a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Brief {
    /// Whether blocks are chosen by site, else by size.
    pub(super) by_site: bool,
    /// The least share of blocks that must be brief, in hundredths.
    pub(super) percent: u32,
    pub(super) segment_bytes: u32,
    pub(super) segments: u32,
}

/// Sites with allocators of their own before a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// Each of this number of sites that make most blocks, all of up to 1 KiB, gets a pool.
    Pools(usize),
    /// The sites whose blocks are mostly brief get a heap together.
    BriefHeap(u32),
}

/// Returns all of both kinds that a trace may call for.
pub(super) fn all(profile: &Profile) -> (Vec<Brief>, Vec<Apart>) {
    let has_sites = !profile.sites.is_empty();
    let mut brief = Vec::new();
    for by_site in [false, true] {
        for percent in [90, 99] {
            for (segment_bytes, segments) in
                [(16 << 10, 4), (16 << 10, 16), (64 << 10, 4), (64 << 10, 16)]
            {
                if has_sites || !by_site {
                    brief.push(Brief { by_site, percent, segment_bytes, segments });
                }
            }
        }
    }
    let apart = [1, 2, 4, 8, 16].map(Apart::Pools).into_iter();
    let apart = apart.chain([50, 90, 99].map(Apart::BriefHeap));
    (brief, if has_sites { apart.collect() } else { Vec::new() })
}

fn heap() -> Tree {
    Tree::Heap(HeapConfig { region_bytes: None, over: Over::Pages })
}

/// Returns `true` if there are enough blocks and `percent` percent of them are brief.
fn is_brief(brief: u64, blocks: u64, percent: u32) -> bool {
    blocks >= BLOCKS_MIN && brief * 100 >= blocks * u64::from(percent)
}

impl Brief {
    /// Returns the tree; `None` where no block is known to be brief.
    pub(super) fn tree(self, profile: &Profile) -> Option<Tree> {
        let fits = |bytes: u64| bytes * 8 <= u64::from(self.segment_bytes);
        let (mut sites, mut sizes) = (Vec::new(), Vec::<[u32; 2]>::new());
        if self.by_site {
            let of = profile.sites.iter().filter(|of| fits(of.bytes_max));
            let brief = of.filter(|of| is_brief(of.brief, of.blocks, self.percent));
            sites.extend(brief.take(SITES_MAX).map(|of| of.site));
        } else {
            let of = profile.sizes.iter().filter(|of| fits(of.bytes));
            // Half of the operations are births, those that are still alive at the end left aside.
            let brief = of.filter(|of| is_brief(of.brief, of.operations / 2, self.percent));
            let grain = |align: u64| align.max(16) - 1;
            let mut found: Vec<[u32; 2]> =
                brief.map(|of| [(of.bytes - grain(of.align)) as u32, of.bytes as u32]).collect();
            found.sort_unstable();
            for [least, most] in found {
                match sizes.last_mut() {
                    Some([_, last]) if least <= *last + 1 => *last = most.max(*last),
                    _ => sizes.push([least, most]),
                }
            }
        }
        if sites.is_empty() && sizes.is_empty() {
            return None;
        }
        let Self { segment_bytes, segments, .. } = self;
        let to = Tree::Frame(FrameConfig { segment_bytes, segments, over: Over::Pages });
        let classes = vec![LifetimeClass { lifetime: "brief".to_owned(), sites, sizes, to }];
        Some(Tree::ByLifetime(Box::new(ByLifetimeConfig { classes, rest: heap() })))
    }
}

impl Apart {
    /// Returns the tree; `None` where no site is like that.
    pub(super) fn tree(self, profile: &Profile) -> Option<Tree> {
        let mut classes = Vec::new();
        match self {
            Self::Pools(count) => {
                let small = profile.sites.iter().filter(|of| of.bytes_max <= 1024);
                for of in small.filter(|of| of.blocks >= BLOCKS_MIN).take(count) {
                    let align = of.align.clamp(16, 64);
                    let bytes = of.bytes_max.max(1).next_multiple_of(align) as u32;
                    let pool = PoolConfig { align: align as u32, ..PoolConfig::of(bytes) };
                    classes.push(SiteClass { sites: vec![of.site], to: Tree::Pool(pool) });
                }
            }
            Self::BriefHeap(percent) => {
                let brief = profile.sites.iter();
                let brief = brief.filter(|of| is_brief(of.brief, of.blocks, percent));
                let sites: Vec<u32> = brief.take(SITES_MAX).map(|of| of.site).collect();
                if !sites.is_empty() {
                    classes.push(SiteClass { sites, to: heap() });
                }
            }
        }
        (!classes.is_empty())
            .then(|| Tree::BySite(Box::new(BySiteConfig { classes, rest: heap() })))
    }
}
