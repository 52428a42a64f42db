//! Several allocators, chosen by the place that asks or by the lifetime that is expected of a
//! block.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

use super::by_size::{Lending, lending, resize_or_move, sum};
use super::config::{ByLifetimeConfig, BySiteConfig, Tree};
use super::node::{Lender, Node};
use crate::mapped::Arena;

/// No class.
const NONE: u8 = u8::MAX;

/// The branches over what serves the rest. Since neither site nor lifetime is known at a free, a
/// block is found by its address.
pub(super) struct Chosen(Lending<Branches>);

/// Sites, sizes, and what serves them.
type Class<'c> = (&'c [u32], &'c [[u32; 2]], &'c Tree);

struct Branches {
    /// For each site its class.
    sites: Box<[u8]>,
    /// Least and greatest size, and class.
    sizes: Box<[(usize, usize, u8)]>,
    /// The classes, and whether they may pass a block on to the rest.
    nodes: Box<[(Node, bool)]>,
}

impl Chosen {
    pub(super) fn by_site(config: &BySiteConfig, above: Lender, arena: Option<Arena>) -> Self {
        let classes = config.classes.iter().map(|class| (&*class.sites, &[][..], &class.to));
        Self::new(classes.collect(), &config.rest, above, arena)
    }

    pub(super) fn by_lifetime(
        config: &ByLifetimeConfig,
        above: Lender,
        arena: Option<Arena>,
    ) -> Self {
        let classes = config.classes.iter();
        let classes = classes.map(|class| (&*class.sites, &*class.sizes, &class.to));
        Self::new(classes.collect(), &config.rest, above, arena)
    }

    fn new(classes: Vec<Class<'_>>, rest: &Tree, above: Lender, arena: Option<Arena>) -> Self {
        let rest = Node::new(rest, above, arena);
        Self(lending(rest, |rest| {
            let mut sites = Vec::new();
            let mut sizes = Vec::new();
            let mut nodes = Vec::new();
            for (number, (of_sites, of_sizes, tree)) in classes.into_iter().enumerate() {
                for site in of_sites {
                    let site = *site as usize;
                    if sites.len() <= site {
                        sites.resize(site + 1, NONE);
                    }
                    sites[site] = number as u8;
                }
                for [least, most] in of_sizes {
                    sizes.push((*least as usize, *most as usize, number as u8));
                }
                nodes.push((Node::new(tree, rest, None), tree.passes_on()));
            }
            Branches { sites: sites.into(), sizes: sizes.into(), nodes: nodes.into() }
        }))
    }

    fn branches(&self) -> &Branches {
        self.0.front().front()
    }

    fn choose(&self, site: u32, layout: Layout) -> Option<&(Node, bool)> {
        let branches = self.branches();
        let by_site = branches.sites.get(site as usize).copied().unwrap_or(NONE);
        let class = if by_site == NONE {
            let bytes = layout.size();
            let found =
                branches.sizes.iter().find(|(least, most, _)| (*least..=*most).contains(&bytes));
            found.map_or(NONE, |(_, _, class)| *class)
        } else {
            by_site
        };
        let node = branches.nodes.get(class as usize)?;
        // A pool cannot hold what does not fit its blocks.
        match &node.0 {
            Node::Pool(pool) => {
                let block = pool.block_layout();
                (layout.size() <= block.size() && layout.align() <= block.align()).then_some(node)
            }
            _ => Some(node),
        }
    }

    pub(super) fn allocate_at(
        &self,
        site: u32,
        layout: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if let Some((node, passes_on)) = self.choose(site, layout) {
            let served = node.allocate_at(site, layout);
            if served.is_ok() || !passes_on {
                return served;
            }
        }
        self.0.base().allocate_at(site, layout)
    }

    fn holder(&self, block: NonNull<u8>) -> &Node {
        let nodes = &self.branches().nodes;
        let found = nodes.iter().find(|(node, _)| node.owns(block.as_ptr()));
        found.map_or(self.0.base(), |(node, _)| node)
    }

    fn each(&self) -> impl Iterator<Item = &dyn Allocator> {
        let nodes = self.branches().nodes.iter().map(|(node, _)| node as &dyn Allocator);
        nodes.chain([self.0.base() as &dyn Allocator])
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.branches().nodes.iter().try_for_each(|(node, _)| node.check())?;
        self.0.base().check()
    }
}

// SAFETY: each block comes from one branch, all of which keep the contract of `Allocator` and have
// memory of their own; the branch that owns its address gave it out. The rest may lend to a branch
// and then owns its blocks' addresses too, so it is asked last.
unsafe impl Allocator for Chosen {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.allocate_at(0, layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the holder gave the block out; the rest is the caller's promise.
        unsafe { self.holder(block).deallocate(block) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.holder(block).free(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: as above.
        unsafe { self.holder(block).resize_in_place(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let holder = self.holder(block);
        if core::ptr::eq(holder, self.0.base()) {
            // SAFETY: as above.
            return unsafe { holder.reallocate(block, old, new) };
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { resize_or_move(self, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the holder gave the block out, which is live.
        unsafe { self.holder(block).allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        sum(self.each(), self.0.front().base())
    }

    fn name(&self) -> &str {
        "by site"
    }

    fn owns(&self, address: *const u8) -> bool {
        self.each().any(|part| part.owns(address))
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.each().for_each(|part| part.walk(visit));
    }

    fn verify(&self) -> Result<(), Damage> {
        self.each().try_for_each(Allocator::verify)
    }
}
