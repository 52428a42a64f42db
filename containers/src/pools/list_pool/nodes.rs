//! The nodes of a pool: their items, their links, and which of them are free.

use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::arrays::buffer::Buffer;
use crate::error::GrowError;
use crate::pools::list_pool::bits::NodeBits;

#[cfg(test)]
mod tests;

/// Marks the link of a list's last node; the rest of it is the list's index.
pub(super) const LAST: u32 = 1 << 31;

/// Nodes of `K` items each. Node 0 is never used: its number means that there is none.
///
/// # Invariants
///
/// 1. `links` and `bits` have a place for each of the same number of nodes, at most
///    [`MAX`](Self::MAX); `items` has room for `K` times as many. That number is 0 or at least 2.
/// 2. Node 0 is in use where there are nodes. `free` is the number of nodes that are not in use.
/// 3. The link of a node in use, but for node 0, is that of the list it is in: the next node's
///    number, which is in use, or [`LAST`] and the list's index.
pub(super) struct Nodes<'a, T, A: Allocator + ?Sized, const K: usize> {
    items: Buffer<'a, T, A>,
    links: Array<'a, u32, A>,
    bits: NodeBits<'a, A>,
    free: u32,
    /// Where the search for the next node starts: after the one that was taken last.
    roll: u32,
}

impl<'a, T, A: Allocator + ?Sized, const K: usize> Nodes<'a, T, A, K> {
    /// `K`, as indices have it.
    pub(super) const K: u32 = {
        assert!(K > 0, "a node holds at least one item");
        assert!(K <= 1 << 16, "a node holds at most 65 536 items");
        K as u32
    };

    /// The most nodes that there may be: their numbers leave a bit for [`LAST`], and an index of an
    /// item has 32 bits.
    pub(super) const MAX: u32 = if K == 1 { LAST } else { u32::MAX / Self::K };

    pub(super) const fn new(memory: &'a A) -> Self {
        Self {
            items: Buffer::new(memory),
            links: Array::new_in(memory),
            bits: NodeBits::new(memory),
            free: 0,
            roll: 1,
        }
    }

    /// Returns the allocator that the memory is from.
    pub(super) const fn memory(&self) -> &'a A {
        self.items.memory()
    }

    /// Returns how many nodes there are, the unused one included.
    #[inline]
    pub(super) const fn count(&self) -> u32 {
        self.bits.nodes()
    }

    /// Returns how many nodes are free.
    #[inline]
    pub(super) const fn free(&self) -> u32 {
        self.free
    }

    /// Returns the bytes of memory that the nodes take.
    pub(super) fn bytes(&self) -> usize {
        let links = self.links.capacity() * size_of::<u32>();
        self.items.bytes() + links + self.bits.bytes()
    }

    pub(super) const fn bits(&self) -> &NodeBits<'a, A> {
        &self.bits
    }

    /// Returns the links, by node.
    #[inline]
    pub(super) const fn links(&self) -> &[u32] {
        self.links.as_slice()
    }

    /// Returns where a node leads.
    #[inline]
    pub(super) fn link(&self, node: u32) -> u32 {
        self.links[node as usize]
    }

    #[inline]
    pub(super) fn set_link(&mut self, node: u32, link: u32) {
        self.links[node as usize] = link;
    }

    /// Returns where the items begin.
    #[inline]
    pub(super) const fn start(&self) -> NonNull<T> {
        self.items.start()
    }

    /// Returns the place of an item, which may be the one after the last node.
    ///
    /// # Panics
    ///
    /// In debug builds, if there is no such node.
    #[inline]
    pub(super) fn place(&self, index: u32) -> NonNull<T> {
        debug_assert!(
            index <= self.items.capacity(),
            "item {index} lies beyond {} that there is room for",
            self.items.capacity()
        );
        // SAFETY: callers name items of nodes, whose room is in the block (invariant 1), or its
        // end.
        unsafe { self.items.start().add(index as usize) }
    }

    /// Makes the given number of nodes free at least.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    #[inline]
    pub(super) fn try_reserve(&mut self, more: u64) -> Result<(), GrowError> {
        if more > u64::from(self.free) { self.try_grow(more, false) } else { Ok(()) }
    }

    /// Makes the given number of nodes free at least, and takes no more memory than that needs.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub(super) fn try_reserve_exact(&mut self, more: u64) -> Result<(), GrowError> {
        if more > u64::from(self.free) { self.try_grow(more, true) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn try_grow(&mut self, more: u64, exact: bool) -> Result<(), GrowError> {
        let old = self.count();
        // Node 0 takes a place and is in no list.
        let wanted = u64::from(old.max(1)).saturating_add(more - u64::from(self.free));
        let limit = u64::from(Self::MAX);
        if wanted > limit {
            return Err(GrowError::Length { wanted, limit });
        }
        let added = (wanted as u32 - old) * Self::K;
        let used = old * Self::K;
        if exact {
            self.items.grow_exact(used, added as usize)?;
        } else {
            self.items.grow(used, added as usize)?;
        }
        let room = self.items.capacity() / Self::K;
        // What has no size has room for any number; the links have not.
        let spread = if size_of::<T>() == 0 { old.saturating_mul(2).max(8) } else { room };
        let nodes = spread.clamp(wanted as u32, Self::MAX);
        match self.try_grow_links(nodes) {
            Err(_) if nodes > wanted as u32 => self.try_grow_links(wanted as u32)?,
            done => done?,
        }
        self.free += self.count() - old;
        if old == 0 {
            self.bits.set(0);
            self.free -= 1;
        }
        // Lists that are set at once from now on can be contiguous in the new nodes and the free
        // ones just before them.
        self.roll = old.max(1);
        while !self.bits.is_used(self.roll - 1) {
            self.roll -= 1;
        }
        Ok(())
    }

    fn try_grow_links(&mut self, nodes: u32) -> Result<(), GrowError> {
        self.links.try_reserve(nodes as usize - self.links.len())?;
        self.bits.try_grow(nodes)?;
        self.links.try_resize(nodes as usize, 0)
    }

    /// Takes the next free node from where the last one was taken.
    ///
    /// # Panics
    ///
    /// If none is free.
    #[inline]
    pub(super) fn take(&mut self) -> u32 {
        let node = self.bits.free_from(self.roll).expect("a node was reserved");
        self.occupy(node);
        self.roll = node + 1;
        node
    }

    /// Takes a free node near `node`, or else the next from where the last one was taken.
    ///
    /// # Panics
    ///
    /// If none is free.
    #[inline]
    pub(super) fn take_near(&mut self, node: u32) -> u32 {
        let Some(near) = self.bits.free_near(node) else { return self.take() };
        self.occupy(near);
        if self.roll == near {
            self.roll = near + 1;
        }
        near
    }

    /// Marks a free node as in use.
    #[inline]
    pub(super) fn occupy(&mut self, node: u32) {
        debug_assert!(!self.bits.is_used(node), "node {node} is in use");
        self.bits.set(node);
        self.free -= 1;
    }

    /// Marks a node as free. Its items and its link stay as they are until it is taken again.
    #[inline]
    pub(super) fn give(&mut self, node: u32) {
        debug_assert!(self.bits.is_used(node), "node {node} is free");
        self.bits.unset(node);
        self.free += 1;
    }

    /// Moves `count` items, as bytes; both places may overlap.
    #[inline]
    pub(super) fn copy(&mut self, from: u32, to: u32, count: u32) {
        let (from, to) = (self.place(from), self.place(to));
        // SAFETY: callers name items of nodes, whose room is in the block (invariant 1).
        unsafe { from.copy_to(to, count as usize) };
    }

    /// Exchanges all items of two nodes, those that are not alive included.
    #[inline]
    pub(super) fn swap_items(&mut self, one: u32, other: u32) {
        let (one, other) = (self.place(one * Self::K), self.place(other * Self::K));
        // SAFETY: both nodes are in the block (invariant 1) and differ, so they do not overlap; an
        // array of places that may hold nothing is read as such.
        unsafe {
            core::ptr::swap_nonoverlapping(
                one.as_ptr().cast::<[core::mem::MaybeUninit<T>; K]>(),
                other.as_ptr().cast(),
                1,
            );
        }
    }
}
