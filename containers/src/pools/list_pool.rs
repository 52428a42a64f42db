//! Many lists in one array.
//!
//! After Niklas Frykholm, "An Example in Data-Oriented Design: Sound Parameters" (2011), whose
//! lists are in one array and whose nodes are taken by rolling over it, and "Allocation Adventures
//! 2: Arrays of Arrays" (2015), which puts several items into a node, uses 0 as nil and proposes to
//! sort a little at each call. Changes:
//!
//! - Items and links are two arrays, so a list whose nodes follow one another is a slice.
//! - All nodes of a list but its last are full, so no node counts its items.
//! - A free node is one whose bit is 0; the items need no key that means "empty".
//! - The pool keeps where lists begin, by ids, so that it may move nodes.
//! - The sort that the article leaves open exchanges nodes with those at a frontier.

use core::fmt;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};

mod bits;
mod check;
mod edit;
mod iter;
mod list;
mod nodes;
mod runs;
mod settle;
mod stats;
#[cfg(test)]
mod tests;

pub use check::ListDamage;
pub use iter::{ListChunks, ListChunksMut, ListIter, ListIterMut};
pub use list::{List, ListError};
pub use stats::ListPoolStats;

use list::{Head, TOGETHER};
use nodes::{LAST, Nodes};
use runs::Runs;
use settle::Frontier;

/// Many lists in one array: nodes of `K` items, linked by index.
///
/// ```text
/// heads   | first node, end of items, number | ..       12 bytes a list      list 0: first 1, list 1: first 3
/// lives   | 1 | 1 | ..                                   1 byte a list       which life of the slot this is
///
/// node        0       1         2        3         4
/// items   |       | a b c d | e f - - | x y z - |       |  K items a node     K = 4
/// links   |   0   |    2    | last, 0 | last, 1 |   0   |  4 bytes a node
/// used    |   1        1         1        1         0   |  1 bit a node
/// ```
///
/// A node is named by its number. 0 names none, so node 0 is never used and zeroed arrays are those
/// of an empty pool. All nodes of a list but the last are full; where the items end, the head says.
/// The last node names the list, so that the pool finds the head of a node that it wants to move.
///
/// A list whose nodes follow one another in order is *contiguous*. Its head says so, and its items
/// are one slice: visiting them reads no links. [`settle`](Self::settle) makes most lists
/// contiguous.
///
/// A list is named by a [`List`], which stays what it is when nodes move. Its slot may be used
/// again after [`destroy`](Self::destroy); ids of lists that are gone are distinguished from those
/// of later ones until the slot has had 255 of them.
///
/// # Where nodes are taken
///
/// A list that grows takes the node after its last one if that is free, or else a free one of the
/// same 64, or else the next free one from where the last such search ended, as a list without
/// nodes does. So a list that is set at once is contiguous, and one that is pushed to while no
/// other is often is.
///
/// # Complexity
///
/// | operation | contiguous list | scattered nodes | memory |
/// |---|---|---|---|
/// | `push` | O(1) amortised | the same | may grow: O(all items) then |
/// | `pop` | O(1) | O(1), O(nodes) where a node becomes empty | |
/// | `get`, `swap_remove` | O(1) | O(nodes) | |
/// | `insert`, `remove`, `retain` | O(items after it) | O(items) | `insert` may grow |
/// | `len` | O(1) | the same | |
/// | iteration | a slice | a slice a node | |
///
/// Growing moves items and invalidates no id. References into the pool end when it is changed.
///
/// # Memory
///
/// Nothing while empty. Then `K` times an item and 4 bytes and an eighth for a node, 13 bytes for a
/// list. With lists of 0 to 16 items of 8 bytes, all lengths alike, and `K` = 4 that is 12.3 bytes
/// an item; what is wasted is the room in last nodes, less than `K` items a list. Lists that change
/// all the time are changed fastest where a node is a cache line. Arrays grow to
/// twice their length. The object itself is 36 words at most. There may be 2^32 / `K` nodes (2^31
/// if `K` is 1) and 2^24 lists.
///
/// # Threads
///
/// `Send` where the items are `Send` and the allocator is `Sync`; `Sync` where the items are
/// `Sync`, too.
///
/// # When not to use it
///
/// For a few long lists: those are arrays. Where lists change little and are read as slices, an
/// array of arrays has them always in one piece.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{List, ListError, ListPool};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut tags: ListPool<u32> = ListPool::new(&MEMORY);
/// let player: List<u32> = tags.create();
/// let crate_of_ammo = tags.create();
/// tags.push(player, 7);
/// tags.push(crate_of_ammo, 3);
/// tags.try_extend_from_slice(player, &[1, 9])?;
/// assert!(tags.iter(player).eq(&[7, 1, 9]));
/// assert_eq!(tags.swap_remove(player, 0), Some(7));
///
/// tags.destroy(player);
/// assert_eq!(tags.try_push(player, 4), Err(ListError::Gone));
/// # Ok::<(), ListError>(())
/// ```
///
/// # Invariants
///
/// 1. Each list's nodes form a chain from the head's first node, of distinct nodes in use, to one
///    whose link is `LAST` and the list's index. No node is in two lists, and all nodes in use but
///    node 0 are in one.
/// 2. Of a chain's nodes all but the last are full of live items; of the last those before the
///    head's `end` are alive, at least one. An empty list has no nodes and a head of zeros.
///    The head's `len` is the number of items.
/// 3. Where a head says that the list is contiguous, its nodes follow one another. A list of one
///    node says so. `broken` is the number of lists that have nodes and do not say so.
/// 4. `heads` and `lives` have the same length. A list with life 0 is not there; its head's `end`
///    is the index of the next such list and one, or 0, from `vacant` on, and its `first` is the
///    last life.
pub struct ListPool<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a, const K: usize = 4> {
    nodes: Nodes<'a, T, A, K>,
    heads: Array<'a, Head, A>,
    lives: Array<'a, u8, A>,
    /// The first slot that has no list, and one.
    vacant: u32,
    /// How many slots have a list.
    lists: u32,
    broken: u32,
    frontier: Frontier,
}

impl<'a, T, const K: usize> ListPool<'a, T, dyn Allocator + 'a, K> {
    /// Returns an empty pool, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty pool with room for at least `nodes` nodes, and none for lists yet.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity(
        nodes: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(nodes, memory)
    }
}

impl<'a, T, A: Allocator + ?Sized, const K: usize> ListPool<'a, T, A, K> {
    /// The most lists that there may be.
    pub const LISTS_MAX: u32 = 1 << 24;

    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            nodes: Nodes::new(memory),
            heads: Array::new_in(memory),
            lives: Array::new_in(memory),
            vacant: 0,
            lists: 0,
            broken: 0,
            frontier: Frontier::START,
        }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(nodes: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut pool = Self::new_in(memory);
        pool.nodes.try_reserve_exact(nodes as u64)?;
        Ok(pool)
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.nodes.memory()
    }

    /// Makes room for `more` lists, and for no more than that where room must be made.
    ///
    /// # Complexity
    ///
    /// O(lists) where it grows.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub fn try_reserve_lists(&mut self, more: usize) -> Result<(), GrowError> {
        let vacant = self.heads.len() - self.lists as usize;
        let Some(more) = more.checked_sub(vacant) else { return Ok(()) };
        let wanted = (self.heads.len() as u64).saturating_add(more as u64);
        let limit = u64::from(Self::LISTS_MAX);
        if wanted > limit {
            return Err(GrowError::Length { wanted, limit });
        }
        self.heads.try_reserve(more)?;
        self.lives.try_reserve(more)
    }

    /// Makes room for lists as [`try_reserve_lists`](Self::try_reserve_lists) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve_lists(&mut self, more: usize) {
        or_panic(self.try_reserve_lists(more));
    }

    /// Makes the given number of nodes free at least, those that are free now among them.
    ///
    /// # Complexity
    ///
    /// O(nodes) where it grows.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub fn try_reserve_nodes(&mut self, nodes: usize) -> Result<(), GrowError> {
        self.nodes.try_reserve(nodes as u64)
    }

    /// Makes nodes free as [`try_reserve_nodes`](Self::try_reserve_nodes) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve_nodes(&mut self, nodes: usize) {
        or_panic(self.try_reserve_nodes(nodes));
    }

    /// Makes an empty list.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(lists) where it grows.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory, or there are [`LISTS_MAX`](Self::LISTS_MAX) lists.
    pub fn try_create(&mut self) -> Result<List<T>, GrowError> {
        let index = if let Some(index) = self.vacant.checked_sub(1) {
            let head = &mut self.heads[index as usize];
            // The life 0 is none, so that a list's id is never 0.
            self.lives[index as usize] = (head.first as u8).checked_add(1).unwrap_or(1);
            self.vacant = head.end;
            *head = Head::EMPTY;
            index
        } else {
            let index = self.heads.len() as u32;
            if index >= Self::LISTS_MAX {
                let limit = u64::from(Self::LISTS_MAX);
                return Err(GrowError::Length { wanted: limit + 1, limit });
            }
            self.lives.try_reserve(1)?;
            self.heads.try_push(Head::EMPTY)?;
            self.lives.try_push(1)?;
            index
        };
        self.lists += 1;
        Ok(self.id(index))
    }

    /// Makes an empty list as [`try_create`](Self::try_create) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn create(&mut self) -> List<T> {
        or_panic(self.try_create())
    }

    /// Drops a list with all its items. Its id names nothing from now on. Returns whether there was
    /// one.
    ///
    /// # Complexity
    ///
    /// O(items), O(nodes) if items need no drop.
    pub fn destroy(&mut self, list: List<T>) -> bool {
        let Some(index) = self.find_list(list) else { return false };
        let rest = self.detach(index, 0);
        let life = core::mem::take(&mut self.lives[index as usize]);
        self.heads[index as usize] = Head { first: u32::from(life), end: self.vacant, len: 0 };
        self.vacant = index + 1;
        self.lists -= 1;
        self.drop_items(rest);
        true
    }

    /// Returns `true` if the id names a list.
    #[inline]
    #[must_use]
    pub fn contains(&self, list: List<T>) -> bool {
        self.find_list(list).is_some()
    }

    /// Returns how many items a list has, 0 for one that is gone. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self, list: List<T>) -> usize {
        self.head(list).map_or(0, |head| head.len as usize)
    }

    /// Returns `true` if a list has no items, as one that is gone has none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self, list: List<T>) -> bool {
        self.len(list) == 0
    }

    /// Returns how many lists there are. O(1).
    #[inline]
    #[must_use]
    pub const fn lists_len(&self) -> usize {
        self.lists as usize
    }

    /// Visits the ids of all lists, in the order of their slots.
    ///
    /// # Complexity
    ///
    /// O(1) a slot that had a list at any time.
    pub fn lists(&self) -> impl Iterator<Item = List<T>> {
        let lives = (0..).zip(&*self.lives).filter(|(_, life)| **life != 0);
        lives.map(|(index, life)| list::id(index, *life))
    }

    /// Appends an item to a list.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(all items) where the pool grows.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the list is gone or there is no memory; the item is dropped and nothing
    /// else has changed.
    #[inline]
    pub fn try_push(&mut self, list: List<T>, item: T) -> Result<(), ListError> {
        let index = self.find_list(list).ok_or(ListError::Gone)?;
        self.push_at(index, item)?;
        Ok(())
    }

    /// Appends an item as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If the list is gone or there is no memory.
    #[inline]
    pub fn push(&mut self, list: List<T>, item: T) {
        or_panic(self.try_push(list, item));
    }

    /// Takes the last item off a list and returns it; `None` if there is none.
    ///
    /// # Complexity
    ///
    /// O(1); O(nodes) where the last node becomes empty and the list is not contiguous.
    #[inline]
    pub fn pop(&mut self, list: List<T>) -> Option<T> {
        let index = self.find_list(list)?;
        let last = self.heads[index as usize].end.checked_sub(1)?;
        // SAFETY: the item is alive (invariant 2), and is not any more from the next line on.
        let item = unsafe { self.nodes.place(last).read() };
        self.shorten_by_one(index);
        Some(item)
    }

    /// Returns the id of a list that is there.
    fn id(&self, index: u32) -> List<T> {
        list::id(index, self.lives[index as usize])
    }

    /// Returns the index of a list.
    #[inline]
    fn find_list(&self, list: List<T>) -> Option<u32> {
        let index = list.index();
        // The life in an id is never 0, that of a slot without a list is.
        let life = *self.lives.get(index as usize)?;
        (u32::from(life) == list.generation()).then_some(index)
    }

    #[inline]
    fn head(&self, list: List<T>) -> Option<Head> {
        let index = self.find_list(list)?;
        // SAFETY: a list that is found has a life, and there are as many heads as lives (invariant
        // 4).
        Some(*unsafe { self.heads.get_unchecked(index as usize) })
    }

    #[inline]
    const fn runs(head: Head) -> Runs<K> {
        Runs::new(head.first(), head.len, head.is_together())
    }

    #[inline]
    fn push_at(&mut self, index: u32, item: T) -> Result<(), GrowError> {
        let end = self.heads[index as usize].end;
        let at = if end.is_multiple_of(Nodes::<T, A, K>::K) {
            self.nodes.try_reserve(1)?;
            self.append_node(index)
        } else {
            end
        };
        // SAFETY: the place is in a node of the list and after its last item, so nothing is alive
        // there.
        unsafe { self.nodes.place(at).write(item) };
        let head = &mut self.heads[index as usize];
        head.end = at + 1;
        head.len += 1;
        Ok(())
    }

    /// Links a node after the last one of a list, which is full, and returns where its items begin.
    /// The caller puts an item there and sets the end after it. A node must be free.
    fn append_node(&mut self, index: u32) -> u32 {
        let head = &mut self.heads[index as usize];
        let node = if let Some(last_item) = head.end.checked_sub(1) {
            let last = last_item / Nodes::<T, A, K>::K;
            let node = self.nodes.take_near(last);
            self.nodes.set_link(last, node);
            if node != last + 1 && head.is_together() {
                head.first &= !TOGETHER;
                self.broken += 1;
            }
            node
        } else {
            let node = self.nodes.take();
            head.first = node | TOGETHER;
            node
        };
        self.nodes.set_link(node, LAST | index);
        node * Nodes::<T, A, K>::K
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized, const K: usize> fmt::Debug for ListPool<'_, T, A, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lists = f.debug_map();
        for list in self.lists() {
            lists.entry(&list, &fmt::from_fn(|f| f.debug_list().entries(self.iter(list)).finish()));
        }
        lists.finish()
    }
}

impl<T, A: Allocator + ?Sized, const K: usize> Drop for ListPool<'_, T, A, K> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            self.clear();
        }
    }
}
