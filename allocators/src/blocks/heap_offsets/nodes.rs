//! The table of nodes: a node describes a block, free or live.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator};

/// The number that means "no node": the last one is below it.
pub(super) const NIL: u32 = u32::MAX;

/// A block, free or live, or a node that waits for one.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Node {
    pub(super) offset: Cell<u64>,
    pub(super) len: Cell<u64>,
    /// Nodes of the blocks before and after it.
    pub(super) before: Cell<u32>,
    pub(super) after: Cell<u32>,
    /// Nodes in the list of its bin; of a node that waits, `next` is the next that does.
    pub(super) next: Cell<u32>,
    pub(super) prev: Cell<u32>,
    /// How often the node became live or free: odd while it is live.
    pub(super) life: Cell<u32>,
}

impl Node {
    /// Whether the node's block is live.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.life.get() % 2 == 1
    }
}

/// Nodes in a block of the backing.
///
/// # Invariants
///
/// 1. `memory` is a live block of `backing` that holds `capacity` nodes, dangling if that is 0, and
///    is reached only through this object; the first `begun` of them are initialised.
/// 2. `waiting` is the first of a list, by `next`, of initialised nodes that describe no block.
#[derive(Debug)]
pub(super) struct Nodes<'a, B: Allocator + ?Sized> {
    memory: Cell<NonNull<Node>>,
    capacity: Cell<u32>,
    begun: Cell<u32>,
    waiting: Cell<u32>,
    /// The nodes in that list.
    waiting_len: Cell<u32>,
    pub(super) backing: &'a B,
}

impl<'a, B: Allocator + ?Sized> Nodes<'a, B> {
    /// Room for `capacity` nodes.
    pub(super) fn new(capacity: u32, backing: &'a B) -> Result<Self, AllocError> {
        let nodes = Self {
            memory: Cell::new(NonNull::dangling()),
            capacity: Cell::new(0),
            begun: Cell::new(0),
            waiting: Cell::new(NIL),
            waiting_len: Cell::new(0),
            backing,
        };
        nodes.widen(capacity.max(1))?;
        Ok(nodes)
    }

    /// The initialised nodes. The slice is not kept over a call of [`reserve`](Self::reserve).
    #[inline]
    pub(super) fn all(&self) -> &[Node] {
        // SAFETY: invariant 1; what changes in the nodes is in cells.
        unsafe {
            core::slice::from_raw_parts(self.memory.get().as_ptr(), self.begun.get() as usize)
        }
    }

    /// A node that describes a block.
    #[inline]
    pub(super) fn at(&self, node: u32) -> &Node {
        &self.all()[node as usize]
    }

    /// Makes sure that `count` nodes can be taken.
    #[inline]
    pub(super) fn reserve(&self, count: u32) -> Result<(), AllocError> {
        if self.waiting_len.get() + (self.capacity.get() - self.begun.get()) >= count {
            return Ok(());
        }
        self.widen(self.capacity.get().saturating_mul(2).max(8))
    }

    #[cold]
    fn widen(&self, capacity: u32) -> Result<(), AllocError> {
        let had = self.capacity.get();
        if capacity <= had {
            return Err(AllocError);
        }
        let old = layout(had)?;
        let new = layout(capacity)?;
        let memory = if had == 0 {
            self.backing.allocate(new)?
        } else {
            // SAFETY: invariant 1; the nodes hold numbers and no addresses, and no slice of them is
            // alive.
            unsafe { self.backing.reallocate(self.memory.get().cast(), old, new)? }
        };
        self.memory.set(memory.cast());
        self.capacity.set(capacity);
        Ok(())
    }

    /// Takes a node for a block, after [`reserve`](Self::reserve) made sure that there is one. Its
    /// life goes on.
    pub(super) fn take(&self, offset: u64, len: u64) -> u32 {
        let waiting = self.waiting.get();
        if waiting != NIL {
            let node = self.at(waiting);
            self.waiting.set(node.next.get());
            self.waiting_len.set(self.waiting_len.get() - 1);
            node.offset.set(offset);
            node.len.set(len);
            return waiting;
        }
        let begun = self.begun.get();
        assert!(begun < self.capacity.get(), "nodes were reserved");
        let node = Node {
            offset: Cell::new(offset),
            len: Cell::new(len),
            before: Cell::new(NIL),
            after: Cell::new(NIL),
            next: Cell::new(NIL),
            prev: Cell::new(NIL),
            life: Cell::new(0),
        };
        let at = self.memory.get().as_ptr().wrapping_add(begun as usize);
        // SAFETY: invariant 1, and the number is below the capacity.
        unsafe { at.write(node) };
        self.begun.set(begun + 1);
        begun
    }

    /// Gives back a free node whose block is part of another one now.
    pub(super) fn give(&self, node: u32) {
        let of = self.at(node);
        of.len.set(0);
        of.next.set(self.waiting.get());
        self.waiting.set(node);
        self.waiting_len.set(self.waiting_len.get() + 1);
    }

    /// How many nodes describe a block.
    pub(super) fn used(&self) -> u32 {
        self.begun.get() - self.waiting_len.get()
    }

    /// Bytes of the table.
    pub(super) fn bytes(&self) -> usize {
        self.capacity.get() as usize * size_of::<Node>()
    }
}

impl<B: Allocator + ?Sized> Drop for Nodes<'_, B> {
    fn drop(&mut self) {
        if self.capacity.get() > 0
            && let Ok(layout) = layout(self.capacity.get())
        {
            // SAFETY: invariant 1: a live block of this layout, which nobody uses from here on.
            unsafe { self.backing.deallocate_sized(self.memory.get().cast(), layout) };
        }
    }
}

fn layout(nodes: u32) -> Result<Layout, AllocError> {
    Layout::array::<Node>(nodes as usize).map_err(|_| AllocError)
}
