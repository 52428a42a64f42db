//! Every state of small trees, and every call in each of them, against a model without bits.

use core::ops::Range;
use std::vec::Vec;

use bitvec::prelude::{BitVec, Lsb0};

use crate::blocks::buddy::check::BlockState;
use crate::blocks::buddy::node::Node;
use crate::blocks::buddy::tests::{Bare, report_of};

/// The live blocks of a tree, by their leaves; all other present leaves are free.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Model {
    top: u32,
    present: Range<u32>,
    live: Vec<Range<u32>>,
}

fn overlap(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Model {
    fn range(index: u32, height: u32) -> Range<u32> {
        index << height..(index + 1) << height
    }

    fn is_free(&self, range: &Range<u32>) -> bool {
        range.start >= self.present.start
            && range.end <= self.present.end
            && !self.live.iter().any(|live| overlap(live, range))
    }

    fn state(&self, index: u32, height: u32) -> BlockState {
        let range = Self::range(index, height);
        let outer = Self::range(index / 2, height + 1);
        let root = height == self.top;
        if !overlap(&range, &self.present) {
            let inside = !root && !overlap(&outer, &self.present);
            return if inside { BlockState::Absent } else { BlockState::Allocated };
        }
        if range.start < self.present.start || range.end > self.present.end {
            return BlockState::Split;
        }
        match self.live.iter().find(|live| overlap(live, &range)) {
            Some(live) if *live == range => BlockState::Allocated,
            Some(live) if live.len() > range.len() => BlockState::Absent,
            Some(_) => BlockState::Split,
            None if !root && self.is_free(&outer) => BlockState::Absent,
            None => BlockState::Free,
        }
    }

    fn blocks(&self, wanted: BlockState) -> Vec<Range<u32>> {
        let mut found = Vec::new();
        for height in 0..=self.top {
            for index in 0..1 << (self.top - height) {
                let range = Self::range(index, height);
                if self.state(index, height) == wanted && overlap(&range, &self.present) {
                    found.push(range);
                }
            }
        }
        found
    }

    /// Creates a tree in this state.
    fn tree(&self) -> Bare {
        let bare = Bare::new(self.top, self.present.start, self.present.end);
        for live in &self.live {
            bare.tree.reserve(live.start, live.end, |_| ()).expect("the range is free");
        }
        bare
    }

    fn assert_same(&self, bare: &Bare) {
        bare.tree.check().expect("the tree is sound");
        for height in 0..=self.top {
            for index in 0..1 << (self.top - height) {
                let (ours, model) = (bare.tree.state(index, height), self.state(index, height));
                assert_eq!(ours, model, "block {index} of height {height} in {self:?}");
            }
        }
    }
}

/// Every set of live blocks below one block, as ranges of leaves.
fn states(range: Range<u32>) -> Vec<Vec<Range<u32>>> {
    let mut all = std::vec![Vec::new(), std::vec![range.clone()]];
    if range.len() > 1 {
        let middle = range.start + range.len() as u32 / 2;
        let (left, right) = (states(range.start..middle), states(middle..range.end));
        for a in &left {
            for b in &right {
                if !a.is_empty() || !b.is_empty() {
                    all.push(a.iter().chain(b).cloned().collect());
                }
            }
        }
    }
    all
}

#[test]
fn bits_tell_all_states_of_16_leaves_apart() {
    let all = states(0..16);
    assert_eq!(all.len(), 458_330);
    let mut patterns = Vec::with_capacity(all.len());
    let bare = Bare::new(4, 0, 16);
    let empty = bare.tree.bits()[0].get();
    assert_eq!(empty & 0xffff_fffe, 0, "no block of a free tree has its bit set");
    for live in &all {
        // The bits as they are defined: a block is used if it is live or contains a live block.
        let mut bits = BitVec::<u32, Lsb0>::repeat(false, 32);
        bits.set(0, true);
        for range in live {
            let mut node = Node::new(range.start, range.len().ilog2());
            bits.set(node.0 as usize, true);
            for height in node.height()..4 {
                node = node.parent(height);
                bits.set(node.0 as usize, true);
            }
        }
        let pattern = bits.as_raw_slice()[0];
        patterns.push(pattern);
        bare.tree.bits()[0].set(u64::from(pattern) | (empty & !0xffff_ffff));
        // The bits alone determine the state: its live blocks and nothing else.
        let mut found = Vec::with_capacity(live.len());
        bare.tree.each_live(&mut |leaf, height| found.push(leaf..leaf + (1 << height)));
        assert_eq!(&found, live);
    }
    patterns.sort_unstable();
    patterns.dedup();
    assert_eq!(patterns.len(), 458_330);
}

#[test]
fn every_state_of_16_leaves_is_reached_and_left() {
    let bare = Bare::new(4, 0, 16);
    let empty = bare.tree.bits()[0].get();
    for (count, live) in states(0..16).iter().enumerate() {
        for range in live {
            bare.tree.reserve(range.start, range.end, |_| ()).expect("the range is free");
        }
        if count % 64 == 0 {
            bare.tree.check().expect("the tree is sound");
        }
        for range in live {
            bare.tree.free_sized(u64::from(range.start) << 4, (range.len() as u64) << 4);
        }
        assert_eq!(bare.tree.bits()[0].get(), empty, "all merged after {live:?}");
        assert_eq!(bare.tree.head().books.heights.get(), 1 << 4);
    }
}

/// Every present window of 8 leaves with every state of it that a tree can be in.
fn each_small_state(mut visit: impl FnMut(&Model)) {
    let all = states(0..8);
    for first in 0..8 {
        for end in first + 1..=8 {
            for live in &all {
                if live.iter().all(|range| range.start >= first && range.end <= end) {
                    let present = first..end;
                    visit(&Model { top: 3, present, live: live.clone() });
                }
            }
        }
    }
}

#[test]
fn every_allocation_in_every_small_tree() {
    each_small_state(|model| {
        for height in 0..=4 {
            for align in 0..=4 {
                let bare = model.tree();
                let run = bare.tree.allocate(16 << height, 16 << align);
                let mut after = model.clone();
                match run {
                    Some(run) => {
                        let range = run.leaf..run.leaf + (1 << run.height);
                        assert_eq!((run.height, run.leaf % (1 << align)), (height, 0));
                        assert!(model.is_free(&range), "{range:?} in {model:?}");
                        after.live.push(range);
                    }
                    None => {
                        let free = model.blocks(BlockState::Free);
                        let fits = |start: u32| {
                            let range = start..start + (1 << height);
                            free.iter().any(|f| f.start <= start && range.end <= f.end)
                        };
                        let step = 1 << height.max(align);
                        let missed = (0..8_u32).step_by(step).any(fits);
                        assert!(!missed, "{height} at {align} fits in {model:?}");
                    }
                }
                after.assert_same(&bare);
            }
        }
    });
}

#[test]
fn every_free_in_every_small_tree() {
    each_small_state(|model| {
        for (at, range) in model.live.iter().enumerate() {
            for sized in [false, true] {
                let bare = model.tree();
                let offset = u64::from(range.start - model.present.start) << 4;
                if sized {
                    bare.tree.free_sized(offset, (range.len() as u64) << 4);
                } else {
                    bare.tree.free(offset);
                }
                let mut after = model.clone();
                after.live.remove(at);
                after.assert_same(&bare);
            }
        }
    });
}

#[test]
fn every_resize_in_every_small_tree() {
    each_small_state(|model| {
        for (at, range) in model.live.iter().enumerate() {
            for height in 0..=4 {
                let bare = model.tree();
                let offset = u64::from(range.start - model.present.start) << 4;
                let result = bare.tree.resize(offset, (range.len() as u64) << 4, 16 << height);
                let wanted = range.start..range.start + (1 << height);
                let added = range.end..wanted.end;
                let possible = wanted.start % (1 << height) == 0
                    && height <= 3
                    && (added.is_empty() || model.is_free(&added));
                assert_eq!(result.is_ok(), possible || wanted.len() <= range.len());
                let mut after = model.clone();
                if result.is_ok() {
                    after.live[at] = wanted;
                }
                after.assert_same(&bare);
            }
        }
    });
}

#[test]
fn every_reserved_range_in_every_small_tree() {
    each_small_state(|model| {
        for from in model.present.clone() {
            for to in from + 1..=model.present.end {
                let bare = model.tree();
                let free = model.is_free(&(from..to));
                assert_eq!(bare.tree.reserve(from, to, |_| ()).is_ok(), free);
                if !free {
                    model.assert_same(&bare);
                    continue;
                }
                bare.tree.check().expect("the tree is sound");
                for leaf in from..to {
                    assert!(bare.tree.block_around(leaf).1, "leaf {leaf} is taken");
                }
                bare.tree.release_range(from, to, |_| ());
                model.assert_same(&bare);
            }
        }
    });
}

#[test]
fn every_wrong_free_in_a_small_tree_is_named_and_changes_nothing() {
    let model = Model { top: 3, present: 1..7, live: std::vec![1..2, 4..6] };
    let bare = model.tree();
    // Leaf by leaf from the first: live, free, free, live, inside, free; then past the end.
    let names = [
        "wrong size",
        "double free",
        "double free",
        "wrong size",
        "interior",
        "double free",
        "foreign",
    ];
    for (leaf, name) in names.iter().enumerate() {
        for height in 0..=4 {
            let right = (leaf, height) == (0, 0) || (leaf, height) == (3, 1);
            if !right {
                let offset = (leaf as u64) << 4;
                let report = report_of(|| bare.tree.free_sized(offset, 16 << height));
                assert!(report.contains(name), "{leaf} {height}: {report}");
            }
        }
        let between = report_of(|| bare.tree.free(((leaf as u64) << 4) + 8));
        let name = if leaf == 0 || leaf == 3 || leaf == 4 { "interior" } else { "foreign" };
        assert!(between.contains(name), "{leaf}: {between}");
    }
    model.assert_same(&bare);
}
