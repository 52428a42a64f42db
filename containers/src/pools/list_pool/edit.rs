//! Changing lists: items in the middle, many at once, whole lists.

use core::mem;

use loligo_allocators::Allocator;

use crate::error::or_panic;
use crate::pools::list_pool::ListPool;
use crate::pools::list_pool::list::{Head, List, ListError, TOGETHER};
use crate::pools::list_pool::nodes::{LAST, Nodes};
use crate::pools::list_pool::runs::Runs;
use crate::pools::list_pool::settle::Frontier;

impl<T, A: Allocator + ?Sized, const K: usize> ListPool<'_, T, A, K> {
    /// Inserts an item before the one at `at`, or at the end, and keeps the order.
    ///
    /// # Complexity
    ///
    /// O(items after it), plus O(nodes) for finding the place if the list is not contiguous. Moves
    /// the items after it; O(all items) where the pool grows.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the list is gone or there is no memory; the item is dropped and nothing
    /// else has changed.
    ///
    /// # Panics
    ///
    /// If `at` is beyond the list's end.
    pub fn try_insert(&mut self, list: List<T>, at: usize, item: T) -> Result<(), ListError> {
        let index = self.find_list(list).ok_or(ListError::Gone)?;
        let head = self.heads[index as usize];
        let mut runs = Self::runs(head);
        let found = runs.skip(self.nodes.links(), at as u64);
        assert!(found, "an item was to be inserted at {at} into a list of {}", self.len(list));
        let grows = head.end.is_multiple_of(Self::ITEMS);
        if grows {
            self.nodes.try_reserve(1).map_err(ListError::Grow)?;
        }
        let mut carried = mem::ManuallyDrop::new(item);
        while let Some(run) = runs.next(self.nodes.links()) {
            if run.end == head.end && !grows {
                self.nodes.copy(run.start, run.start + 1, run.len() as u32);
                self.put(run.start, &mut carried);
                let head = &mut self.heads[index as usize];
                head.end += 1;
                head.len += 1;
                return Ok(());
            }
            let mut last = self.lift(run.end - 1);
            self.nodes.copy(run.start, run.start + 1, run.len() as u32 - 1);
            self.put(run.start, &mut carried);
            mem::swap(&mut carried, &mut last);
        }
        let end = if grows { self.append_node(index) } else { head.end };
        self.put(end, &mut carried);
        let head = &mut self.heads[index as usize];
        head.end = end + 1;
        head.len += 1;
        Ok(())
    }

    /// Inserts an item as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If the list is gone, there is no memory, or `at` is beyond the list's end.
    pub fn insert(&mut self, list: List<T>, at: usize, item: T) {
        or_panic(self.try_insert(list, at, item));
    }

    /// Takes an item out and returns it, and keeps the order; `None` if there is no such item.
    ///
    /// # Complexity
    ///
    /// O(items after it), plus O(nodes) for finding it if the list is not contiguous. Moves the
    /// items after it.
    pub fn remove(&mut self, list: List<T>, at: usize) -> Option<T> {
        let index = self.find_list(list)?;
        let mut runs = self.runs_from(index, at)?;
        let links = self.nodes.links();
        let mut run = runs.next(links)?;
        // SAFETY: the item is alive (invariant 2). Its place is written over by the next item, or
        // it is the last one and counted no more; nothing in between panics.
        let item = unsafe { self.nodes.place(run.start).read() };
        loop {
            self.nodes.copy(run.start + 1, run.start, run.len() as u32 - 1);
            let Some(next) = runs.next(self.nodes.links()) else { break };
            self.nodes.copy(next.start, run.end - 1, 1);
            run = next;
        }
        self.shorten_by_one(index);
        Some(item)
    }

    /// Takes an item out and returns it, and puts the last one into its place; `None` if there is
    /// no such item.
    ///
    /// # Complexity
    ///
    /// O(1) if the list is contiguous, else O(nodes). Moves one item.
    pub fn swap_remove(&mut self, list: List<T>, at: usize) -> Option<T> {
        let index = self.find_list(list)?;
        let place = self.runs_from(index, at)?.peek(self.nodes.links())?;
        // SAFETY: the item is alive (invariant 2). Its place is written over by the last item, or
        // it is that and counted no more; nothing in between panics.
        let item = unsafe { self.nodes.place(place).read() };
        let last = self.heads[index as usize].end - 1;
        self.nodes.copy(last, place, 1);
        self.shorten_by_one(index);
        Some(item)
    }

    /// Keeps the items that `keep` says yes to, in order, and drops the others.
    ///
    /// If `keep` panics, the items that it was not asked about are kept.
    ///
    /// # Complexity
    ///
    /// O(items). Moves the items after the first that is removed.
    pub fn retain(&mut self, list: List<T>, mut keep: impl FnMut(&mut T) -> bool) {
        let Some(index) = self.find_list(list) else { return };
        let runs = Self::runs(self.heads[index as usize]);
        let mut sifting = Sifting { pool: self, index, from: runs, to: runs, kept: 0 };
        while let Some(item) = sifting.from.peek(sifting.pool.nodes.links()) {
            // SAFETY: the item is alive (invariant 2): what was moved or dropped is before it.
            let kept = keep(unsafe { sifting.pool.nodes.place(item).as_mut() });
            if kept {
                sifting.keep_next();
            } else {
                sifting.from.next_item(sifting.pool.nodes.links());
                // SAFETY: as above, and it has been passed, so it is not visited again.
                unsafe { sifting.pool.nodes.place(item).drop_in_place() };
            }
        }
    }

    /// Drops all items of a list after the first `len`.
    ///
    /// # Complexity
    ///
    /// O(dropped), plus O(nodes) if the list is not contiguous.
    pub fn truncate(&mut self, list: List<T>, len: usize) {
        if let Some(index) = self.find_list(list) {
            let rest = self.detach(index, len as u64);
            self.drop_items(rest);
        }
    }

    /// Drops all items of a list and keeps the list.
    ///
    /// # Complexity
    ///
    /// O(items), O(nodes) if items need no drop.
    pub fn clear_list(&mut self, list: List<T>) {
        self.truncate(list, 0);
    }

    /// Drops all lists with their items. The ids of all name nothing from now on; the memory is
    /// kept.
    ///
    /// # Complexity
    ///
    /// O(items and lists).
    pub fn clear(&mut self) {
        struct Rest<'p, 'a, T, A: Allocator + ?Sized, const K: usize>(
            &'p mut ListPool<'a, T, A, K>,
            u32,
        );
        impl<T, A: Allocator + ?Sized, const K: usize> Rest<'_, '_, T, A, K> {
            fn destroy_all(&mut self) {
                while (self.1 as usize) < self.0.lives.len() {
                    self.1 += 1;
                    if self.0.lives[self.1 as usize - 1] != 0 {
                        let list = self.0.id(self.1 - 1);
                        self.0.destroy(list);
                    }
                }
            }
        }
        impl<T, A: Allocator + ?Sized, const K: usize> Drop for Rest<'_, '_, T, A, K> {
            // Where an item's destructor has panicked, the others still run.
            fn drop(&mut self) {
                self.destroy_all();
            }
        }
        Rest(self, 0).destroy_all();
        self.frontier = Frontier::START;
    }

    /// Appends all items of an iterator.
    ///
    /// # Complexity
    ///
    /// O(items), O(all items) where the pool grows.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the list is gone or there is no memory for all; what came out of the
    /// iterator is dropped and the lists are as they were.
    ///
    /// # Panics
    ///
    /// If the iterator does; the items that it yielded before stay in the list.
    pub fn try_extend(
        &mut self,
        list: List<T>,
        items: impl IntoIterator<Item = T>,
    ) -> Result<(), ListError> {
        let index = self.find_list(list).ok_or(ListError::Gone)?;
        let items = items.into_iter();
        self.nodes.try_reserve(self.nodes_for(index, items.size_hint().0))?;
        for (count, item) in (0..).zip(items) {
            if let Err(error) = self.push_at(index, item) {
                let len = self.len(list) - count;
                self.truncate(list, len);
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Appends items as [`try_extend`](Self::try_extend) does.
    ///
    /// # Panics
    ///
    /// If the list is gone, there is no memory, or the iterator panics.
    pub fn extend(&mut self, list: List<T>, items: impl IntoIterator<Item = T>) {
        or_panic(self.try_extend(list, items));
    }

    /// The items of a node.
    const ITEMS: u32 = Nodes::<T, A, K>::K;

    /// Moves an item into a place where none lives.
    #[inline]
    fn put(&mut self, at: u32, item: &mut mem::ManuallyDrop<T>) {
        // SAFETY: callers replace or end `item` right after, so it is moved once.
        let item = unsafe { mem::ManuallyDrop::take(item) };
        // SAFETY: callers name a place in a node of a list whose item was moved out or never was.
        unsafe { self.nodes.place(at).write(item) };
    }

    /// Moves an item out of its place.
    #[inline]
    fn lift(&mut self, at: u32) -> mem::ManuallyDrop<T> {
        // SAFETY: callers name a live item and write over its place, or count it no more.
        mem::ManuallyDrop::new(unsafe { self.nodes.place(at).read() })
    }

    /// Returns what is left of a list from its item `at` on.
    #[inline]
    pub(super) fn runs_from(&self, index: u32, at: usize) -> Option<Runs<K>> {
        let mut runs = Self::runs(self.heads[index as usize]);
        runs.skip(self.nodes.links(), at as u64).then_some(runs)
    }

    /// Returns how many nodes a list must take for `more` items.
    fn nodes_for(&self, index: u32, more: usize) -> u64 {
        let room = (Self::ITEMS - self.heads[index as usize].end % Self::ITEMS) % Self::ITEMS;
        (more as u64).saturating_sub(u64::from(room)).div_ceil(u64::from(Self::ITEMS))
    }

    /// Removes the last item of a list from its count, after it was moved out, and frees its node
    /// if that becomes empty.
    #[inline]
    pub(super) fn shorten_by_one(&mut self, index: u32) {
        let head = &mut self.heads[index as usize];
        head.end -= 1;
        head.len -= 1;
        if head.end.is_multiple_of(Self::ITEMS) {
            self.drop_last_node(index);
        }
    }

    fn drop_last_node(&mut self, index: u32) {
        let head = &mut self.heads[index as usize];
        let last = head.end / Self::ITEMS;
        self.nodes.give(last);
        if head.first() == last {
            *head = Head::EMPTY;
            return;
        }
        let mut before = last - 1;
        if !head.is_together() {
            before = head.first();
            let mut together = true;
            loop {
                let next = self.nodes.link(before);
                if next == last {
                    break;
                }
                together &= next == before + 1;
                before = next;
            }
            if together {
                head.first |= TOGETHER;
                self.broken -= 1;
            }
        }
        head.end = (before + 1) * Self::ITEMS;
        self.nodes.set_link(before, LAST | index);
    }

    /// Cuts a list after its first `len` items, frees the nodes that it then does not need, and
    /// returns the items cut off: they are alive, in nodes that stay untouched until the pool is
    /// used again.
    pub(super) fn detach(&mut self, index: u32, len: u64) -> Runs<K> {
        let head = self.heads[index as usize];
        let mut rest = Self::runs(head);
        let Some(before) = len.checked_sub(1) else {
            self.give_from(head.first(), head);
            self.broken -= u32::from(head.end != 0 && !head.is_together());
            self.heads[index as usize] = Head::EMPTY;
            return rest;
        };
        if !rest.skip(self.nodes.links(), before) {
            return rest;
        }
        let Some(item) = rest.next_item(self.nodes.links()) else { return rest };
        let last = item / Self::ITEMS;
        let link = self.nodes.link(last);
        if link & LAST == 0 {
            self.give_from(link, head);
            self.nodes.set_link(last, LAST | index);
        }
        self.heads[index as usize].end = item + 1;
        // No more than there were.
        self.heads[index as usize].len = len as u32;
        if !head.is_together() && self.follows(head.first(), last) {
            self.heads[index as usize].first |= TOGETHER;
            self.broken -= 1;
        }
        rest
    }

    /// Frees the nodes of a list from `node` on. Their links stay.
    fn give_from(&mut self, mut node: u32, head: Head) {
        if head.end == 0 {
            return;
        }
        while node & LAST == 0 {
            self.nodes.give(node);
            node = self.nodes.link(node);
        }
    }

    /// Returns `true` if the chain from `first` leads to `last` through nodes that follow one
    /// another.
    pub(super) fn follows(&self, first: u32, last: u32) -> bool {
        first <= last && (first..last).all(|node| self.nodes.link(node) == node + 1)
    }

    /// Drops the items of a detached part.
    pub(super) fn drop_items(&mut self, rest: Runs<K>) {
        struct Dropping<'n, 'a, T, A: Allocator + ?Sized, const K: usize>(
            &'n Nodes<'a, T, A, K>,
            Runs<K>,
        );
        impl<T, A: Allocator + ?Sized, const K: usize> Dropping<'_, '_, T, A, K> {
            fn drop_all(&mut self) {
                while let Some(run) = self.1.next(self.0.links()) {
                    let start = self.0.place(run.start);
                    let items = core::ptr::NonNull::slice_from_raw_parts(start, run.len());
                    // SAFETY: the items are alive, no list has them any more, and each run comes
                    // once.
                    unsafe { items.drop_in_place() };
                }
            }
        }
        impl<T, A: Allocator + ?Sized, const K: usize> Drop for Dropping<'_, '_, T, A, K> {
            // Where an item's destructor has panicked, the others still run.
            fn drop(&mut self) {
                self.drop_all();
            }
        }
        if mem::needs_drop::<T>() {
            Dropping(&self.nodes, rest).drop_all();
        }
    }
}

impl<T: Copy, A: Allocator + ?Sized, const K: usize> ListPool<'_, T, A, K> {
    /// Appends copies of all items of a slice.
    ///
    /// # Complexity
    ///
    /// O(items), O(all items) where the pool grows.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the list is gone or there is no memory for all; nothing has changed.
    pub fn try_extend_from_slice(&mut self, list: List<T>, items: &[T]) -> Result<(), ListError> {
        let index = self.find_list(list).ok_or(ListError::Gone)?;
        self.nodes.try_reserve(self.nodes_for(index, items.len()))?;
        self.append_copies(index, items);
        Ok(())
    }

    /// Appends copies as [`try_extend_from_slice`](Self::try_extend_from_slice) does.
    ///
    /// # Panics
    ///
    /// If the list is gone or there is no memory.
    pub fn extend_from_slice(&mut self, list: List<T>, items: &[T]) {
        or_panic(self.try_extend_from_slice(list, items));
    }

    /// Puts copies of all items of a slice in the place of those that a list has, in nodes next to
    /// one another where the roll finds such.
    ///
    /// # Complexity
    ///
    /// O(items), O(all items) where the pool grows.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the list is gone or there is no memory for all; nothing has changed.
    pub fn try_replace(&mut self, list: List<T>, items: &[T]) -> Result<(), ListError> {
        let index = self.find_list(list).ok_or(ListError::Gone)?;
        let needed = items.len().div_ceil(K) as u64;
        if needed > u64::from(self.nodes.free()) {
            let had = self.len(list).div_ceil(K) as u64;
            self.nodes.try_reserve(needed.saturating_sub(had))?;
        }
        // Copies need no drop.
        self.detach(index, 0);
        self.append_copies(index, items);
        Ok(())
    }

    /// Replaces the items of a list as [`try_replace`](Self::try_replace) does.
    ///
    /// # Panics
    ///
    /// If the list is gone or there is no memory.
    pub fn replace(&mut self, list: List<T>, items: &[T]) {
        or_panic(self.try_replace(list, items));
    }

    /// Appends copies, for which nodes are free.
    fn append_copies(&mut self, index: u32, mut items: &[T]) {
        while !items.is_empty() {
            let end = self.heads[index as usize].end;
            let full = end.is_multiple_of(Self::ITEMS);
            let at = if full { self.append_node(index) } else { end };
            let room = Self::ITEMS - at % Self::ITEMS;
            let (now, later) = items.split_at(items.len().min(room as usize));
            // SAFETY: after `at` there is room for that many in the node; the slice cannot be in
            // the pool, which is borrowed exclusively.
            unsafe {
                self.nodes.place(at).as_ptr().copy_from_nonoverlapping(now.as_ptr(), now.len())
            };
            let head = &mut self.heads[index as usize];
            head.end = at + now.len() as u32;
            head.len += now.len() as u32;
            items = later;
        }
    }
}

/// A list whose items are moved together. Dropped, it keeps what it was not asked about and makes
/// the list whole.
struct Sifting<'p, 'a, T, A: Allocator + ?Sized, const K: usize> {
    pool: &'p mut ListPool<'a, T, A, K>,
    index: u32,
    from: Runs<K>,
    to: Runs<K>,
    kept: u64,
}

impl<T, A: Allocator + ?Sized, const K: usize> Sifting<'_, '_, T, A, K> {
    /// Moves the next item to the end of those that were kept.
    fn keep_next(&mut self) -> bool {
        let Some(from) = self.from.next_item(self.pool.nodes.links()) else { return false };
        if let Some(to) = self.to.next_item(self.pool.nodes.links())
            && to != from
        {
            self.pool.nodes.copy(from, to, 1);
        }
        self.kept += 1;
        true
    }
}

impl<T, A: Allocator + ?Sized, const K: usize> Drop for Sifting<'_, '_, T, A, K> {
    fn drop(&mut self) {
        while self.keep_next() {}
        // What follows was moved or dropped.
        self.pool.detach(self.index, self.kept);
    }
}
