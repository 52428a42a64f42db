//! Rows of linked nodes with room for a few elements each.
//!
//! After Niklas Frykholm, "Allocation Adventures 2: Arrays of Arrays" (2015), the second of its
//! three forms: nodes in one array, linked by index, where 0 is none. Changes:
//!
//! - A row grows at its first node, so that a push and a pop take the same time however long it is.
//! - Only the first node of a row may have room left, so nodes keep no count.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::{HoleTable, Lifo, Retire};

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::pools::array_of_arrays::fixed_rows::refusal;
use crate::pools::array_of_arrays::{RowError, RowId, Rows, unknown};

#[cfg(test)]
mod tests;

/// Rows whose elements are in linked nodes of `K`.
///
/// ```text
/// rows     | len 6, first 2 | len 1, first 3 | ..                 8 bytes a row, and 4 and a bit for its id
/// nodes    | (none) | a b c d, 0 | e f . ., 1 | x . . ., 0 | free, next | ..
///            0        1            2            3                           K elements and 4 bytes
/// ```
///
/// # Complexity
///
/// O(1) for a push and a pop, amortised for a push, which may move the array of nodes. A walk over
/// a row loads its nodes one after another; they are wherever there was room.
///
/// # Memory
///
/// Nothing while it is empty. Then 12 bytes a row and an array of nodes, both doubled when full. At
/// most `K - 1` elements a row are wasted.
///
/// # Threads
///
/// `Send` where the elements are `Send` and the allocator is `Sync`; `Sync` where the elements are
/// `Sync`, too.
///
/// # When not to use it
///
/// Where a row must be one slice, or is walked much more often than changed: an
/// [`ArrayOfArrays`](crate::ArrayOfArrays). For lists whose nodes should become contiguous over
/// time: a list pool.
///
/// # Invariants
///
/// 1. A row of `len` elements has `len / K` nodes, rounded up, from `first` on; all but the first
///    are full.
/// 2. A node is of one row, or in the list of free ones, or node 0, which is neither.
pub struct LinkedRows<'a, T: Copy, const K: usize = 4, A: Allocator + ?Sized = dyn Allocator + 'a> {
    rows: HoleTable<'a, Chain, RowId<T>, Lifo, Retire, A>,
    nodes: Array<'a, Node<T, K>, A>,
    /// The first free node, or 0.
    free: u32,
}

/// A row: how many elements it has, and where the last ones are.
struct Chain {
    len: u32,
    first: u32,
}

#[derive(Clone, Copy)]
struct Node<T, const K: usize> {
    elements: [T; K],
    next: u32,
}

impl Chain {
    /// Returns how many elements the first node has.
    #[inline]
    fn in_first<const K: usize>(&self) -> usize {
        (self.len as usize).wrapping_sub(1) % K + 1
    }
}

impl<'a, T: Copy, const K: usize> LinkedRows<'a, T, K> {
    /// Returns a container without rows, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, T: Copy, const K: usize, A: Allocator + ?Sized> LinkedRows<'a, T, K, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        const { assert!(K > 0, "a node has an element at least") };
        Self { rows: HoleTable::new_in(memory), nodes: Array::new_in(memory), free: 0 }
    }

    /// Adds a row as [`Rows::try_add_row`] does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn add_row(&mut self) -> RowId<T> {
        or_panic(self.try_add_row())
    }

    /// Appends an element as [`Rows::try_push`] does.
    ///
    /// # Panics
    ///
    /// If the id names no row or there is no memory.
    pub fn push(&mut self, row: RowId<T>, element: T) {
        or_panic(self.try_push(row, element));
    }

    /// Shows the runs of a row, the last elements first.
    #[inline]
    fn visit(&self, chain: &Chain, visit: &mut impl FnMut(&[T])) {
        let (mut next, mut count) = (chain.first, chain.in_first::<K>());
        while next != 0 {
            let node = &self.nodes[next as usize];
            visit(&node.elements[..count]);
            (next, count) = (node.next, K);
        }
    }

    /// Returns a node that is in no row, filled with copies of `element`.
    fn node(&mut self, element: T, next: u32) -> Result<u32, GrowError> {
        let fresh = Node { elements: [element; K], next };
        if self.free != 0 {
            let found = self.free;
            let node = &mut self.nodes[found as usize];
            self.free = node.next;
            *node = fresh;
            return Ok(found);
        }
        let nil = usize::from(self.nodes.is_empty());
        self.nodes.try_reserve(1 + nil)?;
        if nil == 1 {
            self.nodes.try_push(fresh)?;
        }
        let index = self.nodes.len() as u32;
        self.nodes.try_push(fresh)?;
        Ok(index)
    }
}

impl<T: Copy, const K: usize, A: Allocator + ?Sized> Rows<T> for LinkedRows<'_, T, K, A> {
    #[inline]
    fn try_add_row(&mut self) -> Result<RowId<T>, GrowError> {
        self.rows.insert(Chain { len: 0, first: 0 }).map_err(refusal)
    }

    fn remove_row(&mut self, row: RowId<T>) -> bool {
        let Some(chain) = self.rows.remove(row) else { return false };
        let mut next = chain.first;
        while next != 0 {
            let node = &mut self.nodes[next as usize];
            let following = core::mem::replace(&mut node.next, self.free);
            self.free = next;
            next = following;
        }
        true
    }

    #[inline]
    fn try_push(&mut self, row: RowId<T>, element: T) -> Result<(), RowError> {
        let Some(chain) = self.rows.get_mut(row) else { return Err(unknown(row)) };
        let used = chain.len as usize % K;
        if used > 0 {
            self.nodes[chain.first as usize].elements[used] = element;
            chain.len += 1;
            return Ok(());
        }
        if chain.len == u32::MAX {
            let limit = u64::from(u32::MAX);
            return Err(RowError::Grow(GrowError::Length { wanted: limit + 1, limit }));
        }
        let first = chain.first;
        let first = self.node(element, first)?;
        let Some(chain) = self.rows.get_mut(row) else { return Err(unknown(row)) };
        (chain.first, chain.len) = (first, chain.len + 1);
        Ok(())
    }

    #[inline]
    fn pop(&mut self, row: RowId<T>) -> Option<T> {
        let chain = self.rows.get_mut(row)?;
        let node = self.nodes.get_mut(chain.first as usize).filter(|_| chain.len > 0)?;
        let at = chain.in_first::<K>() - 1;
        chain.len -= 1;
        if at == 0 {
            let emptied = core::mem::replace(&mut chain.first, node.next);
            node.next = core::mem::replace(&mut self.free, emptied);
        }
        Some(node.elements[at])
    }

    #[inline]
    fn row_len(&self, row: RowId<T>) -> Option<usize> {
        Some(self.rows.get(row)?.len as usize)
    }

    #[inline]
    fn visit_row(&self, row: RowId<T>, mut visit: impl FnMut(&[T])) -> bool {
        self.rows.get(row).map(|chain| self.visit(chain, &mut visit)).is_some()
    }

    #[inline]
    fn visit_rows(&self, mut visit: impl FnMut(RowId<T>, &[T])) {
        for (row, chain) in self.rows.iter_with_ids() {
            self.visit(chain, &mut |run| visit(row, run));
        }
    }

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn bytes(&self) -> usize {
        self.rows.stats().bytes as usize + self.nodes.capacity() * size_of::<Node<T, K>>()
    }
}

impl<T: Copy + fmt::Debug, const K: usize, A: Allocator + ?Sized> fmt::Debug
    for LinkedRows<'_, T, K, A>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        self.visit_rows(|row, run| {
            map.entry(&row, &run);
        });
        map.finish()
    }
}
