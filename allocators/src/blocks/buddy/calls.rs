//! The calls of a buddy allocator over its tree: allocate, free, resize, reserve. They check the
//! caller's arguments against the bits before anything changes, and update the counters.

use core::panic::Location;

use crate::blocks::buddy::node::Node;
use crate::blocks::buddy::tree::Tree;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::contract::stats::Stats;

/// How many places an over-aligned request checks when no free block is sure to contain one.
const PLACES_MAX: u64 = 64;

/// A block by its first leaf and its height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) leaf: u32,
    pub(crate) height: u32,
}

impl Tree<'_> {
    /// Returns the height of the smallest block of `bytes` bytes; above the root's if there is
    /// none.
    #[inline]
    pub(crate) fn height_for(&self, bytes: u64) -> u32 {
        u64::BITS - (bytes.saturating_sub(1) >> self.shape.leaf_shift).leading_zeros()
    }

    /// Returns the size of a block of `height` in bytes.
    #[inline]
    pub(crate) fn bytes_at(&self, height: u32) -> u64 {
        1 << (height + self.shape.leaf_shift)
    }

    /// Returns the distance of the leaf from the first present one, in bytes.
    #[inline]
    pub(crate) fn offset_of(&self, leaf: u32) -> u64 {
        u64::from(leaf - self.shape.first) << self.shape.leaf_shift
    }

    /// Returns the leaf that starts at `offset`, if such a leaf is present.
    #[inline]
    pub(crate) fn leaf_at(&self, offset: u64) -> Option<u32> {
        // An offset between two leaves has low bits set, which the rotation moves to high ones.
        let at = offset.rotate_right(self.shape.leaf_shift);
        (at < u64::from(self.shape.leaves())).then(|| self.shape.first + at as u32)
    }

    /// Allocates a block.
    #[inline]
    pub(crate) fn allocate(&self, bytes: u64, align: u64) -> Option<Run> {
        let height = self.height_for(bytes);
        if let Some(front) = self.fronts().get(height as usize)
            && align <= self.bytes_at(height).min(self.grid)
            && let Some(leaf) = front.pop()
        {
            self.head().books.gave(bytes, self.bytes_at(height), align);
            self.open(leaf, 1 << height);
            return Some(Run { leaf, height });
        }
        self.allocate_from_tree(bytes, align, height)
    }

    #[inline(never)]
    fn allocate_from_tree(&self, bytes: u64, align: u64, height: u32) -> Option<Run> {
        if height > self.shape.top {
            return None;
        }
        let mut found = self.find(height, align);
        if found.is_none() && self.settle() {
            found = self.find(height, align);
        }
        let leaf = found?;
        self.head().books.gave(bytes, self.bytes_at(height), align);
        self.open(leaf, 1 << height);
        Some(Run { leaf, height })
    }

    /// Takes a block of `height` at a multiple of `align` from the free ones.
    fn find(&self, height: u32, align: u64) -> Option<u32> {
        let unit = self.bytes_at(height);
        if align <= unit.min(self.grid) {
            return self.take(height);
        }
        // Blocks of this height are only at multiples of `unit` from home.
        if self.home & (unit.min(align) - 1) != 0 {
            return None;
        }
        // Any range of `align` bytes contains one such address, and with it the whole block: both
        // are multiples of `unit` from home.
        let from = height.max(align.ilog2().saturating_sub(self.shape.leaf_shift));
        let fitting = u32::MAX.checked_shl(from).unwrap_or(0) & self.head().books.heights.get();
        if fitting != 0 {
            let found = fitting.trailing_zeros();
            let start = self.lists()[found as usize].get();
            return Some(self.carve(start, found, self.aligned_from(start, align)?, height));
        }
        let mut leaf = self.aligned_from(self.shape.first, align)?;
        for _ in 0..PLACES_MAX {
            if u64::from(leaf) + (1 << height) > u64::from(self.shape.end) {
                return None;
            }
            let (node, allocated) = self.block_around(leaf);
            if !allocated && node.height() >= height {
                return Some(self.carve(node.start(), node.height(), leaf, height));
            }
            let step = u32::try_from(align >> self.shape.leaf_shift).ok()?;
            leaf = leaf.checked_add(step)?;
        }
        None
    }

    /// Returns the first leaf from `leaf` on whose address is a multiple of `align`.
    fn aligned_from(&self, leaf: u32, align: u64) -> Option<u32> {
        let address = self.home.wrapping_add(u64::from(leaf) << self.shape.leaf_shift);
        let more = address.wrapping_neg() & (align - 1);
        leaf.checked_add(u32::try_from(more >> self.shape.leaf_shift).ok()?)
    }

    /// Takes the block of `height` at `leaf` from the free one of `from` at `start`.
    fn carve(&self, start: u32, from: u32, leaf: u32, height: u32) -> u32 {
        self.unlink(start, from);
        self.split(start, from, leaf, height);
        leaf
    }

    /// Frees the block at `offset`, whose size is known.
    #[inline]
    #[track_caller]
    pub(crate) fn free_sized(&self, offset: u64, bytes: u64) {
        match self.block_of(offset, bytes) {
            Some(run) => self.free_run(run),
            None => self.wrong(offset, Some(bytes)),
        }
    }

    /// Frees the block at `offset`.
    #[inline]
    #[track_caller]
    pub(crate) fn free(&self, offset: u64) {
        match self.block_at(offset) {
            Some(run) => self.free_run(run),
            None => self.wrong(offset, None),
        }
    }

    #[inline]
    fn free_run(&self, run: Run) {
        self.head().books.record_allocation(self.bytes_at(run.height));
        self.close(run.leaf, 1 << run.height);
        self.give(run.leaf, run.height);
    }

    /// Returns the live block that starts at `offset` and has the size for `bytes` bytes, if there
    /// is one.
    #[inline]
    fn block_of(&self, offset: u64, bytes: u64) -> Option<Run> {
        let height = self.height_for(bytes);
        let leaf = self.leaf_at(offset)?;
        if height > self.shape.top || leaf & ((1 << height) - 1) != 0 {
            return None;
        }
        let live = self.is_whole(Node::new(leaf, height), height) & !self.is_held(leaf, height);
        live.then_some(Run { leaf, height })
    }

    /// Returns the live block that starts at `offset`, if there is one.
    #[inline]
    pub(crate) fn block_at(&self, offset: u64) -> Option<Run> {
        let leaf = self.leaf_at(offset)?;
        let mut node = Node::new(leaf, 0);
        let mut height = 0;
        while !self.used(node) {
            // A block starts at a multiple of its length: the offset of a larger one has more
            // trailing zeros.
            if leaf >> height & 1 != 0 || height == self.shape.top {
                return None;
            }
            node = node.parent(height);
            height += 1;
        }
        let live = self.is_whole(node, height) & !self.is_held(leaf, height);
        live.then_some(Run { leaf, height })
    }

    /// Changes the size of a block in place.
    #[track_caller]
    pub(crate) fn resize(&self, offset: u64, old: u64, new: u64) -> Result<Run, AllocError> {
        let Some(run) = self.block_of(offset, old) else { self.wrong(offset, Some(old)) };
        let height = self.height_for(new);
        if height > self.shape.top {
            return Err(AllocError);
        }
        let books = &self.head().books;
        let before = self.bytes_at(run.height);
        let after = self.bytes_at(height);
        if height > run.height {
            self.grow(run, height)?;
        } else {
            self.shrink(run, height);
            books.granted.set(books.granted.get() - (before - after));
        }
        books.grew(new.saturating_sub(old), after.saturating_sub(before));
        Ok(Run { leaf: run.leaf, height })
    }

    /// Frees the upper halves of a block.
    fn shrink(&self, run: Run, height: u32) {
        self.close(run.leaf + (1 << height), (1 << run.height) - (1 << height));
        for half in (height..run.height).rev() {
            self.set(Node::new(run.leaf, half));
            self.push_free(run.leaf + (1 << half), half);
        }
    }

    /// Adds the buddies to the right of a block, if all of them are free.
    fn grow(&self, run: Run, height: u32) -> Result<(), AllocError> {
        if run.leaf & ((1 << height) - 1) != 0 {
            return Err(AllocError);
        }
        for half in run.height..height {
            let right = run.leaf + (1 << half);
            let buddy = Node::new(right, half);
            if !self.used(buddy) {
                continue;
            }
            // A buddy that is not live may wait in the fronts, whole or in parts.
            let live = self.is_whole(buddy, half) && !self.is_held(right, half);
            if live || !self.settle_within(right, right + (1 << half)) || self.used(buddy) {
                return Err(AllocError);
            }
        }
        for half in run.height..height {
            self.unlink(run.leaf + (1 << half), half);
            self.unset(Node::new(run.leaf, half));
        }
        self.open(run.leaf + (1 << run.height), (1 << height) - (1 << run.height));
        Ok(())
    }

    /// Reserves the leaves `from..to` as the fewest blocks that tile them, and shows each once it
    /// is live.
    pub(crate) fn reserve(
        &self,
        from: u32,
        to: u32,
        mut visit: impl FnMut(Run),
    ) -> Result<(), AllocError> {
        self.settle();
        let mut leaf = from;
        while leaf < to {
            let (node, allocated) = self.block_around(leaf);
            if allocated {
                return Err(AllocError);
            }
            leaf = node.end();
        }
        leaf = from;
        while leaf < to {
            let height = leaf.trailing_zeros().min((to - leaf).ilog2());
            // The whole block is free, so one free block contains it: halves would have been
            // merged.
            let (node, _) = self.block_around(leaf);
            self.carve(node.start(), node.height(), leaf, height);
            let bytes = self.bytes_at(height);
            self.head().books.gave(bytes, bytes, 1);
            self.open_as_it_is(leaf, 1 << height);
            visit(Run { leaf, height });
            leaf += 1 << height;
        }
        Ok(())
    }

    /// Frees the leaves `from..to`, which live blocks tile, and shows each while it is live.
    #[track_caller]
    pub(crate) fn release_range(&self, from: u32, to: u32, mut visit: impl FnMut(Run)) {
        let mut leaf = from;
        while leaf < to {
            let (node, allocated) = self.block_around(leaf);
            let live = allocated && !self.is_held(node.start(), node.height());
            if !live || node.start() < from || node.end() > to {
                self.wrong(self.offset_of(leaf), None);
            }
            leaf = node.end();
        }
        leaf = from;
        while leaf < to {
            let (node, _) = self.block_around(leaf);
            let height = node.height();
            visit(Run { leaf, height });
            self.head().books.record_allocation(self.bytes_at(height));
            self.close(leaf, 1 << height);
            self.release(leaf, height);
            leaf += 1 << height;
        }
    }

    /// Returns the leaves that contain any of a range of offsets from the first leaf, if all are
    /// present.
    pub(crate) fn leaves_of(&self, offset: u64, bytes: u64) -> Option<(u32, u32)> {
        let from = offset >> self.shape.leaf_shift;
        let after = offset.checked_add(bytes.max(1))?;
        let to = after.div_ceil(self.bytes_at(0));
        let first = self.shape.first;
        (to <= u64::from(self.shape.leaves())).then(|| (first + from as u32, first + to as u32))
    }

    /// Returns the counters. The requested size of each live block is not recorded.
    pub(crate) fn stats(&self, reserved: usize) -> Stats {
        let books = &self.head().books;
        // Offsets can count more bytes than a `usize` holds: then the counters saturate.
        let bytes = |counted: u64| usize::try_from(counted).unwrap_or(usize::MAX);
        let (granted, peak) = (bytes(books.granted.get()), bytes(books.peak_granted.get()));
        Stats {
            live: books.live.get() as usize,
            requested: granted,
            granted,
            reserved,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: reserved,
            allocations_total: books.allocations_total.get(),
            requested_total: books.requested_total.get(),
            granted_total: books.granted_total.get(),
            exact: false,
        }
    }

    /// Reports the misuse of a block that is not live, or not of that size, and does not return.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn wrong(&self, offset: u64, bytes: Option<u64>) -> ! {
        let site = Location::caller();
        let (kind, own) = self.classify(offset);
        let address = self.origin.wrapping_add(offset as usize);
        let bytes = bytes.or(own).map(|bytes| bytes as usize);
        misuse(&Report { bytes, ..Report::new(kind, self.name, address).with_site(site) })
    }

    /// Classifies an address that is not a live block of the given size; and returns the size of
    /// its block.
    fn classify(&self, offset: u64) -> (Misuse, Option<u64>) {
        let at = offset >> self.shape.leaf_shift;
        if at >= u64::from(self.shape.leaves()) {
            return (Misuse::ForeignFree, None);
        }
        let (node, allocated) = self.block_around(self.shape.first + at as u32);
        let start = self.offset_of(node.start());
        let own = self.bytes_at(node.height());
        let between = offset & (self.bytes_at(0) - 1) != 0;
        if !allocated || self.is_held(node.start(), node.height()) {
            // A block may have started at this leaf; between two leaves none ever did.
            let kind = if between { Misuse::ForeignFree } else { Misuse::DoubleFree };
            return (kind, None);
        }
        if offset == start {
            (Misuse::WrongSize, Some(own))
        } else {
            (Misuse::InteriorFree, Some(own))
        }
    }
}
