//! Strategies made of good ones: with one class more, less or other, or with the classes of two.

use super::super::profile::{Profile, SizeUse};
use super::{CHUNKS, Pick, Pools, align_of, large_sizes, leanest, paged_from};
use crate::strategies::{BySizeConfig, HeapConfig, Over, PageConfig, SizeClass, Tree};

/// How many sizes of each sort may get a pool by an edit.
const SIZES_MAX: usize = 16;

/// Makes edits, the same for the same seed.
#[derive(Clone, Debug)]
pub(super) struct Edits<'p> {
    profile: &'p Profile,
    /// Sizes that may get a pool.
    sizes: Vec<u32>,
    /// Sizes from which on blocks may be pages.
    pages: Vec<u32>,
    random: u64,
}

impl<'p> Edits<'p> {
    pub(super) fn new(profile: &'p Profile, seed: u64) -> Self {
        let small = profile.sizes.iter().filter(|size| size.bytes <= 512).take(SIZES_MAX);
        let lean = leanest(profile).into_iter().take(SIZES_MAX);
        let large = large_sizes(profile).into_iter().take(SIZES_MAX);
        let bytes = |size: &SizeUse| u32::try_from(size.bytes).ok();
        let mut sizes: Vec<u32> = small.chain(lean).chain(large).filter_map(bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let pages = paged_from(profile).into_iter().flatten().collect();
        Self { profile, sizes, pages, random: seed }
    }

    /// Returns an edit of a strategy, or its union with one of the `others`; `None` where it is of
    /// another form, or where the edit that was drawn does not fit it.
    pub(super) fn next(&mut self, of: &Tree, others: &[Tree]) -> Option<Tree> {
        let mut classes = classes_of(of)?;
        match self.below(8) {
            0 | 1 => {
                let at = self.below(classes.len());
                if at < classes.len() {
                    classes.remove(at);
                }
            }
            2..=4 => {
                let other = others.get(self.below(others.len()))?;
                for class in classes_of(other)? {
                    insert(&mut classes, class);
                }
            }
            5 => {
                let at = self.below(self.pages.len());
                let from = *self.pages.get(at)?;
                classes.retain(|class| class.up_to < from);
                let to = Tree::Page(PageConfig {});
                insert(&mut classes, SizeClass { from: Some(from), up_to: u32::MAX, to });
            }
            6 => {
                let pool = self.pool(&classes)?;
                insert(&mut classes, pool);
            }
            _ => {
                // A pool that is there gets other chunks.
                let at = self.below(classes.len());
                let SizeClass { from, up_to, to: Tree::Pool(_) } = classes.get(at)? else {
                    return None;
                };
                classes[at] =
                    self.kind(&[]).class(self.profile, from.map_or(0, |from| from - 1), *up_to);
            }
        }
        let rest = Tree::Heap(HeapConfig { region_bytes: None, over: Over::Pages });
        (!classes.is_empty()).then(|| Tree::BySize(Box::new(BySizeConfig { classes, rest })))
    }

    /// Returns a pool for a size that has none.
    fn pool(&mut self, classes: &[SizeClass]) -> Option<SizeClass> {
        let at = self.below(self.sizes.len());
        let bytes = *self.sizes.get(at)?;
        let below = bytes.saturating_sub(align_of(self.profile, bytes.into()) as u32);
        Some(self.kind(classes).class(self.profile, below, bytes))
    }

    /// Draws what chunks a pool has: mostly as another of the strategy has them.
    fn kind(&mut self, classes: &[SizeClass]) -> Pools {
        let pools: Vec<_> = classes
            .iter()
            .filter_map(|class| match &class.to {
                Tree::Pool(pool) => Some(pool),
                _ => None,
            })
            .collect();
        let (chunk, give_back, over) = match pools.get(self.below(pools.len())) {
            Some(pool) if self.below(4) > 0 => {
                (pool.chunk_bytes.map(u32::next_power_of_two), pool.give_back_percent, pool.over)
            }
            _ => {
                let (chunk, give_back) = CHUNKS[self.below(CHUNKS.len())];
                (chunk, give_back, [Over::Rest, Over::Pages][self.below(2)])
            }
        };
        Pools { pick: Pick::Hottest(0), chunk, give_back, over, large: 0, pages: None }
    }

    /// Draws a number below `end`, 0 where that is 0.
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % end.max(1) as u64) as usize
    }
}

/// Returns the classes of a strategy that parts blocks by size before a heap, each with its least
/// size.
fn classes_of(tree: &Tree) -> Option<Vec<SizeClass>> {
    let by_size = match tree {
        Tree::Heap(_) => return Some(Vec::new()),
        Tree::BySize(by_size) if matches!(by_size.rest, Tree::Heap(_)) => by_size,
        _ => return None,
    };
    let mut least = 1;
    let mut classes = by_size.classes.clone();
    for class in &mut classes {
        class.from = Some(class.from.unwrap_or(least));
        least = class.up_to.saturating_add(1);
    }
    Some(classes)
}

/// Adds a class unless it would overlap another.
fn insert(classes: &mut Vec<SizeClass>, class: SizeClass) {
    let from = |of: &SizeClass| of.from.unwrap_or(1);
    let at = classes.partition_point(|other| from(other) < from(&class));
    let is_behind = at == 0 || classes[at - 1].up_to < from(&class);
    let is_before = classes.get(at).is_none_or(|next| class.up_to < from(next));
    if is_behind && is_before {
        classes.insert(at, class);
    }
}

#[cfg(test)]
mod tests;
