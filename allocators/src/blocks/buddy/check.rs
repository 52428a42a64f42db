//! Inspecting a tree: its blocks in order, the state of each, and whether all of it is sound.

use crate::blocks::buddy::meta::NIL;
use crate::blocks::buddy::node::Node;
use crate::blocks::buddy::tree::Tree;
use crate::contract::allocator::Damage;

/// The state of a block of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockState {
    /// Divided into two halves of the level below.
    Split,
    /// Allocated: also the largest blocks in the metadata or in the parts that the buffer does not
    /// reach.
    Allocated,
    /// Free and in the list of its level.
    Free,
    /// Not a block at present: inside a free or allocated one.
    Absent,
}

/// The damage, and its leaf.
pub(crate) type LeafDamage = (&'static str, u32);

/// The counts of a check.
#[derive(Default)]
struct Tally {
    free: [u64; 32],
    live: u64,
    granted: u64,
}

impl Tree<'_> {
    /// Returns whether none, some or all of a block's leaves are present.
    fn present(&self, node: Node) -> Presence {
        let (start, end) = (node.start(), node.end());
        let (first, last) = (self.shape.first, self.shape.end);
        if end <= first || start >= last {
            Presence::None
        } else if start < first || end > last {
            Presence::Part
        } else {
            Presence::Whole
        }
    }

    /// Returns the state of the block at `index` of `height`. The fronts must be settled.
    pub(crate) fn state(&self, index: u32, height: u32) -> BlockState {
        let node = Node::new(index << height, height);
        let outer = (height < self.shape.top).then(|| node.parent(height));
        match self.present(node) {
            Presence::Part => BlockState::Split,
            Presence::None => match outer {
                Some(outer) if self.present(outer) == Presence::None => BlockState::Absent,
                _ => BlockState::Allocated,
            },
            Presence::Whole if self.is_whole(node, height) => BlockState::Allocated,
            Presence::Whole if self.used(node) => BlockState::Split,
            Presence::Whole => match outer {
                None => BlockState::Free,
                Some(_) if self.used(node.buddy(height)) => BlockState::Free,
                Some(_) => BlockState::Absent,
            },
        }
    }

    /// Returns the height of a level, counted from the root.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    pub(crate) fn height_of_level(&self, level: u32) -> u32 {
        let top = self.shape.top;
        assert!(level <= top, "level {level} of a tree of {} levels", top + 1);
        top - level
    }

    /// Returns the state of a block, after merging everything.
    ///
    /// # Panics
    ///
    /// If there is no such level, or no such index in it.
    pub(crate) fn level_state(&self, level: u32, index: u64) -> BlockState {
        let height = self.height_of_level(level);
        assert!(index >> level == 0, "block {index} of {} in level {level}", 1_u64 << level);
        self.settle();
        self.state(index as u32, height)
    }

    /// Visits the free blocks of a level by index, after merging everything.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    pub(crate) fn level_free(&self, level: u32, visit: &mut dyn FnMut(u64)) {
        let height = self.height_of_level(level);
        self.settle();
        self.each_free(height, &mut |leaf| visit(u64::from(leaf >> height)));
    }

    /// Visits the live blocks, first leaf and height, in address order.
    pub(crate) fn each_live(&self, visit: &mut dyn FnMut(u32, u32)) {
        let mut leaf = self.shape.first;
        while leaf < self.shape.end {
            let (node, allocated) = self.block_around(leaf);
            if allocated && !self.is_held(node.start(), node.height()) {
                visit(node.start(), node.height());
            }
            leaf = node.end();
        }
    }

    /// Poisons every block that is free or waits in a front.
    pub(crate) fn close_free(&self) {
        let mut leaf = self.shape.first;
        while self.watch.is_on() && leaf < self.shape.end {
            let (node, allocated) = self.block_around(leaf);
            if !allocated || self.is_held(node.start(), node.height()) {
                self.close(node.start(), 1 << node.height());
            }
            leaf = node.end();
        }
    }

    /// Visits the first leaf of each block in the list of `height`, in the order of the list.
    pub(crate) fn each_free(&self, height: u32, visit: &mut dyn FnMut(u32)) {
        let mut leaf = self.lists()[height as usize].get();
        // A damaged list may lead anywhere or in a circle; no sound one is longer than this.
        for _ in 0..self.shape.leaves() {
            let Some(link) = self.link(leaf) else {
                return;
            };
            visit(leaf);
            leaf = link.next.get();
        }
    }

    /// As [`check`](Self::check), with an address.
    pub(crate) fn verify(&self) -> Result<(), Damage> {
        self.check().map_err(|(what, leaf)| Damage { what, address: self.address(leaf) })
    }

    /// Checks the bits, the lists, the fronts and the counters against each other, trusting none.
    pub(crate) fn check(&self) -> Result<(), LeafDamage> {
        let mut tally = Tally::default();
        self.check_edges()?;
        self.check_block(Node::new(0, self.shape.top), self.shape.top, &mut tally)?;
        self.check_fronts(&mut tally)?;
        self.check_lists(&tally)?;
        let books = &self.head().books;
        if books.live.get() != tally.live || books.granted.get() != tally.granted {
            return Err(("the counters do not match the used bits", self.shape.first));
        }
        if books.peak_granted.get() < books.granted.get()
            || books.granted_total.get() < books.granted.get()
            || !books.greatest_align.get().is_power_of_two()
        {
            return Err(("a counter is impossible", self.shape.first));
        }
        Ok(())
    }

    /// The bits of parts that are missing must be set.
    fn check_edges(&self) -> Result<(), LeafDamage> {
        let from = u64::from(self.shape.bits_from());
        let to = from + 64 * self.bits().len() as u64;
        let before = from..=u64::from(self.shape.first) << 1;
        let after = u64::from(self.shape.end) << 1..to;
        if before.chain(after).all(|number| self.used(Node(number as u32))) {
            Ok(())
        } else {
            Err(("a missing part is not marked", self.shape.first))
        }
    }

    /// Checks a block and, if it is split, its halves; at most 32 deep.
    fn check_block(&self, node: Node, height: u32, tally: &mut Tally) -> Result<(), LeafDamage> {
        let start = node.start();
        let presence = self.present(node);
        if presence == Presence::None {
            return Ok(());
        }
        if presence == Presence::Part && !self.used(node) {
            return Err(("a missing part is not marked", self.shape.first));
        }
        if presence == Presence::Part || (self.used(node) && !self.is_whole(node, height)) {
            self.check_block(node.left(height), height - 1, tally)?;
            // Two free halves make the block look allocated, which the counters then reveal.
            return self.check_block(node.right(height), height - 1, tally);
        }
        if !self.clear_inside(node, height) {
            return Err(("a bit is set inside a free or allocated block", start));
        }
        if self.used(node) {
            tally.live += 1;
            tally.granted += self.bytes_at(height);
        } else {
            tally.free[height as usize] += 1;
        }
        Ok(())
    }

    /// Returns `true` if no block inside a present one has its bit set.
    fn clear_inside(&self, node: Node, height: u32) -> bool {
        let reach = (1_u32 << height) - 1;
        let from = node.0 - reach - self.shape.bits_from();
        let to = u64::from(node.0 - self.shape.bits_from()) + u64::from(reach);
        let mut at = u64::from(from);
        while at <= to {
            let word = self.bits()[(at >> 6) as usize].get();
            let last = (at | 63).min(to);
            let mask = (u64::MAX << (at & 63)) & (u64::MAX >> (63 - (last & 63)));
            let own = u64::from(node.0 - self.shape.bits_from());
            let own = if own >> 6 == at >> 6 { 1 << (own & 63) } else { 0 };
            if word & mask & !own != 0 {
                return false;
            }
            at = last + 1;
        }
        true
    }

    /// Blocks in the fronts are not live.
    fn check_fronts(&self, tally: &mut Tally) -> Result<(), LeafDamage> {
        for (height, front) in self.fronts().iter().enumerate() {
            let height = height as u32;
            if !front.is_sound() {
                return Err(("a front holds a block twice or has a wrong count", self.shape.first));
            }
            for at in 0..front.count() {
                let leaf = front.get(at);
                let aligned = leaf.trailing_zeros() >= height;
                if !aligned || leaf < self.shape.first || leaf >= self.shape.end {
                    return Err(("a front holds an entry that is not a block", self.shape.first));
                }
                if !self.is_whole(Node::new(leaf, height), height) {
                    return Err(("a front holds a block that is not whole", leaf));
                }
                tally.live = tally.live.wrapping_sub(1);
                tally.granted = tally.granted.wrapping_sub(self.bytes_at(height));
            }
        }
        Ok(())
    }

    /// Each list has as many blocks as are free, each free, linked both ways.
    fn check_lists(&self, tally: &Tally) -> Result<(), LeafDamage> {
        let heights = self.head().books.heights.get();
        for (height, list) in self.lists().iter().enumerate() {
            let (mut leaf, mut prev, mut count) = (list.get(), NIL, 0);
            if (leaf != NIL) != (heights >> height & 1 != 0) {
                return Err(("the bitmap of heights does not match a list", self.shape.first));
            }
            while leaf != NIL {
                let Some(link) = self.link(leaf) else {
                    return Err(("a free list leads outside", self.shape.first));
                };
                let free = leaf.trailing_zeros() >= height as u32
                    && self.state_is_free(leaf, height as u32);
                if !free || link.prev.get() != prev {
                    return Err(("a free list is broken", leaf));
                }
                count += 1;
                (prev, leaf) = (leaf, link.next.get());
            }
            if count != tally.free[height] {
                return Err(("a free block is in no list", self.shape.first));
            }
        }
        if u64::from(heights) >> self.lists().len() != 0 {
            return Err(("the bitmap of heights has a height too many", self.shape.first));
        }
        Ok(())
    }

    fn state_is_free(&self, leaf: u32, height: u32) -> bool {
        self.state(leaf >> height, height) == BlockState::Free
    }
}

/// How much of a block is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    None,
    Part,
    Whole,
}
