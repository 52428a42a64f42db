//! Several allocators, chosen by the size of the block.
//!
//! After Niklas Frykholm, "Allocation Adventures 3: The Buddy Allocator" (2015), which leaves each
//! kind of block to the allocator that is good at it. A table leads from the size to a pool, and
//! since the size is known at the free as well, nothing is searched.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, ProxyAllocator, Stats};

use super::config::{BySizeConfig, SMALL_MAX, Tree};
use super::node::{Lender, Node, Pool, pages, pool};
use crate::mapped::Arena;
use crate::ours::{self, Over};

/// No class.
const NONE: u8 = u8::MAX;

/// The branches over what serves the rest.
pub(super) struct BySize(Lending<Branches>);

/// Branches that take memory from the rest by way of a proxy, which counts it: what is lent is part
/// of blocks that are counted already.
pub(super) type Lending<F> = Over<Over<F, ProxyAllocator<'static, Node>>, Node>;

/// Makes branches over the rest.
pub(super) fn lending<F>(rest: Node, make: impl FnOnce(Lender) -> F) -> Lending<F> {
    Over::new(rest, |rest| Over::new(ProxyAllocator::new_in("lent", rest), |lent| make(lent)))
}

struct Branches {
    table: Table,
    /// The classes that are pools, the first numbers.
    pools: Box<[Pool]>,
    /// The others, and whether they may pass a block on to the rest.
    others: Box<[(Node, bool)]>,
}

/// From a size to its class.
pub(super) struct Table {
    /// For sizes up to [`SMALL_MAX`], in steps of 8, the class.
    small: [u8; SMALL_MAX as usize / 8 + 1],
    /// Least and greatest size of the classes above, ascending.
    large: Box<[(usize, usize, u8)]>,
}

impl Table {
    /// Makes the table of the classes, which have these numbers.
    pub(super) fn new(config: &BySizeConfig, numbers: &[u8]) -> Self {
        let mut next = 1;
        let mut numbered = Vec::new();
        for (class, number) in config.classes.iter().zip(numbers) {
            let from = class.from.map_or(next, |from| from.max(1));
            numbered.push((from as usize, class.up_to as usize, *number));
            next = class.up_to.saturating_add(1);
        }
        let mut small = [NONE; SMALL_MAX as usize / 8 + 1];
        for (from, up_to, number) in &numbered {
            let last = (up_to / 8).min(small.len() - 1);
            if let Some(slots) = small.get_mut(from.div_ceil(8)..=last) {
                slots.fill(*number);
            }
            if *from == 1 {
                // A request of no bytes is served as one byte.
                small[0] = *number;
            }
        }
        let large = numbered.into_iter().filter(|(_, up_to, _)| *up_to > SMALL_MAX as usize);
        Self { small, large: large.collect() }
    }

    /// Returns the class of a size, or one that there is not.
    #[inline(always)]
    pub(super) fn class_of(&self, bytes: usize) -> u8 {
        // A layout's size is at most `isize::MAX`, so the sum does not overflow; rounding up by a
        // quotient and a remainder would cost three instructions more.
        match self.small.get(bytes.wrapping_add(7) / 8) {
            Some(class) => *class,
            None => self.class_of_large(bytes),
        }
    }

    #[inline]
    fn class_of_large(&self, bytes: usize) -> u8 {
        let found = self.large.iter().find(|(_, up_to, _)| bytes <= *up_to);
        found.filter(|(from, _, _)| bytes >= *from).map_or(NONE, |(_, _, number)| *number)
    }
}

impl BySize {
    pub(super) fn new(config: &BySizeConfig, above: Lender, arena: Option<Arena>) -> Self {
        let rest = Node::new(&config.rest, above, arena);
        Self(lending(rest, |lent| Branches::new(config, lent)))
    }

    #[inline(always)]
    fn branches(&self) -> &Branches {
        self.0.front().front()
    }

    /// Returns the pool that serves a layout, if one does.
    #[inline(always)]
    fn pool_of(&self, layout: Layout) -> Option<&Pool> {
        let branches = self.branches();
        let pool = branches.pools.get(branches.table.class_of(layout.size()) as usize)?;
        (layout.align() <= pool.block_layout().align()).then_some(pool)
    }

    /// Returns the node for a layout that no pool serves, and whether it may pass it on.
    fn other_of(&self, layout: Layout) -> Option<&(Node, bool)> {
        let branches = self.branches();
        let class = branches.table.class_of(layout.size()) as usize;
        branches.others.get(class.wrapping_sub(branches.pools.len()))
    }

    /// Returns the node that holds a block that no pool does.
    fn holder(&self, block: NonNull<u8>, layout: Layout) -> &Node {
        match self.other_of(layout) {
            Some((node, passes_on)) if !passes_on || node.owns(block.as_ptr()) => node,
            _ => self.0.base(),
        }
    }

    #[inline(always)]
    pub(super) fn allocate_at(
        &self,
        site: u32,
        layout: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        match self.pool_of(layout) {
            Some(pool) => pool.allocate(layout),
            None => self.allocate_elsewhere(site, layout),
        }
    }

    #[inline(never)]
    fn allocate_elsewhere(&self, site: u32, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if let Some((node, passes_on)) = self.other_of(layout) {
            let served = node.allocate_at(site, layout);
            if served.is_ok() || !passes_on {
                return served;
            }
        }
        self.0.base().allocate_at(site, layout)
    }

    /// # Safety
    ///
    /// As [`Allocator::deallocate_sized`].
    #[inline(never)]
    unsafe fn free_elsewhere(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the holder gave the block out; the rest is the caller's promise.
        unsafe { self.holder(block, layout).free(block, layout) }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let branches = self.branches();
        branches.pools.iter().try_for_each(ours::check)?;
        branches.others.iter().try_for_each(|(node, _)| node.check())?;
        self.0.base().check()
    }

    /// Returns the sizes of the pools that have a live block.
    #[cfg(test)]
    pub(super) fn pools_in_use(&self) -> Vec<usize> {
        let pools = self.branches().pools.iter().filter(|pool| pool.stats().live > 0);
        pools.map(|pool| pool.block_layout().size()).collect()
    }

    fn each(&self) -> impl Iterator<Item = &dyn Allocator> {
        let branches = self.branches();
        let pools = branches.pools.iter().map(|pool| pool as &dyn Allocator);
        let others = branches.others.iter().map(|(node, _)| node as &dyn Allocator);
        pools.chain(others).chain([self.0.base() as &dyn Allocator])
    }

    fn owner(&self, block: NonNull<u8>) -> &dyn Allocator {
        self.each().find(|part| part.owns(block.as_ptr())).unwrap_or(self.0.base())
    }
}

impl Branches {
    fn new(config: &BySizeConfig, rest: Lender) -> Self {
        let mut pools = Vec::new();
        let mut others = Vec::new();
        let mut numbers = Vec::new();
        let count = config.classes.iter().filter(|class| matches!(class.to, Tree::Pool(_))).count();
        for class in &config.classes {
            let number = match &class.to {
                Tree::Pool(config) => {
                    pools.push(pool(config, rest));
                    pools.len() - 1
                }
                tree => {
                    others.push((Node::new(tree, rest, None), tree.passes_on()));
                    count + others.len() - 1
                }
            };
            // The checks see to it that there are at most 200.
            numbers.push(number as u8);
        }
        let table = Table::new(config, &numbers);
        Self { table, pools: pools.into(), others: others.into() }
    }
}

// SAFETY: each block comes from one branch, all of which keep the contract of `Allocator` and have
// separate memory. Size and alignment, the same at the free, lead to a pool again or to a node that
// never passes on; blocks that may have been passed on are found by their address.
unsafe impl Allocator for BySize {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.allocate_at(0, layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if let Some(pool) = self.pool_of(layout) {
            return pool.allocate_zeroed(layout);
        }
        if let Some((node, passes_on)) = self.other_of(layout) {
            let served = node.allocate_zeroed(layout);
            if served.is_ok() || !passes_on {
                return served;
            }
        }
        self.0.base().allocate_zeroed(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the owner gave the block out; the rest is the caller's promise.
        unsafe { self.owner(block).deallocate(block) }
    }

    #[inline(always)]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        match self.pool_of(layout) {
            // SAFETY: the layout leads to the pool that the block came from.
            Some(pool) => unsafe { pool.deallocate_sized(block, layout) },
            // SAFETY: the caller's promise, passed on.
            None => unsafe { self.free_elsewhere(block, layout) },
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let from = self.pool_of(old);
        // A block may stay only where its new size leads to, or its free would not find it.
        if from.map(core::ptr::from_ref) != self.pool_of(new).map(core::ptr::from_ref) {
            return Err(AllocError);
        }
        if let Some(pool) = from {
            // SAFETY: the pool holds the block; the rest is the caller's promise.
            return unsafe { pool.resize_in_place(block, old, new) };
        }
        let holder = self.holder(block, old);
        if !core::ptr::eq(holder, self.holder(block, new)) {
            return Err(AllocError);
        }
        // SAFETY: the holder gave the block out; the rest is the caller's promise.
        unsafe { holder.resize_in_place(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let in_rest = |layout| self.pool_of(layout).is_none() && self.other_of(layout).is_none();
        if in_rest(old) && in_rest(new) {
            // SAFETY: the rest holds the block and serves the new size.
            return unsafe { self.0.base().reallocate(block, old, new) };
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { resize_or_move(self, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the owner gave the block out, which is live.
        unsafe { self.owner(block).allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        sum(self.each(), self.0.front().base())
    }

    fn name(&self) -> &str {
        "by size"
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

/// Changes the size of a block in place, or moves it.
///
/// # Safety
///
/// As [`Allocator::reallocate`].
pub(super) unsafe fn resize_or_move(
    node: &impl Allocator,
    block: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    if new.align() <= old.align()
        // SAFETY: the caller's promise, passed on.
        && let Ok(resized) = unsafe { node.resize_in_place(block, old, new) }
    {
        return Ok(resized);
    }
    let moved = node.allocate(new)?;
    // SAFETY: both blocks are live, distinct and hold the lesser size.
    unsafe {
        moved.cast::<u8>().copy_from_nonoverlapping(block, old.size().min(new.size()));
    }
    // SAFETY: the old block is live with this layout and is not used again.
    unsafe { node.deallocate_sized(block, old) };
    Ok(moved)
}

/// Returns the sums of the counters of several allocators, less what `lent` counts, which one of
/// them gave to others. Each peaks at its own time, so the peaks are at least those of all
/// together.
pub(super) fn sum<'n>(
    parts: impl Iterator<Item = &'n dyn Allocator>,
    lent: &dyn Allocator,
) -> Stats {
    let mut sum = Stats::default();
    for stats in parts.map(Allocator::stats) {
        sum.live += stats.live;
        sum.requested += stats.requested;
        sum.granted += stats.granted;
        sum.reserved += stats.reserved;
        sum.peak_requested += stats.peak_requested;
        sum.peak_granted += stats.peak_granted;
        sum.peak_reserved += stats.peak_reserved;
        sum.allocations_total += stats.allocations_total;
        sum.requested_total += stats.requested_total;
        sum.granted_total += stats.granted_total;
    }
    let lent = lent.stats();
    sum.live -= lent.live;
    sum.requested -= lent.requested;
    sum.granted -= lent.granted;
    sum.reserved -= lent.granted;
    sum.allocations_total -= lent.allocations_total;
    sum.requested_total -= lent.requested_total;
    sum.granted_total -= lent.granted_total;
    sum
}

/// The lender to the nodes of a tree whose root says `rest`: nobody, as the checks refuse that.
pub(super) fn nobody() -> Lender {
    pages()
}
